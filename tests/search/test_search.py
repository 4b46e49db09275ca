"""The house's player: legal turns in every game, found again by the seed, within the budget."""

from itertools import pairwise, product
from random import Random

import pytest

from engines.search import CARELESS, LEVELS, choose, uct
from engines.search.state import Plain
from notation.games import GAMES


def options_of(game: str) -> list[dict[str, str]]:
    """Return every combination of the options of a game; a range of numbers stays at its default."""
    options = GAMES[game].game.options
    return [
        {option.name: choice for option, choice in zip(options, choices, strict=True)}
        for choices in product(*(o.choices if "..." not in o.spelled else o.choices[:1] for o in options))
    ]


VARIANTS = [(game, options) for game in GAMES for options in options_of(game)]


@pytest.mark.sampled(8)
@pytest.mark.parametrize(("game", "options"), VARIANTS)
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
    assert 0 < choose(GAMES[game].game.position({}), 1, 7, careful=True).nodes <= LEVELS[0].nodes


def test_levels_are_numbered_and_grow() -> None:
    assert [level.number for level in LEVELS] == [1, 2, 3, 4, 5]
    assert all(low.nodes < high.nodes for low, high in pairwise(LEVELS))
    assert all(low.lapses > high.lapses for low, high in pairwise(LEVELS))


@pytest.mark.parametrize("level", [1, 2, 5])
def test_some_turns_are_careless_but_none_that_is_to_be_careful_and_none_of_the_highest_level(level: int) -> None:
    position, seeds = GAMES["quadrupel"].game.position({}), range(1 if level == 5 else 60)
    careless = [choose(position, level, seed).nodes <= CARELESS for seed in seeds]
    careful = [choose(position, level, seed, careful=True).nodes > CARELESS for seed in seeds]

    assert all(careful)
    assert any(careless) == (LEVELS[level - 1].lapses > 0)
    assert not all(careless)


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

    (turn,), value, is_exact, nodes = uct.search(Plain(before), 1_000, Random(1))

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
