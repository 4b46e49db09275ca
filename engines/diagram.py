"""A board as data: the marks in its cells, labels, highlighted cells, notes, and what the marks mean."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

Shape = Literal["square", "hex"]
"""The form of a board's cells."""
Kind = Literal["empty", "piece", "trace"]
"""What a mark is: nothing, a piece, or a trace that a piece left and that belongs to a side (a marked cell)."""
Tone = Literal["dark", "light", "blue", "green", "red", "purple", "yellow", "pink", "grey"]
"""A colour of pieces in pictures."""
NEUTRAL: Tone = "grey"
"""The colour of pieces that belong to neither side."""
Towards = Literal["top", "bottom", "left", "right"]
"""The direction in which an edge of the board faces."""
OPPOSITE: Mapping[Towards, Towards] = {"top": "bottom", "bottom": "top", "left": "right", "right": "left"}
Sign = Literal["+", "x", "o"]
Letters = tuple[tuple[int, str], ...]
"""The letters above or below a board, each with its place: how many halves of a cell it is from the left."""
LONGEST_SHOWN = 3


def text_step(each: int, *, staggered: bool) -> float:
    """Return how many columns of a text half a cell takes, if the widest mark has `each` characters.

    >>> text_step(2, staggered=False) * 4, text_step(1, staggered=True) * 3, text_step(2, staggered=True) * 3
    (6.0, 3, 6)
    """
    return each // 2 + 1 if staggered else (each + 1) / 2


@dataclass(frozen=True, slots=True)
class Mark:
    """What a mark in the cells of a Diagram means, for drawings of the board that don't print it.

    `text` is the mark, `side` its owner (0 or 1; None for an empty cell, or for what belongs to neither side), and
    `words` the names of one and of several ("man", "men"). `shown` is what a picture shows on the piece: a sign, a
    text of at most three characters, or nothing. `height` is the number of pieces on top of each other. `tone` is
    its colour in pictures, where that isn't the colour of its side.
    """

    text: str
    kind: Kind
    side: Literal[0, 1] | None
    words: tuple[str, str]
    shown: str = ""
    height: int = 1
    tone: Tone | None = None

    def __post_init__(self) -> None:
        if len(self.shown) > LONGEST_SHOWN:
            raise ValueError(f"a piece shows at most {LONGEST_SHOWN} characters, not {self.shown!r}")


@dataclass(frozen=True, slots=True)
class Edge:
    """A part of the board's outline that belongs to a side, such as the top of a board of Hex.

    It consists of the outer sides of these cells that face that way, except those of an earlier edge of the legend.
    """

    side: Literal[0, 1]
    name: str
    cells: frozenset[str]
    towards: Towards

    @property
    def turned(self) -> "Edge":
        towards = OPPOSITE[self.towards]
        return replace(self, towards=towards, name=towards if self.name == self.towards else self.name)


@dataclass(frozen=True, slots=True)
class Legend:
    """What the marks of a game mean: a constant of the game, or of a variant.

    The first mark is that of a plain empty cell. `sides` are the names of the sides by seat, and `tones` their
    colours in pictures. `areas` are parts of the board that pictures tint, each more than the one before, and
    `area_names` what a key calls them. `said` are sentences about the board for people who can't see it, and
    `names_areas` is whether they hear of each piece in which area it is. `edges` are parts of the board's outline
    that belong to a side: pictures draw them in its colour, and the notes name them. `lines` join cells that
    others or gaps part: pictures draw them below the cells.
    """

    sides: tuple[str, str] = ("", "")
    marks: tuple[Mark, ...] = ()
    tones: tuple[Tone, Tone] = ("dark", "light")
    areas: tuple[frozenset[str], ...] = ()
    area_names: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    names_areas: bool = False
    edges: tuple[Edge, ...] = ()
    lines: tuple[tuple[str, str], ...] = ()
    is_turned: bool = False
    """Whether the second player sees the board from their own side, as in chess."""

    def by_text(self) -> dict[str, Mark]:
        return {mark.text: mark for mark in self.marks}

    def tone_of(self, mark: Mark) -> Tone:
        if mark.tone is not None:
            return mark.tone
        return NEUTRAL if mark.side is None else self.tones[mark.side]

    def named_edges(self) -> tuple[str, ...]:
        """Return which edges belong to each side, in a few words: `X's edges: top, bottom`."""
        owned = [(who, [edge.name for edge in self.edges if edge.side == seat]) for seat, who in enumerate(self.sides)]
        return tuple(f"{who}'s edges: {', '.join(names)}" for who, names in owned if names)


