"""What every notation does: read a text as a move without a position, and write a move as its one canonical text."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from engines.core import Position, Seat
from notation.hints import Hint

Move = TypeVar("Move")

LONGEST_SHOWN = 80
"""The length of the longest text that the message of an exception repeats whole."""


class BadNotation(Exception):
    """A text that isn't a move: where reading stopped (an index into the text) and what was expected there."""

    def __init__(self, text: str, at: int, expected: str) -> None:
        self.text = text
        self.at = at
        self.expected = expected
        shown = text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}..."
        super().__init__(f"expected {expected} at character {at + 1} of {shown!r}")


class Notation(Protocol[Move]):
    """How the moves of a game are written. Notations of games inherit the defaults."""

    __slots__ = ()

    @property
    def help(self) -> str:
        """One line for players: how a move is written, with an example."""

    def parse(self, text: str) -> Move:
        """Return the move that the text says, whatever the position; raise BadNotation."""

    def format(self, move: Move, position: Position[Any]) -> str:
        """Return the canonical text; parse(format(move, position)) == move. Illegal moves can be formatted too."""

    def is_shown(self, move: Move) -> bool:
        """Return whether lists of legal turns can show this one: not if it reveals what players must find themselves.

        Unless overridden, lists show every turn.
        """
        return True

    def listed(self, position: Position[Any]) -> Iterator[Move]:
        """Yield the legal turns, or completions of a part, that lists show.

        Override it if some legal turns come to the same: it yields one of each set. All can be written.
        """
        return filter(self.is_shown, position.moves())

    def tapped(self, move: Move, position: Position[Any]) -> str:
        """Return the text of a legal turn, or of a part, that a board to tap puts together from its cells.

        Override it if the canonical text doesn't begin with the cell of the piece that moves, as in chess.
        """
        return self.format(move, position)

    def endings(self, position: Position[Any]) -> tuple[str, ...]:
        """Return what players can add after a turn here, right or wrong: announcements. Unless overridden, nothing."""
        return ()

    def midway(self, chosen: str, position: Position[Any]) -> Position[Any]:
        """Return the position with the beginning of a turn on its board, as far as it was chosen: only to be drawn.

        `chosen` is the start of a legal turn's text, perhaps in the midst of a word. Unless overridden, no piece has
        moved before the turn is whole.
        """
        return position

    def hint(self, position: Position[Any]) -> Hint | None:
        """Return what the player to move can write now; None when the game is over."""


class Correction(Protocol):
    """A slip in a turn of an old record: the word that has it, what is wrong, and how it was taken."""

    @property
    def token(self) -> str:
        """The word of the text."""

    @property
    def why(self) -> str:
        """What is wrong with it and how it was taken, in a sentence."""


TolerantReader = Callable[[Position[Any], Seat, str], tuple[Position[Any], Sequence[Correction]]]
"""Plays the text of a turn for a seat on a position; returns the position meant, and every slip.

It raises BadNotation for a text that makes no sense at all.
"""
