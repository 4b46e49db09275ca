"""The daemon as a separate process that can be killed."""

import json
import multiprocessing
import os
import resource
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

from pbem import failpoints
from tests.forks import Fork, Surroundings
from tests.servers import GENEROUS, until

_FORKS = multiprocessing.get_context("forkserver")
_CALLED = [f"tests.reliability.test_{name}" for name in ("killed_backups", "operator_verbs")]
_FORKS.set_forkserver_preload(["tests.forks", "tests.compiled", *_CALLED])


class Process:
    """A running `pbem run` in a folder, with additions to its environment."""

    def __init__(self, folder: Path, *, deaf_to_time: bool = False, **environment: str) -> None:
        self._log = folder / f"log{len(list(folder.glob('log*')))}"
        self._log.touch()
        around = Surroundings(folder, dict(os.environ) | environment, self._log, self._log, deaf_to_time=deaf_to_time)
        self._process = Fork(["run"], around)

    @classmethod
    def to_die(cls, folder: Path, step: failpoints.Step, nth: int = 1, **environment: str) -> Self:
        """Start one that kills itself when it reaches the step for the nth time."""
        return cls(folder, **{failpoints.VARIABLE: f"{step}:{nth}"}, **environment)

    def serves(self) -> bool:
        """Wait until it is ready. Return False if it died first."""
        until(lambda: self.lines("ready") or not self.runs, "the daemon is ready")
        return bool(self.lines("ready"))

    def ready(self) -> Self:
        """Wait until it is ready, and return it."""
        assert self.serves(), self.log
        return self

    @property
    def runs(self) -> bool:
        """Whether it is still running."""
        return self._process.poll() is None

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def port(self) -> int:
        """The port of its first listener."""
        return int(self.lines("ready")[0]["listening"][0])

    @property
    def log(self) -> str:
        """Its log so far."""
        return self._log.read_text(encoding="utf-8")

    def lines(self, event: str) -> list[dict[str, Any]]:
        """Return the complete log lines about that event."""
        lines = [
            json.loads(line) for line in self.log.splitlines(keepends=True) if line[:1] == "{" and line[-1:] == "\n"
        ]
        return [line for line in lines if line["event"] == event]

    def let_files_grow(self, most: int = resource.RLIM_INFINITY) -> None:
        """Make the kernel refuse writes of the process beyond that many bytes of a file."""
        _, hard = resource.prlimit(self.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(self.pid, resource.RLIMIT_FSIZE, (most, hard))

    def let_files_open(self, most: int | None = None) -> None:
        """Let the process have that many files open."""
        _, hard = resource.prlimit(self.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(self.pid, resource.RLIMIT_NOFILE, (most or hard, hard))

    def fill_log(self, size: int) -> None:
        """Append that many empty lines to its log."""
        with self._log.open("ab") as log:
            log.write(b"\n" * size)

    def died(self, seconds: float = GENEROUS) -> int:
        """Wait until it ends. Return the signal that ended it, or 0."""
        try:
            return -self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it still runs after {seconds} s: {self.log}") from None

    def end(self) -> None:
        """Send SIGTERM, and wait for an orderly end."""
        self._process.send_signal(signal.SIGTERM)
        assert self.died() == 0, self.log

    def terminate(self) -> None:
        """Send SIGTERM, and wait for an orderly end, or any end if it hasn't started to serve."""
        served = bool(self.lines("ready"))
        self._process.send_signal(signal.SIGTERM)
        assert self.died() == 0 or not served, self.log

    def freeze(self) -> None:
        """Stop it in the middle of whatever it does, as a suspended machine would."""
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        """Let it go on."""
        self._process.send_signal(signal.SIGCONT)

    def kill(self) -> None:
        """Send SIGKILL, and wait until it ends."""
        self._process.kill()
        self._process.wait(GENEROUS)


def is_killed(function: Callable[..., None], *arguments: Any) -> bool:
    """Call a function in a process of its own. Return whether it was killed; if not, it has done its work."""
    process = _FORKS.Process(target=function, args=arguments)
    process.start()
    process.join(GENEROUS)
    assert process.exitcode in (0, -signal.SIGKILL)
    return process.exitcode != 0
