"""What the log says, and to whom: no values, no addresses, once, and at the right priority in the journal."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog

from pbem.cli import log_format
from pbem.config import LogSettings
from tests.correspondence import Correspondence, correspondence

ADMIN = "admin@far.example"
PEOPLE = (ADMIN, "alice@mail.example", "bob@mail.example")


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before = structlog.get_config()
    yield
    structlog.configure(**before)


def configured(form: str) -> io.StringIO:
    lines = io.StringIO()
    log_format.configure(LogSettings.model_validate({"format": form}), lines)
    return lines


def fail(words: str) -> None:
    """Fail as a library does that puts what it works on into its error."""
    raise ValueError(words)


def reported(words: str) -> None:
    """Log an error that follows from another."""
    try:
        try:
            fail(words)
        except ValueError as error:
            raise KeyError(words) from error
    except KeyError:
        structlog.get_logger().exception("scheduled work failed", number=7)


@pytest.mark.parametrize("form", ["console", "json"])
def test_a_traceback_has_places_and_types_and_nobody_s_words(form: str) -> None:
    lines = configured(form)
    reported(f"Dear Bob, write to {ADMIN}")

    told = lines.getvalue()
    assert told.index("ValueError") < told.index("KeyError")
    assert "in fail" in told
    for secret in ("Dear", ADMIN, "words ="):
        assert secret not in told
    assert told.count("scheduled work failed") == 1
    assert told.count("\n") < 20


@pytest.mark.parametrize("form", ["console", "json"])
def test_what_a_library_says_has_no_address(form: str) -> None:
    lines = configured(form)
    structlog.get_logger().warning(f"{ADMIN} isn't known", library="some")

    assert "(address) isn't known" in lines.getvalue()


SAYS = """
import os, sys
if sys.argv[1] == "journal":
    status = os.fstat(2)
    os.environ["JOURNAL_STREAM"] = f"{status.st_dev}:{status.st_ino}"
import structlog
from pbem.cli import log_format
from pbem.config import LogSettings
log_format.configure(LogSettings())
log = structlog.get_logger()
log.info("ready")
log.warning("sending interrupted")
try:
    raise ValueError
except ValueError:
    log.exception("failed")
"""


@pytest.mark.parametrize("to", ["journal", "file"])
def test_the_journal_hears_how_bad_each_line_is(to: str, tmp_path: Path) -> None:
    with (tmp_path / "log").open("wb") as file:
        environment = os.environ | {"JOURNAL_STREAM": "1:1"}
        subprocess.run([sys.executable, "-c", SAYS, to], stderr=file, check=True, env=environment, timeout=600)
    lines = (tmp_path / "log").read_text(encoding="utf-8").splitlines()

    first = [line[:3] for line in lines]
    expected = ["<6>", "<4>", *["<3>"] * (len(lines) - 2)]
    assert (first == expected) is (to == "journal")
    assert len(lines) > 4
    assert any("<" in each for each in first) is (to == "journal")


@pytest.mark.parametrize("form", ["console", "json"])
def test_a_row_that_can_not_be_read_is_logged_once_and_names_nobody(form: str, tmp_path: Path) -> None:
    with correspondence(tmp_path, server=f'admin = "{ADMIN}"') as letters:
        lines = configured(form)
        broken(letters)
    told = lines.getvalue()

    assert told.count("scheduled work failed") == 1
    for address in PEOPLE:
        assert address not in told.replace("%", "@")
    assert len(told.splitlines()) < 120


def broken(letters: Correspondence) -> None:
    """Play, with a clock that can't be read, and look for what is due again and again."""
    letters.match("challenge bob quadraphages time=1d/move,auto")
    letters.execute("update match set remind = null, clock = '[]'")
    letters.run_for(days=1.1)
    for _ in range(10):
        letters.wait(minutes=1)


def test_a_player_is_a_number_in_every_line(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        lines = configured("json")
        letters.match()
        letters.reply(letters.last("alice"), "1 a7b7 i3i2")
        letters.write("alice@mail.example", "vacation 3 days")
        players = {number for (number,) in letters.execute("select id from player where name in ('alice', 'bob')")}
    found = [line["player"] for line in map(json.loads, lines.getvalue().splitlines()) if "player" in line]

    assert players <= {*found}
    assert {*map(type, found)} <= {int, type(None)}
