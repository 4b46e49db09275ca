"""What six weeks make of a server: its memory, open files and log, and its database as docs/operating.md computes it.

`PBEM_TEST_WEEKS` is the number of matches, in each of which a turn a day is played; `make soak` has 2,000.
"""

import json
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from tests import databases
from tests.weeks import DAYS, KEPT_DAYS, Day

ROOT = Path(__file__).parents[2]
MATCHES = int(os.environ.get("PBEM_TEST_WEEKS", "20"))
SAID = re.compile(r"a turn takes (\d+) bytes of log, and of an SQLite database ([\d.]+) KB .* and ([\d.]+) KB for good")

pytestmark = [
    pytest.mark.soak,
    pytest.mark.timeout(6 * 3600),
    pytest.mark.skipif(databases.kind() != "sqlite", reason="it is the size of a file"),
]


@pytest.fixture(scope="module")
def days(tmp_path_factory: pytest.TempPathFactory) -> list[Day]:
    """Return how each day ended."""
    words = (sys.executable, "-m", "tests.weeks", str(tmp_path_factory.mktemp("weeks")), str(MATCHES))
    told = subprocess.run(words, check=True, cwd=ROOT, stdout=subprocess.PIPE, text=True).stdout
    found = [Day(**json.loads(line)) for line in told.splitlines()]
    assert len(found) == DAYS
    return found


@pytest.fixture(scope="module")
def said() -> tuple[float, float, float]:
    """Return how many bytes a turn takes: of the log, of the database, and of that for good."""
    text = " ".join((ROOT / "docs" / "operating.md").read_text(encoding="utf-8").split())
    found = SAID.search(text)
    assert found
    return float(found[1]), 1000 * float(found[2]), 1000 * float(found[3])


def growth(first: Day, last: Day) -> float:
    """Return by how many bytes a turn the database has grown."""
    return (last.database - first.database) / (last.turns - first.turns)


def test_turns_are_played_every_day(days: list[Day]) -> None:
    assert all(later.turns - day.turns > MATCHES / 2 for day, later in pairwise(days))


def test_memory_stays_as_after_the_first_day(days: list[Day]) -> None:
    assert days[-1].memory <= 1.1 * days[0].memory


def test_no_file_stays_open(days: list[Day]) -> None:
    assert days[-1].files <= days[1].files


def test_the_log_is_as_long_as_said(days: list[Day], said: tuple[float, float, float]) -> None:
    assert days[-1].log / days[-1].turns <= 1.1 * said[0]


def test_the_database_grows_as_said(days: list[Day], said: tuple[float, float, float]) -> None:
    assert growth(days[0], days[KEPT_DAYS - 1]) == pytest.approx(said[1], rel=0.15)


def test_of_what_is_removed_only_a_part_stays(days: list[Day], said: tuple[float, float, float]) -> None:
    """A week after the first messages were removed, as much goes each day as comes, but for what is kept for good."""
    assert growth(days[KEPT_DAYS + 7], days[-1]) == pytest.approx(said[2], rel=0.15)
