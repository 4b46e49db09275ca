"""Knock-out: who loses is out; a drawn match is played again, and a second draw is the higher seed's."""

from random import Random

import pytest

from pbem.features.tournaments import pairing
from pbem.features.tournaments.matchups import Field, Format, Score
from pbem.features.tournaments.standings import crosstable
from tests.tournaments.playing import ANY, DECISIVE, ended, new, played, without


def begun(number: int) -> Field:
    field = new(Format.KNOCK_OUT, number)
    return field.with_pairs(pairing.following(field))


@pytest.mark.parametrize("number", [3, 4, 5, 7, 8, 13, 16])
@pytest.mark.parametrize("seed", range(3))
def test_who_loses_is_out_and_one_is_left(number: int, seed: int) -> None:
    field = played(new(Format.KNOCK_OUT, number), Random(seed), DECISIVE)
    losers = [pair.opponent_of(pair.first if pair.result is Score.FIRST else pair.second or 0) for pair in field.pairs]
    lost = [player for player in losers if player is not None]

    assert len(lost) == len({*lost}) == number - 1
    for player in lost:
        assert player in field.of_player(player)[-1].players
        assert field.of_player(player)[-1].points_of(player) == 0
    (winner,) = {entrant.player for entrant in field.entrants} - {*lost}
    first, second, *_ = crosstable(field).rows
    assert (first.place, first.entrant.player) == (1, winner)
    assert second.place == 2
    assert second.entrant.player in field.pairs[-1].players


def test_the_highest_seeds_have_the_byes_and_meet_last() -> None:
    field = begun(6)

    assert [pair.first for pair in field.pairs if pair.is_bye] == [101, 102]
    assert [pair.players for pair in field.pairs if not pair.is_bye] == [(105, 104), (106, 103)]


def test_a_draw_is_played_again_the_other_way_round_and_then_the_higher_seed_goes_on() -> None:
    field = begun(4)
    one, other = field.pairs
    field = ended(field, {one: Score.DRAW})

    (again,) = pairing.following(field)

    assert (again.first, again.second, again.round, again.game) == (one.second, one.first, 1, 2)
    field = ended(field.with_pairs([again]), {again: Score.DRAW, other: Score.FIRST})
    (final,) = pairing.following(field)
    assert {*final.players} == {101, other.first}


def test_who_has_moved_first_less_often_moves_first_and_otherwise_the_lower_seed() -> None:
    field = begun(8)  # 108 - 101, 105 - 104, 107 - 102, 106 - 103
    results = (Score.SECOND, Score.FIRST, Score.SECOND, Score.SECOND)
    field = ended(field, dict(zip(field.pairs, results, strict=True)))

    assert [pair.players for pair in pairing.following(field)] == [(101, 105), (103, 102)]


def test_who_withdraws_after_a_draw_is_out() -> None:
    field = begun(4)
    one, other = field.pairs
    field = without(ended(field, {one: Score.DRAW, other: Score.FIRST}), 101)

    (final,) = pairing.following(field)

    assert {*final.players} == {104, other.first}


@pytest.mark.parametrize("seed", range(20))
def test_it_ends_whoever_withdraws(seed: int) -> None:
    chance = Random(seed)
    field = played(new(Format.KNOCK_OUT, chance.randint(3, 17)), chance, (*ANY, Score.NEITHER), leaving=0.3)

    assert crosstable(field).rows[0].place == 1
    assert field.last_round == field.rounds
