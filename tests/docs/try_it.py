"""The servers of docs/try-it, for tests that write and read with s-nail."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.docs.pages import ROOT
from tests.servers import GENEROUS, REAL_CLOCK

START = ROOT / "docs" / "try-it" / "start.sh"


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
            started.wait(GENEROUS)
    shutil.rmtree(place)


NEEDS = pytest.mark.skipif(not is_possible(), reason="needs Dovecot, s-nail, and Exim or (as root) Postfix")
