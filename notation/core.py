"""What every notation is: text to a move without a position, and a move to its one canonical text."""

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from engines.core import Position, Seat

Move = TypeVar("Move")

LONGEST_SHOWN = 80
"""More of a text than this is not repeated in the message of an exception."""


class BadNotation(Exception):
    """A text that is no move: where reading stopped (an index into the text) and what was expected there."""

    def __init__(self, text: str, at: int, expected: str) -> None:
        self.text = text
        self.at = at
        self.expected = expected
        shown = text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}..."
        super().__init__(f"expected {expected} at character {at + 1} of {shown!r}")


class Notation(Protocol[Move]):
    """How the moves of a game are written."""

    @property
    def help(self) -> str:
        """One line for players: how a move is written, with an example."""

    def parse(self, text: str) -> Move:
        """The move that the text says, by whatever position; raises BadNotation."""

    def format(self, move: Move, position: Position[Any]) -> str:
        """The canonical text; parse(format(move, position)) == move. Illegal moves can be formatted too."""

    def is_shown(self, move: Move) -> bool:
        """Whether a list of legal turns may hold this one: not where that tells what a player must see himself."""

    def endings(self, position: Position[Any]) -> tuple[str, ...]:
        """What may be said behind a turn here, whether or not it would be right: announcements."""

    def hint(self, position: Position[Any]) -> str:
        """What the player to move may write now, in a sentence or two with a legal example; "" when over."""


class Fault(Protocol):
    """A slip in a turn of an old record: the word where it is, what is wrong, and how it was taken."""

    @property
    def token(self) -> str:
        """The word of the text."""

    @property
    def why(self) -> str:
        """What is wrong with it and how it was taken, in a sentence."""


Arbiter = Callable[[Position[Any], Seat, str], tuple[Position[Any], Sequence[Fault]]]
"""From a position, the seat that plays and the text of its turn: the position meant, and every slip.

It raises BadNotation for a text of which nothing can be made.
"""
