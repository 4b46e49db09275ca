"""League: a round robin in each group, and what follows for the groups of the next season."""

from itertools import combinations
from random import Random

import pytest

from pbem.features.tournaments import league, rounds, standings
from pbem.features.tournaments.field import Entrant, Field, Format, Score
from tests.tournaments.playing import ANY, ended, played


def new(number: int, size: int, at_once: int = 99) -> Field:
    """Return the field of a season that begins; the players have the numbers from 101 on."""
    entrants = tuple(Entrant(100 + seed, seed) for seed in range(1, number + 1))
    return Field(Format.LEAGUE, entrants, league.rounds(number, size), at_once, group_size=size)


@pytest.mark.parametrize("size", range(5, 11))
def test_groups_are_as_equal_and_as_few_as_possible(size: int) -> None:
    for number in range(3, 65):
        sizes = league.sizes(number, size)

        assert sum(sizes) == number
        assert max(sizes) - min(sizes) <= 1
        assert min(sizes) >= 3
        assert max(sizes) <= size
        assert list(sizes) == sorted(sizes, reverse=True)
        assert (len(sizes) - 1) * size < number


@pytest.mark.parametrize("number", [3, 6, 7, 13, 20])
@pytest.mark.parametrize("at_once", [1, 2, 99])
def test_everybody_meets_everybody_of_their_group_once_and_nobody_else(number: int, at_once: int) -> None:
    field = played(new(number, 6, at_once), Random(number), leaving=0.02)
    met = [frozenset(pair.players) for pair in field.pairs]

    groups = league.groups(field)
    wanted = [{*pair} for group in groups for pair in combinations((each.player for each in group.entrants), 2)]
    assert sorted(map(sorted, met)) == sorted(map(sorted, wanted))
    assert [each.player for group in groups for each in group.entrants] == [each.player for each in field.entrants]
    places = [(pair.round, pair.game, pair.board) for pair in field.pairs]
    assert len(places) == len({*places}), "no two pairings of a round have the same board"


def test_no_group_waits_for_another() -> None:
    field = new(10, 5, at_once=1)
    field = field.with_pairs(rounds.following(field).pairs)
    upper, _ = league.groups(field)

    step = rounds.following(ended(field, dict.fromkeys(upper.pairs, Score.DRAW)))

    assert {pair.round for pair in step.pairs} == {2}
    assert {player for pair in step.pairs for player in pair.players} < {each.player for each in upper.entrants}
    assert not step.is_over


@pytest.mark.parametrize("seed", range(10))
def test_the_best_go_up_and_the_last_go_down(seed: int) -> None:
    chance = Random(seed)
    number, size, promoted = chance.randint(8, 40), chance.randint(5, 8), chance.randint(1, 3)
    field = played(new(number, size), chance, ANY)
    ranked = standings.ranked(field)
    order = league.next_order(ranked, promoted)
    sizes = list(map(len, ranked))
    after = [order[sum(sizes[:at]) : sum(sizes[: at + 1])] for at in range(len(sizes))]

    assert sorted(order) == sorted(each.player for each in field.entrants)
    for upper, lower, new_upper, new_lower in zip(ranked, ranked[1:], after, after[1:], strict=False):
        moving = min(promoted, len(upper) // 2, len(lower) // 2)
        assert {*new_upper} & {*lower} == {*lower[:moving]}
        assert {*new_lower} & {*upper} == {*upper[len(upper) - moving :]}
    assert order[0] == ranked[0][0]
