"""Round robin: everybody meets everybody once, and moves first about as often as others."""

from itertools import combinations
from random import Random

import pytest

from pbem.features.tournaments import pairing
from pbem.features.tournaments.matchups import Format, Score
from pbem.features.tournaments.pairing import berger
from tests.tournaments.playing import ended, new, played, without

SIZES = range(3, 11)


@pytest.mark.parametrize("number", SIZES)
@pytest.mark.parametrize("at_once", [1, 2, 99])
def test_everybody_meets_everybody_once(number: int, at_once: int) -> None:
    field = played(new(Format.ROUND_ROBIN, number, at_once=at_once), Random(number))
    met = [frozenset(pair.players) for pair in field.pairs]

    everybody = [entrant.player for entrant in field.entrants]
    assert sorted(map(sorted, met)) == sorted(map(list, combinations(everybody, 2)))
    for round_ in range(1, field.rounds + 1):
        busy = [player for pair in field.of_round(round_) for player in pair.players]
        assert len(busy) == len({*busy}) == number - number % 2


def test_the_tables_are_those_of_the_handbook() -> None:
    assert berger(6) == (
        ((1, 6), (2, 5), (3, 4)),
        ((6, 4), (5, 3), (1, 2)),
        ((2, 6), (3, 1), (4, 5)),
        ((6, 5), (1, 4), (2, 3)),
        ((3, 6), (4, 2), (5, 1)),
    )


def test_a_round_begins_when_the_one_before_is_over() -> None:
    field = new(Format.ROUND_ROBIN, 4)
    field = field.with_pairs(pairing.following(field))
    first, second = field.pairs

    assert pairing.following(ended(field, {first: Score.DRAW})) == ()
    assert len(pairing.following(ended(field, {first: Score.DRAW, second: Score.FIRST}))) == 2


def test_who_withdraws_loses_what_has_not_begun() -> None:
    field = new(Format.ROUND_ROBIN, 4)
    field = field.with_pairs(pairing.following(field))
    field = without(ended(field, dict.fromkeys(field.pairs, Score.FIRST)), 101)

    over = played(field, Random(1))

    forfeits = [pair for pair in over.of_player(101) if not pair.is_played]
    assert len(forfeits) == 2
    assert all(pair.points_of(101) == 0 for pair in forfeits)
    assert all(pair.points_of(pair.opponent_of(101) or 0) == 1 for pair in forfeits)
