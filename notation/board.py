"""A Diagram as text: plain, exactly as records print their boards, or with the last turn highlighted and notes.

The unicode board differs only in its marks: the first character of a mark becomes a sign that says what it is and
whose it is, and the rest ("3" dots, "+2" of a tower) stays. The signs are chosen so that columns stay aligned:

- none is of ambiguous or wide East Asian width. The obvious ones, U+25CF and U+25CB (black and white circle), U+00D7
  (times) and even U+2022 (bullet) are ambiguous: terminals in a Japanese or Chinese setting draw them two columns wide.
- none has an emoji form (as U+25AA, U+25FC, U+26AB do), which mail programs on phones would show instead.
- all are from the block Geometric Shapes, which more monospaced fonts contain than any other block of signs: a sign
  taken from another font is rarely as wide as its neighbours.
- sides differ in shape and in fill, pieces from marked cells in size; nothing depends on colour.

Empty cells keep their marks: the middle dots are ambiguous too, and everybody knows the period.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import Literal

from engines.diagram import Diagram, Kind, Mark

GAP = "    "
"""Between the board and the notes beside it."""

Charset = Literal["ascii", "unicode"]
SIGNS: Mapping[Kind, tuple[str, str]] = {
    "piece": ("\N{FISHEYE}", "\N{LOZENGE}"),
    "trace": ("\N{BLACK UP-POINTING SMALL TRIANGLE}", "\N{WHITE BULLET}"),
}
"""The signs of a unicode board, by kind and by side."""


def format_board(diagram: Diagram, *, lit: bool = False, notes: bool = False, charset: Charset = "ascii") -> str:
    """Return the board as text, without a newline at the end; with charset "unicode" in signs (see above).

    Square boards have one space between cells, row numbers on the right and letters below. If marks have more
    than one character, every cell is as wide as the widest mark. Hexagonal boards have their letters above and
    below, and each row uses every second letter. With `lit` the cells of the last turn are in brackets, and
    everything moves one column to the right to make room. With `notes` the diagram's notes are beside the rows,
    from the top.
    """
    if charset == "unicode":
        diagram = in_signs(diagram)
    each = max(len(mark) for _, cells in diagram.rows for _, mark in cells)
    rows = [_row(diagram, cells, each, lit=lit) for _, cells in diagram.rows]
    labels = [label for label, _ in diagram.rows]
    margin = " " if lit else ""
    if diagram.shape == "hex":
        letters = margin + "".join(diagram.columns)
        board = [letters, *(f"{row} {label}" for row, label in zip(rows, labels, strict=True)), letters]
    else:
        width = max(len(label) for label in labels)
        gap = " " if lit else "  "  # a lit last cell ends with its bracket
        board = [f"{row}{gap}{label:>{width}}" for row, label in zip(rows, labels, strict=True)]
        board.append(margin + " ".join(f"{letter:<{each}}" for letter in diagram.columns).rstrip())
    return "\n".join(_beside(board, diagram.notes) if notes else [line.rstrip() for line in board])


def in_signs(diagram: Diagram) -> Diagram:
    """Return the diagram with signs for its marks, also in notes where a mark is a word by itself."""
    signs = {mark.text: sign_of(mark) for mark in diagram.legend.marks}
    rows = tuple((label, tuple((name, signs.get(mark, mark)) for name, mark in cells)) for label, cells in diagram.rows)
    notes = tuple(" ".join(signs.get(word, word) for word in note.split(" ")) for note in diagram.notes)
    return replace(diagram, rows=rows, notes=notes)


def sign_of(mark: Mark) -> str:
    """Return how the mark is drawn on a unicode board.

    >>> sign_of(Mark("o3", "piece", 1, ("stone", "stones"))), sign_of(Mark(".", "empty", None, ("empty", "empty")))
    ('◊3', '.')
    """
    if mark.side is None or mark.kind not in SIGNS:
        return mark.text
    return SIGNS[mark.kind][mark.side] + mark.text[1:]


def _row(diagram: Diagram, cells: Sequence[tuple[str, str]], each: int, *, lit: bool) -> str:
    """Return a row: cells `each` columns wide, one column apart, with brackets around each run of lit cells."""
    if diagram.shape == "hex":
        places = [diagram.columns.index(name.rstrip("0123456789")) for name, _ in cells]
        width = len(diagram.columns)
    else:
        places = [(each + 1) * number for number in range(len(cells))]
        width = (each + 1) * len(cells) - 1
    row = [" "] * (width + 2)  # with room for a bracket at each end
    shown = [lit and name in diagram.lit for name, _ in cells]
    for number, (place, (_, mark)) in enumerate(zip(places, cells, strict=True)):
        row[place + 1 : place + 1 + len(mark)] = mark
        if shown[number] and not (number and shown[number - 1]):
            row[place] = "["
        if shown[number] and not (number + 1 < len(cells) and shown[number + 1]):
            row[place + 1 + len(mark)] = "]"
    return "".join(row if lit else row[1:-1])


def _beside(board: Sequence[str], notes: Sequence[str]) -> list[str]:
    """Return the board with the notes to its right, or below it if the board is too short."""
    width = max(len(line) for line in board)
    lines = zip_longest(board, notes, fillvalue="")
    return [f"{line:<{width}}{GAP if note else ''}{note}".rstrip() for line, note in lines]
