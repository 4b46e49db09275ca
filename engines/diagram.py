"""A board as data: the marks in its cells, labels, highlighted cells, notes, and what the marks mean."""

from dataclasses import dataclass
from typing import Literal

Shape = Literal["square", "hex"]
Kind = Literal["empty", "piece", "trace"]
"""What a mark is: nothing, a piece, or a trace that a piece left and that belongs to a side (a marked cell)."""
Tone = Literal["dark", "light", "blue", "green"]
Sign = Literal["+", "x", "o"]


@dataclass(frozen=True, slots=True)
class Mark:
    """What a mark in the cells of a Diagram means, for drawings of the board that don't print it.

    `text` is the mark, `side` its owner (0 or 1; None for an empty cell), and `words` the names of one and of
    several ("man", "men"). `shown` is what a picture shows on the piece: a sign, a number, or nothing. `height`
    is the number of pieces on top of each other.
    """

    text: str
    kind: Kind
    side: Literal[0, 1] | None
    words: tuple[str, str]
    shown: str = ""
    height: int = 1


@dataclass(frozen=True, slots=True)
class Legend:
    """What the marks of a game mean: a constant of the game, or of a variant.

    The first mark is that of a plain empty cell. `sides` are the names of the sides by seat, and `tones` their
    colours in pictures. `areas` are parts of the board that pictures tint, each more than the one before, and
    `area_names` what a key calls them. `said` are sentences about the board for people who can't see it, and
    `names_areas` is whether they hear of each piece in which area it is.
    """

    sides: tuple[str, str] = ("", "")
    marks: tuple[Mark, ...] = ()
    tones: tuple[Tone, Tone] = ("dark", "light")
    areas: tuple[frozenset[str], ...] = ()
    area_names: tuple[str, ...] = ()
    said: tuple[str, ...] = ()
    names_areas: bool = False

    def by_text(self) -> dict[str, Mark]:
        """Return the meaning of each mark."""
        return {mark.text: mark for mark in self.marks}


NO_LEGEND = Legend()


def last_move(phrase: str) -> str:
    """Return the sentence that tells the last turn."""
    return f"The last move: {phrase}."


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
