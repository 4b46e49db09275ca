"""Tournament report files, as another program reads them."""

from datetime import date
from random import Random

import pytest
from caissify_pairings.fpc import check_trf
from caissify_pairings.trf import parse_trf

from pbem.features.tournaments import trf
from pbem.features.tournaments.field import Field, Format, Score
from tests.tournaments.playing import new, played


def written(field: Field) -> str:
    names = {each.player: f"player{each.player}" for each in field.entrants}
    ratings = {each.player: 1500 - each.seed if each.seed < 6 else None for each in field.entrants}
    heading = trf.Heading("Little Cup", "pbem", date(2026, 3, 2), date(2026, 5, 4), "3d/move")
    return trf.written(field, heading, names, ratings)


@pytest.mark.parametrize("number", [8, 9])
def test_a_checker_of_pairings_finds_each_round_of_a_swiss_as_it_should_be(number: int) -> None:
    """The whole file is read, and each of its rounds is paired again from the results before it."""
    field = played(new(Format.SWISS, number), Random(number), (Score.FIRST, Score.SECOND, Score.DRAW))

    report = check_trf(written(field))
    read = {each["name"]: each["score"] for each in parse_trf(written(field))["players"]}

    assert report["summary"]["rounds_matched"] == field.rounds
    assert report["summary"]["total_discrepancies"] == 0
    assert read == {f"player{each.player}": field.points(each.player) for each in field.entrants}
