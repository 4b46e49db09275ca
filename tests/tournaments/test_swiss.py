"""Swiss: nobody meets anybody twice or has two byes, and the pairings are those of another implementation."""

from dataclasses import replace
from datetime import date
from pathlib import Path
from random import Random

import pytest

from pbem.tournaments import formats, trf
from pbem.tournaments.field import Field, Kind, Result
from pbem.tournaments.formats import swiss
from tests.tournaments.playing import ended, new, played, without


def check(field: Field) -> None:
    """Check what must hold for any Swiss."""
    met = [frozenset(pair.players) for pair in field.pairs if not pair.is_bye]
    byes = [pair.first for pair in field.pairs if pair.is_bye]
    assert len(met) == len({*met}), "nobody meets anybody twice"
    assert len(byes) == len({*byes}), "nobody has two byes"
    for number in range(1, field.last_round + 1):
        busy = [player for pair in field.of_round(number) for player in pair.players]
        assert len(busy) == len({*busy})


@pytest.mark.sampled(3)
@pytest.mark.parametrize("number", [3, 4, 5, 6, 7, 8, 9, 12, 15, 20])
def test_nobody_meets_anybody_twice(number: int) -> None:
    field = played(new(Kind.SWISS, number, rounds=9), Random(number))

    check(field)
    assert field.last_round == field.rounds
    firsts = [
        2 * field.firsts(each.player) - sum(pair.is_played for pair in field.of_player(each.player))
        for each in field.entrants
    ]
    assert max(map(abs, firsts)) <= 2, "who moves first is balanced"


@pytest.mark.sampled(1)
@pytest.mark.parametrize("seed", range(5))
def test_it_goes_on_without_those_who_withdraw(seed: int) -> None:
    chance = Random(seed)
    field = played(new(Kind.SWISS, chance.randint(6, 13)), chance, leaving=0.3)

    check(field)


def test_players_with_the_same_points_meet() -> None:
    field = new(Kind.SWISS, 8)
    field = field.with_pairs(formats.following(field).pairs)
    assert [pair.players for pair in field.pairs] == [(101, 105), (106, 102), (103, 107), (108, 104)]
    field = ended(field, dict.fromkeys(field.pairs, Result.FIRST))

    second = formats.following(field).pairs

    assert {field.points(pair.first) - field.points(pair.second or 0) for pair in second} == {0.0}


def test_an_illegal_round_is_never_played() -> None:
    field = new(Kind.SWISS, 4)
    field = field.with_pairs(formats.following(field).pairs)
    playing = field.entrants

    assert swiss.is_legal(field, playing, [(101, 102), (103, 104)])
    assert not swiss.is_legal(field, playing, [field.pairs[0].players, field.pairs[1].players])
    assert not swiss.is_legal(field, playing, [(101, 102)])
    assert not swiss.is_legal(field, playing, [(101, 102), (103, None), (104, None)])


def test_it_ends_early_when_nobody_is_left_to_meet() -> None:
    field = new(Kind.SWISS, 4, rounds=3)
    field = replace(field, rounds=3)
    field = field.with_pairs(formats.following(field).pairs)
    (one, other) = field.pairs
    field = ended(field, {one: Result.FIRST, other: Result.FIRST})
    for player in other.players:
        field = without(field, player)

    assert formats.following(field) == replace(formats.following(field), pairs=(), is_over=True)


@pytest.mark.slow
@pytest.mark.parametrize("number", [8, 9, 20])
def test_another_implementation_of_the_dutch_system_pairs_the_same(number: int, tmp_path: Path) -> None:
    """The rounds as a report file, read and paired by py4swiss, which is tested against bbpPairings."""
    dutch = pytest.importorskip("py4swiss.engines.dutch.engine")
    parser = pytest.importorskip("py4swiss.trf.trf_parser")
    chance = Random(number)
    field = new(Kind.SWISS, number, rounds=5)
    names = {each.player: f"p{each.player}" for each in field.entrants}
    while True:
        step = formats.following(field)
        if step.is_over:
            break
        file = tmp_path / "rounds.trf"
        heading = trf.Heading("Cup", "pbem", date(2026, 3, 2), None, "3d/move")
        told = trf.written(field, heading, names, {})
        file.write_text(told + "XXC white1\n", encoding="utf-8")
        seeds = {each.seed: each.player for each in field.entrants}
        paired = dutch.Engine.generate_pairings(parser.TrfParser.parse(file))
        expected = {(seeds[each.white], seeds.get(each.black)) for each in paired}
        assert {(pair.first, pair.second) for pair in step.pairs} == expected, field.last_round + 1
        field = field.with_pairs(step.pairs)
        running = [pair for pair in field.pairs if pair.result is None]
        field = ended(field, {pair: chance.choice((Result.FIRST, Result.SECOND, Result.DRAW)) for pair in running})
