"""Standings and crosstables: computed once more in a few lines, and compared with examples by hand."""

from random import Random

import pytest

from pbem.features.tournaments.matchups import Entrant, Field, Format, Matchup, Score, bye
from pbem.features.tournaments.standings import buchholz, crosstable, sonneborn_berger
from tests.tournaments.playing import new, played

VALUES = {"1": 1.0, "=": 0.5, "0": 0.0, "+": 1.0, "-": 0.0}


@pytest.mark.parametrize("seed", range(10))
def test_a_crosstable_adds_up(seed: int) -> None:
    chance = Random(seed)
    field = played(new(Format.ROUND_ROBIN, chance.randint(3, 10)), chance, leaving=0.1)
    table = crosstable(field)
    cells = [row.cells for row in table.rows]

    totals = [sum(VALUES[cell] for cell in row if cell in VALUES) for row in cells]
    assert [float(row.points) for row in table.rows] == totals == sorted(totals, reverse=True)
    for one, row in enumerate(cells):
        assert row[one] == "*"
        for other, cell in enumerate(row):
            if cell in "10=" and one != other:
                assert VALUES[cell] + VALUES[cells[other][one]] == 1
    berger = [sum(VALUES.get(cell, 0) * totals[other] for other, cell in enumerate(row)) for row in cells]
    assert [float(row.breaks[0]) for row in table.rows] == berger


def test_players_with_the_same_points_and_tie_breaks_share_a_place() -> None:
    pairs = (Matchup(1, 1, 1, 2, Score.FIRST), Matchup(2, 1, 2, 3, Score.FIRST), Matchup(3, 1, 3, 1, Score.FIRST))
    rows = crosstable(Field(Format.ROUND_ROBIN, tuple(Entrant(n, n) for n in (1, 2, 3)), 3, 1, pairs)).rows
    assert [(row.place, row.entrant.player) for row in rows] == [(1, 1), (1, 2), (1, 3)]

    pairs = (Matchup(1, 1, 1, 2, Score.FIRST), Matchup(2, 1, 2, 3, Score.DRAW), Matchup(3, 1, 3, 1, Score.SECOND))
    rows = crosstable(Field(Format.ROUND_ROBIN, tuple(Entrant(n, n) for n in (1, 2, 3)), 3, 1, pairs)).rows
    assert [(row.place, row.entrant.player, row.points) for row in rows] == [(1, 1, "2"), (2, 2, "0.5"), (2, 3, "0.5")]


def test_a_bye_counts_as_an_opponent_with_the_same_points() -> None:
    pairs = (Matchup(1, 1, 1, 2, Score.FIRST), bye(1, 2, 3), Matchup(2, 1, 3, 1, Score.DRAW), bye(2, 2, 2))
    field = Field(Format.SWISS, tuple(Entrant(n, n) for n in (1, 2, 3)), 2, 1, pairs)

    assert {player: field.points(player) for player in (1, 2, 3)} == {1: 1.5, 2: 1.0, 3: 1.5}
    assert buchholz(field, 3) == 1.5 + 1.5
    assert sonneborn_berger(field, 3) == 1.5 * 1 + 1.5 * 0.5
    assert buchholz(field, 2) == 1.5 + 1.0


def test_a_forfeit_counts_like_a_bye_in_a_swiss_and_like_a_match_in_a_round_robin() -> None:
    pairs = (
        Matchup(1, 1, 1, 2, Score.FIRST, is_played=False),
        Matchup(1, 2, 3, 4, Score.FIRST),
        Matchup(2, 1, 1, 3, Score.DRAW),
    )
    entrants = tuple(Entrant(n, n) for n in range(1, 5))

    swiss, all_ = (Field(kind, entrants, 2, 1, pairs) for kind in (Format.SWISS, Format.ROUND_ROBIN))

    assert buchholz(swiss, 1) == 1.5 + 1.5
    assert buchholz(all_, 1) == 0 + 1.5
    assert sonneborn_berger(swiss, 1) == 1.5 + 0.75


def test_what_an_opponent_has_missed_since_they_withdrew_counts_as_drawn() -> None:
    """After a draw with 1, 2 withdraws: each round that 2 misses is half a point for 1, and what 2 has for 2."""
    pairs = (
        Matchup(1, 1, 1, 2, Score.DRAW),
        Matchup(1, 2, 3, 4, Score.FIRST),
        Matchup(2, 1, 1, 3, Score.FIRST),
        bye(2, 2, 4),
        Matchup(3, 1, 4, 1, Score.DRAW),
        bye(3, 2, 3),
    )
    field = Field(Format.SWISS, tuple(Entrant(n, n) for n in range(1, 5)), 3, 1, pairs)

    assert {player: field.points(player) for player in range(1, 5)} == {1: 2.0, 2: 0.5, 3: 2.0, 4: 1.5}
    assert buchholz(field, 1) == (0.5 + 2 * 0.5) + 2.0 + 1.5
    assert sonneborn_berger(field, 1) == (0.5 + 2 * 0.5) * 0.5 + 2.0 + 1.5 * 0.5
    assert buchholz(field, 2) == 2.0 + 2 * 0.5
    assert sonneborn_berger(field, 2) == 2.0 * 0.5
    assert buchholz(field, 4) == 2.0 + 1.5 + 2.0
