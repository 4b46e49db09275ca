"""Benchmarks run: nobody notices otherwise that one has stopped working, until its figures are wanted."""

import subprocess
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import pytest

from bench import performance
from bench.performance import Row, compared
from tests.servers import REAL_CLOCK

PROJECT = Path(__file__).parents[2]
SMALL = (
    ("arena", "--matches", "1", "--game", "kvadratik flip=none", "--pair", "2:1"),
    ("daemons", "--mails", "3", "--runs", "1", "--daemons", "2"),
    ("engines", "--games", "1"),
    ("growth", "--over", "20", "--running", "4", "--late", "40", "--repeats", "1"),
    ("growth", "--over", "20", "--running", "4", "--late", "40", "--repeats", "1", "--database", "postgresql"),
    ("mail", "--mails", "10", "--runs", "1"),
    ("memory", "--letters", "10", "--hostile", "On On"),
)
"""Each with as little to do as makes sense."""


@pytest.mark.slow
@pytest.mark.parametrize("words", SMALL, ids=" ".join)
def test_it_runs_to_its_end_and_leaves_the_published_figures_alone(words: tuple[str, ...], tmp_path: Path) -> None:
    published = (PROJECT / "docs" / "performance.csv").read_bytes()
    if words[0] == "engines":
        pytest.importorskip("chess", reason="only `make bench` installs python-chess")
    name, *options = words
    options += ("--results", str(tmp_path / "arena.csv")) if name == "arena" else ()

    program = [sys.executable, "-P", f"bench/{name}.py", *options]
    done = subprocess.run(program, cwd=PROJECT, env=REAL_CLOCK, capture_output=True, text=True)

    assert (done.returncode, done.stderr) == (0, "")
    assert "ratio" in done.stdout or "Elo" in done.stdout
    assert (PROJECT / "docs" / "performance.csv").read_bytes() == published


def test_what_it_needs_is_said_before_anything_is_measured(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    needs = {"one": (lambda: None, "a program"), "other": (lambda: "/bin/sh", "a shell"), "third": (bool, "a disk")}
    monkeypatch.setattr(performance, "NEEDS", needs)

    with pytest.raises(SystemExit, match="2"):
        performance.require("one", "other", "third")

    assert capsys.readouterr().err == "Nothing was measured: this benchmark needs a program; a disk.\n"


@pytest.mark.parametrize(
    ("words", "is_whole"),
    [([], True), (["--database", "postgresql"], True), (["--mails", "3"], False), (["--only", "x"], False)],
)
def test_a_run_of_another_size_is_told_from_a_whole_one(
    monkeypatch: pytest.MonkeyPatch, words: list[str], is_whole: bool
) -> None:
    for publish in ([], ["--publish"]):
        parser = ArgumentParser()
        parser.add_argument("--database", default="sqlite")
        parser.add_argument("--mails", type=int, default=300)
        parser.add_argument("--only", default="")
        monkeypatch.setattr(sys, "argv", ["bench", *words, *publish])
        with nullcontext() if is_whole or not publish else pytest.raises(SystemExit, match="2"):
            assert performance.parsed(parser, "database").is_whole is is_whole


GIVEN, PUBLISHING = (Namespace(is_whole=True, publish=publish) for publish in (False, True))


@pytest.fixture
def rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Row]:
    """Store figures of a benchmark elsewhere, and return them."""
    monkeypatch.setattr(performance, "ROWS", tmp_path / "performance.csv")
    found = [compared("mail", "time", 20, 10), compared("mail", "rate", 20, 10, more_is_better=True)]
    performance.publish(found)
    return found


@pytest.mark.parametrize(
    ("what", "mine", "is_within"), [("time", 26, True), ("time", 27, False), ("rate", 16, True), ("rate", 15, False)]
)
def test_a_ratio_may_be_1_3_times_worse_than_at_first(rows: list[Row], what: str, mine: int, is_within: bool) -> None:
    row = compared("mail", what, mine, 10, more_is_better=what == "rate")

    with nullcontext() if is_within else pytest.raises(SystemExit, match="1"):
        performance.report([row], GIVEN)


def test_new_figures_keep_the_limits(rows: list[Row]) -> None:
    performance.report([compared("mail", "time", 22, 10)], PUBLISHING)

    assert [(row.ratio, row.limit) for row in performance.stored()] == [(2.2, rows[0].limit)]


def test_what_was_measured_before_a_failure_is_printed(rows: list[Row], capsys: pytest.CaptureFixture[str]) -> None:
    def measured() -> Iterator[Row]:
        yield rows[0]
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        performance.report(measured(), PUBLISHING)

    assert "time" in capsys.readouterr().out
    assert performance.stored() == rows
