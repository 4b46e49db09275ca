"""Tournament report files, as another program reads them."""

from dataclasses import replace
from datetime import date
from random import Random

import pytest
from caissify_pairings.fpc import check_trf
from caissify_pairings.trf import parse_trf

from pbem.features.tournaments import trf
from pbem.features.tournaments.field import Field, Format, Score
from tests.tournaments.playing import new, played

GIVEN = {"1": 1.0, "+": 1.0, "U": 1.0, "=": 0.5, "0": 0.0, "-": 0.0, "Z": 0.0}
"""The points that the marks of the format stand for."""


def written(field: Field) -> str:
    names = {each.player: f"player{each.player}" for each in field.entrants}
    ratings = {each.player: 1500 - each.seed if each.seed < 6 else None for each in field.entrants}
    heading = trf.Heading("Little Cup", "pbem", date(2026, 3, 2), date(2026, 5, 4), "3d/move")
    return trf.written(field, heading, names, ratings)


@pytest.mark.parametrize("kind", list(trf.TYPES))
@pytest.mark.parametrize("seed", range(3))
def test_what_is_read_back_is_what_was_played(kind: Format, seed: int) -> None:
    chance = Random(seed)
    field = played(new(kind, chance.randint(4, 9)), chance, leaving=0.1)

    told = parse_trf(written(field))

    assert told["tournament"]["name"] == "Little Cup"
    assert told["tournament"]["player_count"] == len(field.entrants)
    columns = sorted({(pair.round, pair.game) for pair in field.pairs})
    read = {each["starting_number"]: each for each in told["players"]}
    seeds = field.seeds()
    for entrant in field.entrants:
        person = read[entrant.seed]
        assert person["name"] == f"player{entrant.player}"
        assert person["score"] == field.points(entrant.player)
        assert sum(GIVEN[each["result"]] for each in person["results"].values()) == person["score"]
        for pair in field.of_player(entrant.player):
            result = person["results"][columns.index((pair.round, pair.game)) + 1]
            assert result["opponent"] == seeds.get(pair.opponent_of(entrant.player) or 0)
            assert result["color"] == (None if pair.is_bye else "w" if pair.first == entrant.player else "b")


def test_a_match_that_goes_on_leaves_its_columns_empty() -> None:
    field = played(new(Format.ROUND_ROBIN, 4), Random(1))
    *others, last = field.pairs
    open_ = replace(field, pairs=(*others, replace(last, result=None)))

    read = {each["starting_number"]: each for each in parse_trf(written(open_))["players"]}

    assert sorted(read[open_.seeds()[last.first]]["results"]) == [1, 2]


@pytest.mark.parametrize("number", [8, 9, 12])
def test_a_checker_of_pairings_finds_each_round_of_a_swiss_as_it_should_be(number: int) -> None:
    """The whole file is read, and each of its rounds is paired again from the results before it."""
    field = played(new(Format.SWISS, number), Random(number), (Score.FIRST, Score.SECOND, Score.DRAW))

    report = check_trf(written(field))

    assert report["summary"]["rounds_matched"] == field.rounds
    assert report["summary"]["total_discrepancies"] == 0
