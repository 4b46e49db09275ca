"""Plain Quadrupel is won by force, by the stored proof and the rules of the game, even that against going to and fro.

The proof doesn't know how often stones have gone back and forth. The walk does, for the side that wins. The other side
is never short of turns, so that this rule can't leave it without any, which would be a draw.
"""

import random

import pytest

from engines.quadrupel import QuadrupelPosition
from engines.quadrupel.proof import OPEN, WINNING
from engines.search import choose
from engines.special import Special
from tests.cases import quick_where
from tests.engines.quadrupel import after

MOST = 17
"""How many turns both sides play at most."""


def attacked(position: QuadrupelPosition) -> QuadrupelPosition:
    """Return the position after the proven turn."""
    turns, is_won = position.known_turns()
    assert is_won
    (turn,) = turns
    return position.play(turn)


def test_no_reply_of_a_random_player_saves_them() -> None:
    for seed in range(12):
        chance, position, plies = random.Random(seed), after(WINNING[seed % 3], swap="off"), 1
        while position.turn is not None:
            position = position.play(chance.choice(list(position.moves())))
            position, plies = attacked(position), plies + 2
        assert position.outcome is not None
        assert position.outcome.winner == 0
        assert plies <= MOST


@pytest.mark.slow
@pytest.mark.parametrize("first", WINNING)
def test_no_reply_at_all_saves_them(first: str) -> None:
    waiting, seen = [after(first, swap="off")], set()
    while waiting:
        position = waiting.pop()
        replies = list(position.moves())
        assert len(replies) > 1
        for reply in replies:
            then = position.play(reply)
            known = (then.stones, then.repeats[0])
            if known in seen:
                continue
            seen.add(known)
            won = attacked(then)
            if won.turn is None:
                assert won.outcome is not None
                assert won.outcome.winner == 0
            else:
                waiting.append(won)


@pytest.mark.parametrize("level", quick_where((4).__eq__, [4, 5]))
def test_the_house_takes_the_stones_that_win_and_wins_with_them(level: int) -> None:
    position, chance, plies = after("d2e2"), random.Random(level), 1
    while position.turn is not None:
        found = choose(position, level, 0, careful=True)
        assert found.value == 1 or position.turn == 0
        assert plies > 1 or found.turn is Special.SWAP
        position = position.play(found.turn if position.turn == 1 else chance.choice(list(position.moves())))
        plies += 1

    assert position.outcome is not None
    assert position.outcome.winner == 1


def test_the_house_begins_with_a_turn_that_fits_the_swap() -> None:
    fair = {str(choose(after(), 5, seed).turn) for seed in range(20)}
    sharp = {str(choose(after(swap="off"), 5, seed).turn) for seed in range(20)}

    assert fair <= set(OPEN)
    assert sharp == set(WINNING)


def test_nothing_is_known_of_other_variants() -> None:
    assert after("d2b2", "c2c1", variant="added-value").known_turns() == ((), False)
