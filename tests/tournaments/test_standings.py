"""Standings and crosstables: computed once more in a few lines, and compared with examples by hand."""

from random import Random

import pytest

from pbem.features.tournaments import crosstable
from pbem.features.tournaments.field import Entrant, Field, Kind, Pair, Result, bye
from pbem.features.tournaments.standings import standings
from pbem.features.tournaments.tie_breaks import buchholz, direct_encounter, sonneborn_berger
from tests.tournaments.playing import new, played

VALUES = {"1": 1.0, "=": 0.5, "0": 0.0, "+": 1.0, "-": 0.0}


@pytest.mark.parametrize("seed", range(10))
def test_a_crosstable_adds_up(seed: int) -> None:
    chance = Random(seed)
    field = played(new(Kind.ROUND_ROBIN, chance.randint(3, 10)), chance, leaving=0.1)
    table = crosstable.table(field)
    cells = [row.cells for row in table.rows]

    totals = [sum(VALUES[cell] for cell in row if cell in VALUES) for row in cells]
    assert [float(row.points) for row in table.rows] == totals == sorted(totals, reverse=True)
    for one, row in enumerate(cells):
        assert row[one] == "*"
        for other, cell in enumerate(row):
            if cell in "10=" and one != other:
                assert VALUES[cell] + VALUES[cells[other][one]] == 1
    berger = [sum(VALUES.get(cell, 0) * totals[other] for other, cell in enumerate(row)) for row in cells]
    assert [float(row.breaks[1]) for row in table.rows] == berger


def four(*results: Result) -> Field:
    """Return a round robin of four with these results of 1-4, 2-3, 4-3, 1-2, 2-4, 3-1."""
    meetings = ((1, 1, 4), (1, 2, 3), (2, 4, 3), (2, 1, 2), (3, 2, 4), (3, 3, 1))
    pairs = tuple(Pair(r, b, a, b, result) for (r, a, b), result in zip(meetings, results, strict=True))
    return Field(Kind.ROUND_ROBIN, tuple(Entrant(n, n) for n in range(1, 5)), 3, 1, pairs)


def test_who_won_against_the_other_is_in_front() -> None:
    first, second = Result.FIRST, Result.SECOND
    field = four(second, first, second, first, first, first)  # 1 beat 2; 2 beat 3 and 4; 3 beat 4 and 1; 4 beat 1
    places = [(place.place, place.entrant.player, place.points) for place in standings(field)]

    assert places == [(1, 2, 2.0), (2, 3, 2.0), (3, 4, 1.0), (4, 1, 1.0)]


def test_those_whom_nothing_tells_apart_share_a_place() -> None:
    places = standings(four(*[Result.DRAW] * 6))

    assert [place.place for place in places] == [1, 1, 1, 1]
    assert [place.entrant.seed for place in places] == [1, 2, 3, 4]


def test_a_direct_encounter_counts_only_among_those_who_have_all_met() -> None:
    field = four(*[Result.FIRST] * 6)

    assert direct_encounter(field, 1, [1, 2]) == 1.0
    assert direct_encounter(field, 2, [1, 2]) == 0.0
    unfinished = Field(field.kind, field.entrants, 3, 1, field.pairs[:2])
    assert direct_encounter(unfinished, 1, [1, 4]) == 1.0
    assert direct_encounter(unfinished, 1, [1, 2]) == 0.0


def test_a_bye_counts_as_an_opponent_with_the_same_points() -> None:
    pairs = (Pair(1, 1, 1, 2, Result.FIRST), bye(1, 2, 3), Pair(2, 1, 3, 1, Result.DRAW), bye(2, 2, 2))
    field = Field(Kind.SWISS, tuple(Entrant(n, n) for n in (1, 2, 3)), 2, 1, pairs)

    assert {player: field.points(player) for player in (1, 2, 3)} == {1: 1.5, 2: 1.0, 3: 1.5}
    assert buchholz(field, 3) == 1.5 + 1.5
    assert sonneborn_berger(field, 3) == 1.5 * 1 + 1.5 * 0.5
    assert buchholz(field, 2) == 1.5 + 1.0


def test_a_forfeit_counts_like_a_bye_in_a_swiss_and_like_a_match_in_a_round_robin() -> None:
    pairs = (
        Pair(1, 1, 1, 2, Result.FIRST, is_played=False),
        Pair(1, 2, 3, 4, Result.FIRST),
        Pair(2, 1, 1, 3, Result.DRAW),
    )
    entrants = tuple(Entrant(n, n) for n in range(1, 5))

    swiss, all_ = (Field(kind, entrants, 2, 1, pairs) for kind in (Kind.SWISS, Kind.ROUND_ROBIN))

    assert buchholz(swiss, 1) == 1.5 + 1.5
    assert buchholz(all_, 1) == 0 + 1.5
    assert sonneborn_berger(swiss, 1) == 1.5 + 0.75


def test_a_forfeit_and_a_match_that_goes_on_are_marked() -> None:
    pairs = (
        Pair(1, 1, 1, 4, Result.FIRST, is_played=False),
        Pair(1, 2, 2, 3),
    )
    field = Field(Kind.ROUND_ROBIN, tuple(Entrant(n, n) for n in range(1, 5)), 3, 1, pairs)
    cells = {row.place.entrant.player: row.cells for row in crosstable.table(field).rows}

    assert cells == {1: ("*", "", "", "+"), 2: ("", "*", "?", ""), 3: ("", "?", "*", ""), 4: ("-", "", "", "*")}


def test_what_an_opponent_has_missed_since_they_withdrew_counts_as_drawn() -> None:
    """After a draw with 1, 2 withdraws: each round that 2 misses is half a point for 1, and what 2 has for 2."""
    pairs = (
        Pair(1, 1, 1, 2, Result.DRAW),
        Pair(1, 2, 3, 4, Result.FIRST),
        Pair(2, 1, 1, 3, Result.FIRST),
        bye(2, 2, 4),
        Pair(3, 1, 4, 1, Result.DRAW),
        bye(3, 2, 3),
    )
    field = Field(Kind.SWISS, tuple(Entrant(n, n) for n in range(1, 5)), 3, 1, pairs)

    assert {player: field.points(player) for player in range(1, 5)} == {1: 2.0, 2: 0.5, 3: 2.0, 4: 1.5}
    assert buchholz(field, 1) == (0.5 + 2 * 0.5) + 2.0 + 1.5
    assert sonneborn_berger(field, 1) == (0.5 + 2 * 0.5) * 0.5 + 2.0 + 1.5 * 0.5
    assert buchholz(field, 2) == 2.0 + 2 * 0.5
    assert sonneborn_berger(field, 2) == 2.0 * 0.5
    assert buchholz(field, 4) == 2.0 + 1.5 + 2.0
