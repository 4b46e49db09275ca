"""Swiss: nobody meets anybody twice or has two byes, and the pairings are those of another implementation."""

import json
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from pbem.features.tournaments import pairing
from pbem.features.tournaments.matchups import Field, Format, Matchup, Score, bye
from tests.cases import quick_where
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


@pytest.mark.parametrize("number", quick_where(lambda number: number < 10, [3, 4, 7, 8, 15, 20]))
def test_nobody_meets_anybody_twice(number: int) -> None:
    field = played(new(Format.SWISS, number, rounds=9), Random(number))

    check(field)
    assert field.last_round == field.rounds
    firsts = [
        2 * field.firsts(each.player) - sum(pair.is_played for pair in field.of_player(each.player))
        for each in field.entrants
    ]
    assert max(map(abs, firsts)) <= 2, "who moves first is balanced"


def test_players_with_the_same_points_meet() -> None:
    field = new(Format.SWISS, 8)
    field = field.with_pairs(pairing.following(field))
    assert [pair.players for pair in field.pairs] == [(101, 105), (106, 102), (103, 107), (108, 104)]
    field = ended(field, dict.fromkeys(field.pairs, Score.FIRST))

    second = pairing.following(field)

    assert {field.points(pair.first) - field.points(pair.second or 0) for pair in second} == {0.0}


def test_it_ends_early_when_nobody_is_left_to_meet() -> None:
    field = new(Format.SWISS, 4, rounds=3)
    field = replace(field, rounds=3)
    field = field.with_pairs(pairing.following(field))
    (one, other) = field.pairs
    field = ended(field, {one: Score.FIRST, other: Score.FIRST})
    for player in other.players:
        field = without(field, player)

    assert pairing.following(field) == ()


RECORDED = Path(__file__).parent / "dutch.json"


@pytest.mark.parametrize("number", quick_where(lambda number: number < 10, [8, 9, 14, 20]))
def test_another_implementation_of_the_dutch_system_pairs_the_same(number: int) -> None:
    """What py4swiss 0.3.1, which is tested against bbpPairings, made of the same results; the colours aside."""
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))[str(number)]
    field = new(Format.SWISS, number, rounds=len(recorded) + 1)
    for round_, meetings in enumerate(recorded, start=1):
        pairs = [pair_of(round_, board, **meeting) for board, meeting in enumerate(meetings, start=1)]

        following = pairing.following(field)

        assert {frozenset(pair.players) for pair in following} == {frozenset(pair.players) for pair in pairs}
        field = field.with_pairs(pairs)


def pair_of(round_: int, board: int, players: list[int], winner: int | None) -> Matchup:
    """Return a pairing as it was recorded; who moves first is the first of the players."""
    if len(players) == 1:
        return bye(round_, board, *players)
    first, second = players
    result = Score.DRAW if winner is None else Score.FIRST if winner == first else Score.SECOND
    return Matchup(round_, board, first, second, result)
