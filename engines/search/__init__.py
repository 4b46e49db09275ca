"""The house's player: searches for a good turn in any game, by the engines' protocol alone.

`choose(position, level, seed)` returns the turn it finds, and `examine(position, nodes, seed)` what it thinks of a
position, as well as so many nodes show it. It needs no game's rules, no
time and no mail. Its budget counts nodes, not seconds, and all chance comes from the seed, so the same call returns the
same turn on every machine.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from engines.core import Game, Position
from engines.search import uct
from engines.search.alphabeta import AlphaBeta
from engines.search.state import WON, Known, Plain, Searchable, SearchesItself, outlook, state_of
from engines.special import Special

__all__ = ["CARELESS", "LEVELS", "Found", "Level"]
__all__ += ["at_random", "choose", "examine", "is_lenient", "is_weak_at", "seed_of"]


@dataclass(frozen=True, slots=True)
class Level:
    """A strength of the house: its number, how many nodes a turn may cost, and how wrong it may take a position.

    A node is a choice played out. The noise is a part of the distance between a lost position and a won one; a little
    is good at every level, since the house then doesn't play the same match again, nor in circles. Of the turns, so
    many as `lapses` says are careless: CARELESS nodes must do. Without lapses, a side that has a winning plan from the
    start, as Black has in Quadrupel, wins against any level once it sees that far, and nobody could beat it.
    """

    number: int
    nodes: int
    noise: float
    lapses: float
    lenient: float = 0.0
    """Of the turns, how many are the worse of two that were taken at random."""
    knows_proofs: bool = False
    """Whether it plays what a game has stored of a proof."""


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
    Level(0, 4, 0.3, 0.0, lenient=0.95),
    Level(1, 40, 0.2, 0.75),
    Level(2, 200, 0.1, 0.5),
    Level(3, 800, 0.04, 0.35),
    Level(4, 3_000, 0.02, 0.15, knows_proofs=True),
    Level(5, 12_000, 0.01, 0.0, knows_proofs=True),
    Level(6, 5_000_000, 0.005, 0.0, knows_proofs=True),
)
"""The levels by their numbers, from 0. Level 6 takes about a minute of one core."""
CARELESS = 8
"""The nodes of a careless turn: a few turns by chance, each looked at for itself."""


def is_weak_at(game: Game) -> bool:
    """Return whether nothing but the rules of a game is known to the search, which then plays on at random to its end.

    The search is weak at such a game, the more so the longer it lasts and the more turns there are.
    """
    return not isinstance(game.position({}), Searchable)


def choose(
    position: Position[Any],
    level: int,
    seed: int,
    *,
    careful: bool = False,
    is_late: Callable[[], bool] = lambda: False,
) -> Found:
    """Return a turn for the seat to move, without lapses if it is to be careful. The game must not be over.

    After a part of a turn, the turn returned is what completes it. When `is_late` says so, a search ends with what it
    has found: by then the seed alone doesn't decide any more.
    """
    chosen = LEVELS[level]
    if not careful and is_lenient(level, seed):
        return worse_of_two(position, seed)
    lapses = not careful and Random(f"lapse {seed}").random() < chosen.lapses
    if chosen.knows_proofs and not lapses and (known := _known(position, seed)) is not None:
        return known
    return _found(position, CARELESS if lapses else chosen.nodes, chosen.noise, seed, is_late)


def is_lenient(level: int, seed: int) -> bool:
    """Return whether a level takes the worse of two turns with that seed."""
    return Random(f"random {seed}").random() < LEVELS[level].lenient


def seed_of(match: int, ply: int) -> int:
    """Return the seed for a turn of a match, so that whoever searches again finds the same.

    >>> seed_of(42, 7) == seed_of(42, 7), seed_of(42, 7) == seed_of(42, 8)
    (True, False)
    """
    return (match << 16) + ply


def at_random(position: Position[Any], seed: int) -> Found:
    """Return any turn but a word such as swap, unless there is no other."""
    chance, state = Random(seed), state_of(position)
    if state.turn is None:
        raise ValueError("the game is over; there is no turn to choose")
    choices: list[Any] = []
    after = state
    while after.turn is not None and (not choices or not after.is_between_turns):
        every = after.choices()
        moves = [choice for choice in every if not isinstance(choice, Special)]
        choices.append(chance.choice(moves or every))
        after = after.after(choices[-1])
    return Found(state.turn_of(choices), 0.0, False, len(choices))


def worse_of_two(position: Position[Any], seed: int) -> Found:
    """Return of two turns taken at random the one after which the position looks worse for whoever played it."""
    chance, seat = Random(seed), position.turn or 0
    two = [at_random(position, chance.getrandbits(32)) for _ in range(2)]
    return min(two, key=lambda found: outlook(state_of(position.play(found.turn)), seat))


def examine(position: Position[Any], nodes: int, seed: int, is_late: Callable[[], bool] = lambda: False) -> Found:
    """Return the turn and the value that so many nodes find, taking no estimate wrong. The game must not be over."""
    return _known(position, seed) or _found(position, nodes, 0.0, seed, is_late)


def _known(position: Position[Any], seed: int) -> Found | None:
    turns, is_won = position.known_turns() if isinstance(position, Known) else ((), False)
    return Found(Random(seed).choice(turns), WON if is_won else 0.0, is_won, 0) if turns else None


def _found(position: Position[Any], budget: int, noise: float, seed: int, is_late: Callable[[], bool]) -> Found:
    state, chance = state_of(position), Random(seed)
    if state.turn is None:
        raise ValueError("the game is over; there is no turn to choose")
    if isinstance(position, SearchesItself) and (found := position.search(budget, seed)) is not None:
        return Found(*found)
    if not isinstance(state, Plain):
        search = AlphaBeta(budget, chance, noise, is_late)
        line = search.line(state)
        return Found(state.turn_of(line.choices), line.value, line.is_exact, search.nodes)
    choices, value, is_solved, nodes = uct.search(state, budget, chance, is_late)
    return Found(state.turn_of(choices), value, is_solved, nodes)
