"""The daemon as a separate process, and its log as data."""

import json
import os
import signal
import smtplib
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

import pytest

from tests.operating.site import Done, Site, environment
from tests.servers import GENEROUS, HOST, until

PROGRAM = str(Path(sys.executable).with_name("pbem"))
"""`pbem` as it is installed here."""


class Daemon:
    """A running `pbem run` that logs to a file, one JSON object per line."""

    _number = 0

    def __init__(self, site: Site, *, is_child: bool = False, program: str = "") -> None:
        """Start it in a fork of a process that has imported everything: by default one for the run, or this one."""
        Daemon._number += 1
        self._log = site.folder / f"log{Daemon._number}"
        self._log.touch()
        self.process: Any = self._started(site, program) if program else self._forked(site, is_child=is_child)

    def _forked(self, site: Site, *, is_child: bool) -> Any:
        from tests import forks  # loads all commands

        around = forks.Surroundings(site.folder, environment(), self._log, self._log)
        return forks.Child(["run"], around) if is_child else forks.Fork(["run"], around)

    def _started(self, site: Site, program: str) -> subprocess.Popen[bytes]:
        with self._log.open("wb") as log:
            return subprocess.Popen([program, "run"], cwd=site.folder, env=environment(), stdout=log, stderr=log)

    def ready(self) -> Self:
        """Wait until it is ready, and return it."""
        until(lambda: self.lines("ready") or self.process.poll() is not None, "the daemon is ready")
        assert self.process.poll() is None, self.text()
        return self

    @property
    def port(self) -> int:
        """The port of its first listener."""
        return int(self.lines("listening")[0]["port"])

    def text(self) -> str:
        """Return the log so far."""
        return self._log.read_text(encoding="utf-8")

    def lines(self, event: str = "") -> list[dict[str, Any]]:
        """Return the complete log lines about that event, or all of them."""
        lines = [json.loads(line) for line in self.text().splitlines(keepends=True) if line.endswith("\n")]
        return [line for line in lines if not event or line["event"] == event]

    def deliver(self, sender: str, recipient: str, raw: bytes) -> None:
        """Deliver a message to the daemon's LMTP listener, as an MTA does; return once it is accepted."""
        with smtplib.LMTP(HOST, self.port, timeout=GENEROUS) as lmtp:
            lmtp.sendmail(sender, [recipient], raw)

    def end(self) -> Done:
        """Send SIGTERM. Return how it ended; fail if it doesn't."""
        self.process.send_signal(signal.SIGTERM)
        return Done(self.process.wait(GENEROUS), "", self.text())

    def kill(self) -> None:
        """Send SIGKILL if it is still running."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(GENEROUS)


@pytest.fixture
def start() -> Iterator[Callable[..., Daemon]]:
    """Return a function that starts daemons, and waits until they are ready; the test's end kills them."""
    started: list[Daemon] = []

    def begin(site: Site, *, waits: bool = True) -> Daemon:
        started.append(Daemon(site))
        return started[-1].ready() if waits else started[-1]

    yield begin
    for daemon in started:
        daemon.kill()


WRITER = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("pragma journal_mode=wal")
connection.execute("begin immediate")
os.kill(os.getpid(), signal.SIGSTOP)
"""


@contextmanager
def stopped_writer(database: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Provide a process that is stopped (SIGSTOP) in the middle of a transaction on an SQLite database."""
    process = subprocess.Popen([sys.executable, "-c", WRITER, str(database)])
    try:
        _, status = os.waitpid(process.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        yield process
    finally:
        process.kill()
        process.wait()
