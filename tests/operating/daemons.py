"""The daemon as a process of its own, and its log as data."""

import json
import signal
import smtplib
import time
from typing import Any, Self

from tests.forks import Fork, Surroundings
from tests.operating.site import Done, Site, environment
from tests.servers import HOST, until


class Daemon:
    """A running `pbem run`; its log goes to a file, one JSON object a line."""

    _number = 0

    def __init__(self, site: Site) -> None:
        Daemon._number += 1
        self._log = site.folder / f"log{Daemon._number}"
        self._log.touch()
        around = Surroundings(site.folder, environment(), self._log, self._log)
        self.process = Fork(["run"], around)

    def ready(self) -> Self:
        """The same, once it serves."""
        until(lambda: self.lines("ready") or self.process.poll() is not None, "the daemon is ready")
        assert self.process.poll() is None, self.text()
        return self

    @property
    def port(self) -> int:
        """Where its first listener listens."""
        return int(self.lines("ready")[0]["listening"][0])

    def text(self) -> str:
        """The log as it is."""
        return self._log.read_text(encoding="utf-8")

    def lines(self, event: str = "") -> list[dict[str, Any]]:
        """The complete lines of the log about that event, or all."""
        lines = [json.loads(line) for line in self.text().splitlines(keepends=True) if line.endswith("\n")]
        return [line for line in lines if not event or line["event"] == event]

    def deliver(self, sender: str, recipient: str, raw: bytes) -> None:
        """Hand a mail to the daemon's LMTP listener, as an MTA does; returns when it has been accepted."""
        with smtplib.LMTP(HOST, self.port, timeout=110) as lmtp:
            lmtp.sendmail(sender, [recipient], raw)

    def end(self) -> tuple[Done, float]:
        """Send SIGTERM; how it ended, and after how many seconds."""
        asked = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        code = self.process.wait(110)
        return Done(code, "", self.text()), time.monotonic() - asked

    def kill(self) -> None:
        """SIGKILL, if it still runs."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(110)
