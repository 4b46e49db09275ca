"""Proofs: whether a seat can force a win, or neither side more than a draw, for certain, and the turns that show it.

A search that only has to play well may take two positions for the same though the rules tell them apart by what has
happened before. A proof may not: a position offers states for it that are as exact as its rules, or it is searched by
its rules alone.
"""

from dataclasses import dataclass
from random import Random
from typing import Any, Protocol, runtime_checkable

from engines.core import IllegalMove, Position, Seat
from engines.search import uct
from engines.search.alphabeta import DECIDED, AlphaBeta
from engines.search.state import Plain, State

LONGEST = 60
"""The most turns of a line."""


@runtime_checkable
class Provable(Protocol):
    """A position that offers states of its own to a proof."""

    def proving(self, seat: Seat | None) -> State | None:
        """Return the state in which what that seat is shown to win is won by the rules; None if there is no such state.

        For None, it is the state in which what is shown to be a draw is one.
        """


@dataclass(frozen=True, slots=True)
class Proof:
    """The turns with which a proven position goes on: the best of both sides, as far as they were found."""

    line: tuple[Any, ...]
    is_whole: bool
    """Whether the line goes on to the end of the game."""


def prove(position: Position[Any], seat: Seat | None, nodes: int, seed: int) -> Proof | None:
    """Return the proof that the seat wins, or for None, that the game is drawn; None where so many nodes show none.

    As many nodes again may be spent on the line. The game must not be over.
    """
    chance, line, left = Random(seed), list[Any](), nodes
    turn, _ = _solution(position, seat, nodes, chance)
    while turn is not None:
        position, played = _after(position, turn)
        line.append(played)
        if position.turn is None or len(line) == LONGEST:
            break
        turn, used = _solution(position, seat, left, chance)
        left -= used
    return Proof(tuple(line), position.turn is None) if line else None


def _solution(position: Position[Any], seat: Seat | None, nodes: int, chance: Random) -> tuple[Any | None, int]:
    """Return the best turn if the position is proven to be what is claimed, or else None; and the nodes used."""
    state = position.proving(seat) if isinstance(position, Provable) else Plain(position)
    if state is None or nodes < 1:
        return None, 0
    if isinstance(state, Plain):
        choices, value, is_solved, used = uct.search(state, nodes, chance)
    else:
        search = AlphaBeta(nodes, chance)
        choices, value, is_solved = search.line(state)
        used = search.nodes
    shown = value == 0 if seat is None else (value if position.turn == seat else -value) > DECIDED
    return (state.turn_of(choices) if is_solved and shown else None), used


def _after(position: Position[Any], turn: Any) -> tuple[Position[Any], Any]:
    """Return the position after the turn, and the turn.

    A state may grant the side that loses more than the rules do; any legal turn of theirs does as well.
    """
    try:
        return position.play(turn), turn
    except IllegalMove:
        legal = next(iter(position.moves()))
        return position.play(legal), legal
