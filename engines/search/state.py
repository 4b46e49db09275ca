"""What the search sees of a game: states, the choices in them, and where they lead.

A turn may take several choices (stone by stone, say), so that thousands of turns become a few dozen choices at each
of a few nodes. A position that implements `Searchable` offers its own states: faster, with the best choices first,
or with an estimate. Any other position is searched as it is, by its complete turns.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self, runtime_checkable

from engines.core import Position, Seat

WON = 1.0
"""The value of a won position for its winner; a lost one has -WON, a drawn one 0."""


class State(Protocol):
    """A position as the search sees it. Nothing changes one."""

    @property
    def turn(self) -> Seat | None:
        """The seat to choose; None when the game is over."""

    @property
    def winner(self) -> Seat | None:
        """The seat that has won; None for a draw, or while the game goes on."""

    @property
    def is_between_turns(self) -> bool:
        """Whether a turn has just been completed, so that the next choice begins another."""

    @property
    def key(self) -> Any:
        """A value that is equal for states that need no second look, because they have the same future."""

    def choices(self) -> Sequence[Any]:
        """Return every choice here, the most promising first; empty if the game is over."""

    def after(self, choice: Any) -> Self:
        """Return the state after a choice from choices()."""

    def estimate(self, seat: Seat) -> float:
        """Return a guess of the outcome for the seat, between -1 and 1; 0 if the game offers none."""

    def turn_of(self, choices: Sequence[Any]) -> Any:
        """Return the complete turn that consists of these choices, made from here on."""


@runtime_checkable
class Searchable(Protocol):
    """A position that offers states of its own to the search."""

    def state(self) -> State:
        """Return this position as the search sees it."""


@dataclass(frozen=True, slots=True)
class Plain:
    """A position that offers no states of its own: each choice is a complete turn."""

    position: Position[Any]

    @property
    def turn(self) -> Seat | None:
        """The seat to move."""
        return self.position.turn

    @property
    def winner(self) -> Seat | None:
        """The seat that has won."""
        return self.position.outcome.winner if self.position.outcome else None

    @property
    def is_between_turns(self) -> bool:
        """True: each choice is a complete turn."""
        return True

    @property
    def key(self) -> Any:
        """The position itself."""
        return self.position

    def choices(self) -> Sequence[Any]:
        """Return every legal turn."""
        return tuple(self.position.moves())

    def after(self, choice: Any) -> Self:
        """Return the state after a turn."""
        return type(self)(self.position.play(choice))

    def estimate(self, seat: Seat) -> float:
        """Return 0: nothing is known but the rules."""
        return 0.0

    def turn_of(self, choices: Sequence[Any]) -> Any:
        """Return the turn, which is a single choice."""
        return choices[0]


def state_of(position: Position[Any]) -> State:
    """Return a position as the search sees it."""
    return position.state() if isinstance(position, Searchable) else Plain(position)


def value_of(state: State, seat: Seat) -> float:
    """Return what the end of a game is worth for a seat."""
    return 0.0 if state.winner is None else WON if state.winner == seat else -WON