NO_LEGEND = Legend()


LAST_MOVE = "The last move: "


def last_move(phrase: str) -> str:
    """Return the sentence that tells the last turn."""
    return f"{LAST_MOVE}{phrase}."


@dataclass(frozen=True, slots=True)
class Diagram:
    """A board to be drawn: rows from top to bottom, each a row label and its cells from left to right.

    `columns` are the letters below (for "hex" also above). A cell is (name, mark). The name says where it is
    ("c4"). The mark says what is there: one character, as the records print it, or on square boards a few
    without a space between them. `lit` names the cells of the last turn. `notes` are short lines beside the
    board; `remarks` say the same in sentences, without marks, for people who can't see the board. `legend` says
    what the marks mean; code that only prints the marks doesn't need it. `left` names those cells of the last
    turn that a piece has left, and `told` is a sentence with that turn.
    """

    shape: Shape
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    lit: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    legend: Legend = NO_LEGEND
    left: frozenset[str] = frozenset()
    told: str = ""
    places: Mapping[str, int] = field(default_factory=dict, hash=False)

    def seen_by(self, seat: Literal[0, 1] | None) -> "Diagram":
        """Return the board as a player sees it: turned by half a turn for the second one, where the legend says so."""
        if seat != 1 or not self.legend.is_turned:
            return self
        most = self.broad - 2
        return replace(
            self,
            columns=self.columns[::-1],
            rows=tuple((label, cells[::-1]) for label, cells in self.rows[::-1]),
            places={name: most - place for name, place in self.places.items()},
            legend=replace(self.legend, edges=tuple(edge.turned for edge in self.legend.edges)),
        )

    @property
    def step(self) -> int:
        """How many halves of a cell two adjacent letters are apart."""
        return 1 if self.shape == "hex" else 2

    def place(self, name: str) -> int:
        """Return how many halves of a cell a cell is from the left."""
        return self.places[name] if self.places else self.columns.index(name[0]) * self.step

    def places_in(self, row: Sequence[tuple[str, str]]) -> list[int]:
        if self.places:
            return [self.places[name] for name, _ in row]
        step = self.step
        at = {letter: number * step for number, letter in enumerate(self.columns)}
        return [at[name[0]] for name, _ in row]

    @property
    def broad(self) -> int:
        """The width of the board in halves of a cell."""
        return max(self.places.values(), default=(len(self.columns) - 1) * self.step) + 2

    @property
    def is_staggered(self) -> bool:
        """Whether rows can be shifted by half a cell."""
        return self.shape == "hex" or any(place % 2 for place in self.places.values())

    def letters(self) -> tuple[Letters, Letters]:
        """Return the letters above and below the board.

        Slanted columns have theirs above the cells of the first row, and below those of the last. A column that has
        neither has its letter straight above its first cell, or below its last one.
        """
        if not self.places:
            every = tuple((number * self.step, letter) for number, letter in enumerate(self.columns))
            return every, every
        if self.is_slanted:
            lines = [{self.place(name): name[0] for name, _ in self.rows[at][1]} for at in (0, -1)]
            for letter in sorted(set(self.columns).difference(*(line.values() for line in lines))):
                column = [self.place(name) for _, cells in self.rows for name, _ in cells if name[0] == letter]
                for line, place in zip(lines, (column[0], column[-1]), strict=True):
                    if place not in line:
                        line[place] = letter
                        break
            above, below = (tuple(sorted(line.items())) for line in lines)
            return above, below
        every = tuple(sorted({(place, name[0]) for name, place in self.places.items()}))
        return every, every

    @property
    def is_slanted(self) -> bool:
        """Whether the cells of a column don't stand below each other."""
        return len({(name[0], place) for name, place in self.places.items()}) > len(self.columns)
