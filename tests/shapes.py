"""Boards of every shape, as no game of ours has them: each once, for every way of drawing."""

from collections.abc import Mapping
from dataclasses import replace

from engines.board import Board, hexagon, rectangle, rhombus, triangle
from engines.diagram import Diagram, Legend, Mark, Tone

EMPTY = Mark(".", "empty", None, ("empty", "empty"))
STONES = Legend(
    ("X", "O"),
    (
        EMPTY,
        Mark("X", "piece", 0, ("stone", "stones"), "x"),
        Mark("O", "piece", 1, ("stone", "stones"), "o"),
        Mark("*", "piece", None, ("arrow", "arrows")),
        Mark("-", "trace", None, ("burnt cell", "burnt cells"), "x"),
    ),
)
TEXTS = Legend(
    ("White", "Black"),
    (
        EMPTY,
        *(
            Mark(side + text, "piece", seat, (name, f"{name}s"), text)
            for seat, side in ((0, "w"), (1, "b"))
            for text, name in (("Kn", "knight"), ("12", "dozen"), ("144", "gross"))
        ),
    ),
    tones=("light", "dark"),
)
KINDS = Legend(
    ("White", "Black"),
    (
        EMPTY,
        *(Mark(letter, "piece", 0, (name, f"{name}s"), letter) for letter, name in (("K", "king"), ("R", "rook"))),
        *(Mark(letter, "piece", 1, (name, f"{name}s"), letter) for letter, name in (("k", "king"), ("r", "rook"))),
    ),
    tones=("light", "dark"),
)
TONES: tuple[Tone, ...] = ("dark", "light", "blue", "green", "red", "purple", "yellow", "pink", "grey")
COLOURS = Legend(
    ("Red", "Yellow"),
    (
        EMPTY,
        *(Mark(f"{at}", "piece", None, (f"{tone} man", f"{tone} men"), tone=tone) for at, tone in enumerate(TONES)),
        *(
            Mark("abcdefghi"[at], "trace", None, (f"{tone} cell", f"{tone} cells"), "x", tone=tone)
            for at, tone in enumerate(TONES)
        ),
    ),
    tones=("red", "yellow"),
)
CROSS = Board.of(
    "hex",
    {
        **{f"{letter}1": (2 * at + 2, 0) for at, letter in enumerate("bc", start=1)},
        **{f"{letter}2": (2 * at + 1, 1) for at, letter in enumerate("abde", start=0) if letter != "d"},
        **{f"{letter}3": (2 * at, 2) for at, letter in enumerate("abcde")},
        "c4": (5, 3),
    },
)


def with_edges(board: Board, legend: Legend = STONES) -> Legend:
    """Return the legend of a game in which one side owns top and bottom, and the other left and right."""
    first, second = (board.edge(0, "top"), board.edge(0, "bottom")), (board.edge(1, "left"), board.edge(1, "right"))
    return replace(legend, edges=(*first, *second))


def _marked(cells: str, marks: str) -> dict[str, str]:
    return dict(zip(cells.split(), marks.split(), strict=True))


_RHOMBUS, _SQUARE, _HEXAGON = rhombus(11, 11), rectangle(6, 6), hexagon(4)
_COLOURED = {
    f"{letter}{row}": mark
    for row, marks in ((1, "012345678"), (3, "abcdefghi"))
    for letter, mark in zip("abcdefghi", marks, strict=True)
}

SHAPES: Mapping[str, Diagram] = {
    "rhombus 11x11 with edges": _RHOMBUS.diagram(
        _marked("a1 f6 g6 k11 d9", "X O X X *"), with_edges(_RHOMBUS), lit=("f6", "g6"), left=("f6",), notes=("turn 5",)
    ),
    "rectangle 7x6": rectangle(7, 6, first_on_top=False).diagram({"d1": "X", "d2": "O"}, STONES, lit=("d2",)),
    "rectangle 16x3": rectangle(16, 3).diagram({"p1": "X", "a3": "O"}, STONES, lit=("p1",), notes=("a note",)),
    "rectangle 26x12": rectangle(26, 12).diagram({"z12": "X", "a1": "-"}, STONES, lit=("z12",), notes=("a note",)),
    "holes": rectangle(5, 5, without=("c3", "b1", "e5")).diagram(
        _marked("b3 d3 a1", "O O -"), STONES, lit=("b3", "d3")
    ),
    "triangle": triangle(6).diagram({"b3": "X", "f6": "O"}, STONES, lit=("b3",)),
    "hexagon of side 7": hexagon(7).diagram({"m7": "X", "a7": "*"}, STONES, lit=("m7",)),
    "hexagon with edges": _HEXAGON.diagram({"a4": "X", "b3": "O"}, with_edges(_HEXAGON)),
    "any outline": CROSS.diagram({"b2": "X", "e3": "*"}, STONES, lit=("b2",)),
    "texts on pieces": rectangle(8, 8).diagram(_marked("a1 b1 h8 g8", "wKn w12 b144 bKn"), TEXTS, lit=("a1", "b1")),
    "texts on a rhombus": rhombus(5, 5).diagram(_marked("a1 c3 e5", "wKn b12 b144"), TEXTS, lit=("c3",)),
    "kinds of pieces": rectangle(4, 2).diagram(_marked("a1 b1 c2 d2", "K R k r"), KINDS),
    "square with edges": _SQUARE.diagram(
        {"a1": "X", "b2": "*", "c2": "-"}, with_edges(_SQUARE, replace(STONES, tones=("red", "purple"))), lit=("a1",)
    ),
    "nine tones": rectangle(9, 4).diagram(_COLOURED, COLOURS, lit=("a1", "e1", "d3")),
}
