"""`pbem` commands in separate processes, forked from one that has already imported everything.

They run the same code as `pbem` from its first line on; only the second that Python needs for imports is saved.
"""

import ctypes
import multiprocessing
import os
import signal
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path

from pbem import cli
from pbem.cli.command_index import COMMANDS, load
from pbem.mail.transports import imap
from pbem.mail.transports.protocols import Patience
from pbem.players import news_times_and_pauses
from pbem.server import loop_runner
from tests import faked_clock, stopped_leases

faked_clock.mend()
stopped_leases.stop()
for _name in COMMANDS:
    load(_name)
BATCHES_AT_ONCE = "BATCHES_AT_ONCE"
"""The variable in the environment of a process in which batched news doesn't wait for more."""
IMPATIENT = "IMPATIENT"
"""The variable in the environment of a daemon that soon gives up a mailbox that doesn't answer."""
CAPABILITIES_3 = 0x20080522
OVERRIDES = 1 << 1 | 1 << 2
"""CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH (see capabilities(7))."""

_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["tests.forks", "tests.compiled"])


@dataclass(frozen=True)
class Surroundings:
    """The environment in which a program starts."""

    folder: Path
    environment: Mapping[str, str]
    out: Path
    err: Path
    stdin: Path = Path(os.devnull)
    umask: int = -1
    obeys_modes: bool = False
    """Whether the modes of files hold for root, too."""
    deaf_to_time: bool = False
    """Whether a daemon only looks for work when it is notified."""


def _obey_modes() -> None:
    """Give up root's right to read and write what the modes of files forbid; all of root's own files stay its own."""
    system = ctypes.CDLL(None, use_errno=True)
    header, held = struct.pack("=Ii", CAPABILITIES_3, 0), ctypes.create_string_buffer(24)
    assert system.capget(header, held) == 0
    effective, permitted, *others = struct.unpack("=6I", held.raw)
    left = struct.pack("=6I", effective & ~OVERRIDES, permitted & ~OVERRIDES, *others)
    assert system.capset(header, left) == 0


def _run(words: Sequence[str], around: Surroundings) -> None:
    os.chdir(around.folder)
    os.environ.clear()
    os.environ.update(around.environment)
    time.tzset()
    if around.umask >= 0:
        os.umask(around.umask)
    writing = os.O_WRONLY | os.O_CREAT | os.O_APPEND
    for standard, path, flags in (
        (0, around.stdin, os.O_RDONLY),
        (1, around.out, writing),
        (2, around.err, writing),
    ):
        os.dup2(os.open(path, flags, 0o600), standard)
    sys.stdin, sys.stdout, sys.stderr = (
        open(standard, mode, encoding="utf-8", errors=errors, buffering=1, closefd=False)  # noqa: SIM115 - open until it ends
        for standard, mode, errors in ((0, "r", "strict"), (1, "w", "strict"), (2, "w", "backslashreplace"))
    )
    if around.obeys_modes and os.geteuid() == 0:
        _obey_modes()
    if around.deaf_to_time:
        loop_runner.LOOK_SECONDS = 3600
    if BATCHES_AT_ONCE in around.environment:
        news_times_and_pauses.BATCH = timedelta(microseconds=1)
    if IMPATIENT in around.environment:
        imap.ImapInbox = partial(imap.ImapInbox, patience=Patience(answer=2), idle_seconds=1, poll_seconds=0.1)  # type: ignore[misc, assignment]
    sys.argv = ["pbem", *words]
    cli.main()


class Fork:
    """A running `pbem`, with the interface of a subprocess."""

    def __init__(self, words: Sequence[str], around: Surroundings) -> None:
        self._process = _FORKS.Process(target=_run, args=(list(words), around), daemon=True)
        self._process.start()
        assert self._process.pid is not None
        self.pid = self._process.pid

    def poll(self) -> int | None:
        """Return its exit code; None while it runs."""
        return self._process.exitcode

    def wait(self, seconds: float) -> int:
        """Wait until it ends and return its exit code, negative if a signal ended it."""
        self._process.join(seconds)
        code = self.poll()
        if code is None:
            raise subprocess.TimeoutExpired("pbem", seconds)
        return code

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Send it SIGKILL."""
        self._process.kill()


class Child:
    """A running `pbem`, forked from this process, with the interface of a subprocess."""

    def __init__(self, words: Sequence[str], around: Surroundings) -> None:
        self._code: int | None = None
        self.pid = os.fork()
        if self.pid == 0:
            code = 1
            try:
                _run(words, around)
            except SystemExit as ended:
                code = int(ended.code or 0)
            finally:
                os._exit(code)

    def poll(self) -> int | None:
        """Return its exit code, negative if a signal ended it; None while it runs."""
        return self._wait(os.WNOHANG)

    def wait(self, _seconds: float = 0) -> int | None:
        """Wait until it ends and return its exit code, however long that takes."""
        return self._wait(0)

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """Send it SIGKILL."""
        self.send_signal(signal.SIGKILL)

    def _wait(self, how: int) -> int | None:
        if self._code is None:
            pid, status = os.waitpid(self.pid, how)
            self._code = os.waitstatus_to_exitcode(status) if pid else None
        return self._code


def run(
    words: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    stdin: bytes = b"",
    umask: int = -1,
    obeys_modes: bool = False,
) -> tuple[int, str, str]:
    """Run a command to its end. Return its exit code, standard output and standard error."""
    with tempfile.TemporaryDirectory(prefix="pbem-fork") as apart:
        given, out, err = (Path(apart) / name for name in ("in", "out", "err"))
        given.write_bytes(stdin)
        fork = Fork(words, Surroundings(folder, environment, out, err, given, umask, obeys_modes))
        try:
            code = fork.wait(600)
        finally:
            fork.kill()
        return code, out.read_bytes().decode(), err.read_bytes().decode()
