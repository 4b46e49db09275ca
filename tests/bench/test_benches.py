"""Benchmarks run: nobody notices otherwise that one has stopped working, until its figures are wanted."""

import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
SMALL = (
    ("community", "--matches", "300", "--players", "6000"),
    ("daemons", "--mails", "10", "--runs", "1", "--daemons", "2"),
    ("due", "--matches", "200"),
    ("growth", "--over", "100", "--running", "10", "--repeats", "1"),
    ("growth", "--over", "100", "--running", "10", "--repeats", "1", "--database", "postgresql"),
    ("looking", "--turns", "50", "--matches", "50"),
    ("worst", "wrote"),
)
"""Those that read a database or run a server, each with as little to do as makes sense."""


@pytest.mark.slow
@pytest.mark.parametrize("words", SMALL, ids=" ".join)
def test_it_runs_to_its_end_and_leaves_the_published_figures_alone(words: tuple[str, ...]) -> None:
    published = (PROJECT / "docs" / "performance.csv").read_bytes()

    name, *options = words
    ran = subprocess.run(
        [sys.executable, "-P", f"bench/{name}.py", *options], cwd=PROJECT, capture_output=True, text=True
    )

    assert (ran.returncode, ran.stderr) == (0, "")
    assert "ratio" in ran.stdout or "CPU, ms" in ran.stdout
    assert (PROJECT / "docs" / "performance.csv").read_bytes() == published
