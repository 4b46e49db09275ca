"""Scheduled work that a bug ends: it waits longer and longer, everything else goes on, and the operator is told."""

import io

import pytest

from pbem.cli import log_format
from pbem.config import LogSettings
from pbem.server import figures
from pbem.storage.database import read_only
from tests.correspondence import Correspondence, text
from tests.scenes import after

ADMIN = "admin@far.example"


def two_matches(letters: Correspondence) -> None:
    """Begin two matches on short clocks, of which the first can't be read any more."""
    letters.match("challenge bob quadraphages time=1d/move,auto")
    letters.match("challenge dora quadraphages time=1d/move,auto", "carol", "dora")
    letters.execute("update match set remind = null")
    letters.execute("update match set time = 'gibberish' where id = 1")


pytestmark = [pytest.mark.server(server=f'admin = "{ADMIN}"'), after(two_matches)]


def setbacks(letters: Correspondence) -> list[tuple[object, ...]]:
    return letters.execute("select doing, number, failures from setback")


def failures(letters: Correspondence) -> object:
    ((_, _, number),) = setbacks(letters)
    return number


def test_one_failing_match_stops_no_other(letters: Correspondence) -> None:
    letters.run_for(days=1.1)
    assert letters.execute("select id, state from match order by id") == [(1, "running"), (2, "over")]
    assert setbacks(letters) == [("time-outs", 1, 1)]


def test_what_fails_is_tried_ever_less_often_and_the_operator_hears_of_it_once(letters: Correspondence) -> None:
    lines = io.StringIO()
    log_format.configure(LogSettings.model_validate({"format": "json"}), lines, letters.server.settings.server)
    letters.run_for(days=1.1)
    tried = []
    for _ in range(8):
        letters.wait(minutes=1)
        tried.append(failures(letters))
    assert tried == [2, 2, 3, 3, 3, 3, 4, 4]
    letters.execute("update setback set failures = 50")
    for minutes in (15, 59, 2):
        letters.wait(minutes=minutes)

    assert failures(letters) == 52
    assert lines.getvalue().count("scheduled work failed") == 1
    assert letters.execute("select count(*) from outgoing where template = 'alert'") == [(1,)]
    assert "everything else goes on: time-outs 1." in " ".join(text(letters.received[ADMIN][0]).split())
    with read_only(letters.server.engine) as session:
        wrong = [*figures.problems(figures.of_database(session, letters.clock(), letters.server.settings))]
    assert wrong == ['scheduled work fails (time-outs): look for "failed" in the log']
