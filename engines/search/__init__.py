"""The house's player: searches for a good turn in any game, by the engines' protocol alone.

`choose(position, level, seed)` returns the turn it finds, and `examine(position, nodes, seed)` what it thinks of a
position, as well as so many nodes show it. It needs no game's rules, no time and no mail. Its budget
counts nodes, not seconds, and all chance comes from the seed, so the same call returns the same turn on every
machine.
"""

from dataclasses import dataclass
from random import Random
from typing import Any

from engines.core import Position
from engines.search import uct
from engines.search.alphabeta import AlphaBeta
from engines.search.state import Plain, state_of

__all__ = ["LEVELS", "Found", "Level", "choose", "examine"]


@dataclass(frozen=True, slots=True)
class Level:
    """A strength of the house: its number, how many nodes a turn may cost, and how wrong it may take a position.

    A node is a choice played out. The noise is a part of the distance between a lost position and a won one; a little
    is good at every level, since the house then doesn't play the same match again, nor in circles.
    """

    number: int
    nodes: int
    noise: float


@dataclass(frozen=True, slots=True)
class Found:
    """A complete turn, and its value for the seat to move: -1 (lost) to 1 (won).

    `is_solved` says that the value is exact: the search has seen every end that matters.
    """

    turn: Any
    value: float
    is_solved: bool
    nodes: int


LEVELS: tuple[Level, ...] = (
    Level(1, 40, 0.15),
    Level(2, 240, 0.08),
    Level(3, 1_200, 0.04),
    Level(4, 6_000, 0.03),
    Level(5, 30_000, 0.02),
)
"""The levels 1 to 5."""


def choose(position: Position[Any], level: int, seed: int) -> Found:
    """Return a turn for the seat to move. The game must not be over.

    After a part of a turn, the turn returned is what completes it.
    """
    return _found(position, LEVELS[level - 1].nodes, LEVELS[level - 1].noise, seed)


def examine(position: Position[Any], nodes: int, seed: int) -> Found:
    """Return the turn and the value that so many nodes find, taking no estimate wrong. The game must not be over."""
    return _found(position, nodes, 0.0, seed)


def _found(position: Position[Any], budget: int, noise: float, seed: int) -> Found:
    state, chance = state_of(position), Random(seed)
    if state.turn is None:
        raise ValueError("the game is over; there is no turn to choose")
    if not isinstance(state, Plain):
        search = AlphaBeta(budget, chance, noise)
        line = search.line(state)
        return Found(state.turn_of(line.choices), line.value, line.is_exact, search.nodes)
    choices, value, is_solved, nodes = uct.search(state, budget, chance)
    return Found(state.turn_of(choices), value, is_solved, nodes)
