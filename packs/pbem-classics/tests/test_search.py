"""The house plays some games with OpenSpiel's search, which knows no swap."""

import pytest

from engines.search import choose
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

    assert position.search(0, seed=2**40) is not None, "the seed of a match grows with its number"
    found = choose(position, 3, seed=1, careful=True)
    assert found.turn == "d4"
    assert found.is_solved is (position.turn == 0)


@pytest.mark.parametrize(("key", "turns"), [("ygame", ""), ("ygame", "d6"), ("othello", "")])
def test_the_swap_and_other_games_are_left_to_our_search(key: str, turns: str) -> None:
    assert after(key, turns).search(800, seed=1) is None
