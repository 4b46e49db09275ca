"""The house's player: legal turns in every game, found again by the seed, within the budget."""

from random import Random

import pytest

from engines.search import CARELESS, LEVELS, choose, is_lenient, uct
from engines.search.state import MOST_TURNS, Plain
from engines.special import Special
from notation.games import GAMES
from tests.toys import Heap
from tests.variants import PLAIN_FIRST


@pytest.mark.parametrize(("game", "options"), PLAIN_FIRST)
def test_the_first_turns_are_legal_in_every_variant(game: str, options: dict[str, str]) -> None:
    position = GAMES[game].game.position(options)
    for seed in range(3):
        position = position.play(choose(position, 1, seed).turn)


@pytest.mark.parametrize("game", GAMES)
def test_the_same_seed_finds_the_same_turn(game: str) -> None:
    position = GAMES[game].game.position({})

    assert choose(position, 1, 7) == choose(position, 1, 7)


@pytest.mark.parametrize("game", GAMES)
def test_the_budget_of_nodes_is_kept(game: str) -> None:
    assert 0 < choose(GAMES[game].game.position({}), 1, 7, careful=True).nodes <= LEVELS[1].nodes


@pytest.mark.parametrize("level", [1, *(pytest.param(level, marks=pytest.mark.slow) for level in (2, 5))])
def test_some_turns_are_careless_but_none_that_is_to_be_careful_and_none_of_the_highest_level(level: int) -> None:
    position = GAMES["quadrupel"].game.position({"variant": "position"})
    seeds = range(1 if level == 5 else 20)
    careless = [choose(position, level, seed).nodes <= CARELESS for seed in seeds]
    careful = [choose(position, level, seed, careful=True).nodes > CARELESS for seed in seeds]

    assert all(careful)
    assert any(careless) == (LEVELS[level].lapses > 0)
    assert not all(careless)


def test_the_lowest_level_plays_any_turn_but_never_the_swap() -> None:
    position = GAMES["quadrupel"].game.position({})
    begun = position.play(next(position.moves()))
    found = [choose(begun, 0, seed) for seed in range(40)]

    assert Special.SWAP in begun.moves()
    assert Special.SWAP not in {each.turn for each, seed in zip(found, range(40), strict=True) if is_lenient(0, seed)}
    assert len({each.turn for each in found}) > 10


def test_the_highest_level_has_a_budget_and_answers_when_it_is_late() -> None:
    found = choose(GAMES["quadrature"].game.position({}), 6, 1, is_late=lambda: True)

    assert LEVELS[6].nodes == max(level.nodes for level in LEVELS)
    assert 0 < found.nodes < 1_000


def test_a_game_that_is_over_has_no_turn_to_choose() -> None:
    position = GAMES["quadraphages"].game.position({})
    while position.turn is not None:
        position = position.play(next(position.moves()))

    with pytest.raises(ValueError, match="over"):
        choose(position, 1, 0)


@pytest.mark.parametrize("game", ["quadraphages", "quadrupel"])
def test_a_game_that_offers_no_states_is_searched_by_its_rules(game: str) -> None:
    """As a new game is at first: the last turns of a match are found, by random play and by proof."""
    position, before = GAMES[game].game.position({}), None
    for seed in range(200):
        if position.turn is None:
            break
        before, position = position, position.play(choose(position, 1, seed, careful=True).turn)
    assert before is not None
    assert position.outcome is not None

    choices, value, is_exact, nodes = uct.search(Plain(before), 1_000, Random(1))
    turn = Plain(before).turn_of(choices)

    assert nodes <= 1_000
    assert is_exact
    winner = before.play(turn).outcome.winner
    assert value == (0 if winner is None else 1 if winner == before.turn else -1)


@pytest.mark.parametrize("game", ["quadraphages", "hexaphages"])
def test_after_a_part_of_a_turn_the_rest_is_found(game: str) -> None:
    position = GAMES[game].game.position({})
    for seed in range(2):
        position = position.play(choose(position, 1, seed).turn)
    begun = position.play(next(position.parts()))

    after = begun.play(choose(begun, 1, 0).turn)

    assert begun.turn == position.turn
    assert after.turn != begun.turn
    assert after.part is None


# Games that offer no states --------------------------------------------------------------------------


def test_a_win_among_two_thousand_turns_is_found() -> None:
    found = choose(Heap(1_990, 2_000), 3, 1, careful=True)

    assert (found.turn, found.value, found.is_solved) == (1_990, 1.0, True)


@pytest.mark.parametrize(("left", "level"), [(18, 2), pytest.param(29, 5, marks=pytest.mark.slow)])
def test_the_one_good_turn_of_ten_is_found(left: int, level: int) -> None:
    """Who leaves a multiple of 11 stones wins, whatever the other does."""
    assert choose(Heap(left, 10), level, 1, careful=True).turn == 7


def test_a_search_that_is_late_answers_with_what_it_has() -> None:
    late = iter([False] * 50)
    found = choose(Heap(3_000, 2_000), 5, 1, is_late=lambda: next(late, True))

    assert found.turn in range(1, 2_001)
    assert found.nodes < 50


def test_more_turns_than_a_search_can_hold_are_looked_at_in_part() -> None:
    found = choose(Heap(10**9, 10**8), 1, 1, careful=True)

    assert 1 <= found.turn <= MOST_TURNS
