"""The house plays some games with OpenSpiel's search, which knows no swap."""

import pytest

from engines.search import choose
from pbem import gamekit as kit
from pbem_classics.spiel import SpielPosition
from second_sources import GAMES


def after(key: str, turns: str) -> SpielPosition:
    position = GAMES[key].game.position({})
    for turn in turns.split():
        position = position.play(turn)
    assert isinstance(position, SpielPosition)
    return position


@pytest.mark.parametrize("turns", ["d1 a1 d2 a2 d3 a3", "d1 a1 d2 a2 d3"])
def test_it_wins_at_once_and_prevents_that(turns: str) -> None:
    position = after("connectfour", turns)

    assert position.search(0, seed=1) is not None
    found = choose(position, 3, seed=1, careful=True)
    assert found.turn == "d4"
    assert found.is_solved is (position.turn == 0)


def test_a_good_first_stone_is_taken_over_and_a_bad_one_left() -> None:
    assert choose(after("ygame", "d6"), 3, seed=1, careful=True).turn is kit.Special.SWAP
    assert choose(after("ygame", "a1"), 3, seed=1, careful=True).turn is not kit.Special.SWAP


def test_the_first_stone_of_a_match_with_the_swap_is_left_to_our_search() -> None:
    assert after("ygame", "").search(800, seed=1) is None
    assert after("othello", "").search(800, seed=1) is None
