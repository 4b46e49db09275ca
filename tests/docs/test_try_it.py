"""The scripts of docs/try-it work, with real servers and s-nail where these are installed."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from notation import record
from notation.board import format_board
from pbem.cli.demo import SAMPLE
from tests.docs.try_it import NEEDS, START, started
from tests.servers import REAL_CLOCK

PLAY = START.with_name("play.sh")


@pytest.mark.parametrize("script", [START, PLAY], ids=lambda script: script.name)
def test_scripts_can_be_read_by_bash(script: Path) -> None:
    assert os.access(script, os.X_OK)
    subprocess.run(["/bin/bash", "-n", str(script)], check=True)


@pytest.fixture(params=["imap", "lmtp"])
def folder(request: pytest.FixtureRequest) -> Iterator[Path]:
    with started(request.param) as place:
        yield place


@pytest.mark.slow
@NEEDS
def test_a_whole_match_with_s_nail(folder: Path) -> None:
    words = [str(PLAY), str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=600, check=False, env=REAL_CLOCK)
    assert done.returncode == 0, done.stderr
    sample = record.loads(SAMPLE.read_text(encoding="utf-8"))
    assert format_board(record.diagrams(sample)[-1], lit=True, notes=True) in done.stdout
