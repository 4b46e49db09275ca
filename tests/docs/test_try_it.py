"""The scripts of docs/try-it work, with real servers and s-nail where these are installed."""

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from notation import record
from notation.board import format_board
from pbem.cli.demo.playing import SAMPLE
from tests.docs.pages import ROOT
from tests.servers import REAL_CLOCK

START, PLAY = ROOT / "docs" / "try-it" / "start.sh", ROOT / "docs" / "try-it" / "play.sh"


@pytest.mark.parametrize("script", [START, PLAY], ids=lambda script: script.name)
def test_scripts_can_be_read_by_bash(script: Path) -> None:
    assert os.access(script, os.X_OK)
    subprocess.run(["/bin/bash", "-n", str(script)], check=True)


def test_an_unknown_way_is_refused() -> None:
    done = subprocess.run([str(START), "pigeon"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "imap or lmtp, not pigeon" in done.stderr


def is_possible() -> bool:
    path = os.pathsep.join((os.environ["PATH"], "/usr/sbin"))
    has = {name: shutil.which(name, path=path) for name in ("dovecot", "s-nail", "postfix", "exim4")}
    return bool(has["dovecot"] and has["s-nail"] and (has["exim4"] or (has["postfix"] and os.geteuid() == 0)))


@contextmanager
def started(way: str) -> Iterator[Path]:
    """Run start.sh, and return its folder."""
    with subprocess.Popen([str(START), way], stdout=subprocess.PIPE, text=True, env=REAL_CLOCK) as started:
        assert started.stdout
        try:
            named = next(line for line in started.stdout if "alice.mailrc" in line)
            place = Path(named.partition("MAILRC=")[2].partition("/alice.mailrc")[0])
            yield place
        finally:
            started.terminate()  # a shell started in the background ignores the interrupt of Ctrl-C
            started.wait(110)
    shutil.rmtree(place)


@pytest.fixture(params=["imap", "lmtp"])
def folder(request: pytest.FixtureRequest) -> Iterator[Path]:
    with started(request.param) as place:
        yield place


NEEDS = pytest.mark.skipif(not is_possible(), reason="needs Dovecot, s-nail, and Exim or (as root) Postfix")


@pytest.mark.slow
@NEEDS
def test_a_whole_match_with_s_nail(folder: Path) -> None:
    time.sleep(1)
    words = [str(PLAY), str(folder)]
    done = subprocess.run(words, capture_output=True, text=True, timeout=600, check=False, env=REAL_CLOCK)
    assert done.returncode == 0, done.stderr
    sample = record.loads(SAMPLE.read_text(encoding="utf-8"))
    assert format_board(record.diagrams(sample)[-1], lit=True, notes=True) in done.stdout
