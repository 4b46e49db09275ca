"""The board picture as data: what stands where, how lines are labelled, what is lit, what is said, what marks mean."""

from dataclasses import dataclass
from typing import Literal

Shape = Literal["square", "hex"]
Kind = Literal["empty", "piece", "trace"]
"""What a mark is: nothing, something that plays, or what was left behind and belongs to a side (a marked cell)."""
Tone = Literal["dark", "light", "blue", "green"]
Sign = Literal["+", "x", "o"]


@dataclass(frozen=True, slots=True)
class Mark:
    """What a mark in the cells of a Diagram means, for faces of the board that don't print it.

    `text` is the mark, `side` whose it is (0 or 1; None for an empty cell), `words` what one and what several
    are called ("man", "men"). `shown` is what the thing itself shows in a picture: a sign, a number, or nothing;
    `height` how many pieces stand upon each other.
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

    The first mark is that of a plain empty cell. `sides` are the sides by seat and `tones` how pictures colour
    them. `areas` are parts of the board that pictures tint, each more than the one before.
    """

    sides: tuple[str, str] = ("", "")
    marks: tuple[Mark, ...] = ()
    tones: tuple[Tone, Tone] = ("dark", "light")
    areas: tuple[frozenset[str], ...] = ()

    def by_text(self) -> dict[str, Mark]:
        """What each mark means."""
        return {mark.text: mark for mark in self.marks}


NO_LEGEND = Legend()


@dataclass(frozen=True, slots=True)
class Diagram:
    """A board to be drawn: rows from top to bottom, each a row label and its cells from left to right.

    `columns` are the letters below (for "hex" also above). A cell is (name, mark): the name says where it
    is ("c4"), the mark is what stands there: one character as the records print it, or a few without a space
    between them, on square boards. `lit` names the cells of the last move. `notes` are short lines beside the
    board; `remarks` say the same in sentences, without marks, for who can't see the board. `legend` says what
    the marks mean; whoever prints them as they are does not need it.
    """

    shape: Shape
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    lit: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    legend: Legend = NO_LEGEND
