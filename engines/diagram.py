"""The board picture as data: what stands where, how lines are labelled, what is lit, what is said of it."""

from dataclasses import dataclass
from typing import Literal

Shape = Literal["square", "hex"]


@dataclass(frozen=True, slots=True)
class Diagram:
    """A board to be drawn: rows from top to bottom, each a row label and its cells from left to right.

    `columns` are the letters below (for "hex" also above). A cell is (name, mark): the name says where it
    is ("c4"), the mark is what stands there: one character as the records print it, or a few without a space
    between them, on square boards. `lit` names the cells of the last move. `notes` are short lines beside the
    board.
    """

    shape: Shape
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    lit: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
