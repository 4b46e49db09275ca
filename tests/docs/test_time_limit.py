"""A run of pytest with a limit of time leaves out what would begin after it, and says so; without one it runs all."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

MODULE = "import pytest\n\n\n@pytest.mark.parametrize('number', range(8))\ndef test_one(number): print('ran', number)\n"
Run = Callable[..., tuple[int, str]]

pytestmark = pytest.mark.slow


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Return a function that runs pytest on eight tests with these variables. It returns the exit code and output."""
    (tmp_path / "test_eight.py").write_text(MODULE, encoding="utf-8")
    words = [sys.executable, "-m", "pytest", "-s", "-p", "tests.time_limit", "-p", "no:cacheprovider", "-p", "no:xdist"]

    def run_with(**variables: str) -> tuple[int, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PBEM_TEST", "PYTEST"))}
        done = subprocess.run(
            [*words, f"--rootdir={tmp_path}", "-c", os.devnull, str(tmp_path)],
            cwd=Path(__file__).parents[2],
            env=kept | variables,
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout

    return run_with


def test_past_the_limit_nothing_begins_and_nothing_fails(run: Run) -> None:
    code, said = run(PBEM_TEST_UNTIL="1", PBEM_TEST_SHARE="0.5")
    assert (code, said.count("ran ")) == (0, 0)
    assert "8 tests were left out, because no time was left for them" in said


def test_before_it_everything_runs_from_another_place_on(run: Run) -> None:
    code, said = run(PBEM_TEST_UNTIL="90000000000", PBEM_TEST_SHARE="0.5")
    assert (code, said.count("ran ")) == (0, 8)
    assert said.index("ran 0") > said.index("ran 7")
    assert "left out" not in said


@pytest.mark.parametrize("name", ["PBEM_TEST_UNTIL", "PBEM_TEST_SHARE"])
def test_without_both_variables_there_is_no_limit(run: Run, name: str) -> None:
    code, said = run(**{name: "0.5"})
    assert (code, said.count("ran ")) == (0, 8)
    assert said.index("ran 0") < said.index("ran 7")
