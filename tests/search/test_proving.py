"""Proofs: what is proven is so by the rules, as brute force finds it; and what the rules spoil isn't proven."""

from functools import cache
from typing import Any

import pytest

from engines.core import Position, Seat
from engines.kvadratik import KvadratikPosition
from engines.search import choose, prove
from engines.seats import SEATS
from notation.games import GAMES
from tests.variants import VARIANTS

pytestmark = pytest.mark.slow

NODES = 10_000
MOST_TURNS = 4_000
"""How many turns brute force tries in a position."""
MATCHES = 2
AIMS: tuple[Seat | None, ...] = (0, 1, None)


@cache
def endgames(game: str, options: tuple[tuple[str, str], ...], seed: int) -> tuple[Position[Any], ...]:
    """Return the last positions of a match of the house against itself, the last one first."""
    position = GAMES[game].game.position(dict(options))
    positions = [position]
    for ply in range(160):
        if position.turn is None:
            break
        position = position.play(choose(position, 2, seed * 1_000 + ply).turn)
        positions.append(position)
    return tuple(reversed(positions[:-1]))[:6]


class TooMuch(Exception):
    """Brute force gives up."""


def is_won(position: Position[Any], seat: Seat, plies: int, left: list[int]) -> bool:
    """Return whether the seat wins within that many turns, whatever the other one plays, by the rules alone."""
    if position.turn is None:
        return position.outcome is not None and position.outcome.winner == seat
    if plies == 0:
        return False
    each = []
    for turn in position.moves():
        left[0] -= 1
        if left[0] < 0:
            raise TooMuch
        each.append(position.play(turn))
    own = position.turn == seat
    each.sort(key=lambda after: after.turn is not None)
    return (any if own else all)(is_won(after, seat, plies - 1, left) for after in each)


@pytest.mark.parametrize(("game", "options"), VARIANTS)
def test_what_brute_force_finds_won_is_proven_and_never_for_the_other_seat(game: str, options: dict[str, str]) -> None:
    for position in (each for seed in range(MATCHES) for each in endgames(game, tuple(options.items()), seed)[:3]):
        proven = {aim for aim in AIMS if prove(position, aim, NODES, 1) is not None}
        assert len(proven) <= 1
        for seat in SEATS:
            try:
                won = is_won(position, seat, 2, [MOST_TURNS])
            except TooMuch:
                continue
            assert not won or proven <= {seat}
            if won and not (isinstance(position, KvadratikPosition) and position.setting_up):
                assert proven == {seat}


@pytest.mark.parametrize(("game", "options"), VARIANTS)
def test_the_line_of_a_proof_is_legal_and_ends_as_was_claimed(game: str, options: dict[str, str]) -> None:
    for position in (each for seed in range(MATCHES) for each in endgames(game, tuple(options.items()), seed)):
        for aim in AIMS:
            proof = prove(position, aim, NODES, 1)
            if proof is None:
                continue
            here = position
            for turn in proof.line:
                here = here.play(turn)
            assert (here.turn is None) == proof.is_whole
            assert here.outcome is None or here.outcome.winner == aim
