"""What the search sees of a game: states, the choices in them, and where they lead.

A turn may take several choices (stone by stone, say), so that thousands of turns become a few dozen choices at each
of a few nodes. A position that implements `Searchable` offers its own states: faster, with the best choices first,
or with an estimate. Any other position is searched as it is, by its complete turns.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Protocol, Self, runtime_checkable

from engines.core import Position, Seat

WON = 1.0
"""The value of a won position for its winner; a lost one has -WON, a drawn one 0."""

MOST_TURNS = 5_000
"""How many turns of a position are looked at, in the order in which the rules list them."""


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


@runtime_checkable
class Known(Protocol):
    """A position of which a proof is stored."""

    def known_turns(self) -> tuple[Sequence[Any], bool]:
        """Return the turns that are known to be best, empty if none is known, and whether each wins by force."""


@runtime_checkable
class SearchesItself(Protocol):
    """A position of a game that brings a search of its own."""

    def search(self, nodes: int, seed: int) -> tuple[Any, float, bool, int] | None:
        """Return a turn, its value for the seat to move, whether that is exact, and the nodes used; None: search it."""


@dataclass(frozen=True, slots=True)
class Plain:
    """A position that offers no states of its own: each choice is a complete turn, or a part of one if `by_parts`."""

    position: Position[Any]
    by_parts: bool = False

    def in_parts(self) -> Self:
        """Return the state with turns in parts, if they come to the same turns: that is less to list at once."""
        turns, parts = self.choices(), tuple(self.position.parts())
        if not parts or self.position.part is not None:
            return self
        rests = [tuple(islice(self.position.play(part).moves(), MOST_TURNS)) for part in parts[:MOST_TURNS]]
        is_whole = len(turns) in (sum(map(len, rests)), MOST_TURNS)
        return replace(self, by_parts=is_whole and self._whole((parts[0], *rests[0][:1])) is not None)

    @property
    def turn(self) -> Seat | None:
        return self.position.turn

    @property
    def winner(self) -> Seat | None:
        return self.position.outcome.winner if self.position.outcome else None

    @property
    def is_between_turns(self) -> bool:
        return self.position.part is None

    @property
    def key(self) -> Any:
        return self.position

    def choices(self) -> Sequence[Any]:
        begun = tuple(islice(self.position.parts(), MOST_TURNS)) if self.by_parts and self.position.part is None else ()
        return begun or tuple(islice(self.position.moves(), MOST_TURNS))

    def after(self, choice: Any) -> Self:
        return type(self)(self.position.play(choice), self.by_parts)

    def estimate(self, seat: Seat) -> float:
        return 0.0

    def turn_of(self, choices: Sequence[Any]) -> Any:
        return choices[0] if len(choices) == 1 else self._whole(choices)

    def _whole(self, choices: Sequence[Any]) -> Any:
        """Return the complete turn that comes to the same as its parts; None if there is none."""
        after = self.position
        for choice in choices:
            after = after.play(choice)
        return next((turn for turn in self.position.moves() if self.position.play(turn) == after), None)


def state_of(position: Position[Any]) -> State:
    return position.state() if isinstance(position, Searchable) else Plain(position)


def value_of(state: State, seat: Seat) -> float:
    return 0.0 if state.winner is None else WON if state.winner == seat else -WON


def outlook(state: State, seat: Seat) -> float:
    """Return the value of a state where the game is over, and the estimate of any other."""
    return value_of(state, seat) if state.turn is None else state.estimate(seat)
