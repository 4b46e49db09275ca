"""The watch over the loops: where one hangs, that is logged with its place, and the process ends.

Once it is started again, a message in whose handling it ended goes to a process of its own (see `server.alone`). A long
step of C that lets no other thread run stops this one too: systemd then hears nothing, and ends the process.
"""

import os
import threading
from collections.abc import Callable
from contextlib import suppress

import structlog

from pbem.server.health.systemd import Systemd
from pbem.vitals import Pulse, Vitals

log = structlog.get_logger()

HUNG = 70
"""The exit code of a process in which a loop hangs: EX_SOFTWARE."""


def _end() -> None:
    """End the process without waiting for anything: what it was at is taken up when it starts again."""
    os._exit(HUNG)


class HealthWatch:
    """Looks after the loops of a server, again and again, in a thread that does nothing else."""

    def __init__(self, vitals: Vitals, systemd: Systemd, end: Callable[[], None] = _end) -> None:
        self._vitals = vitals
        self._systemd = systemd
        self._end = end
        self._looked = vitals.monotonic()

    def start(self, stop: threading.Event) -> None:
        threading.Thread(target=self._run, args=(stop,), name="watch", daemon=True).start()

    def _run(self, stop: threading.Event) -> None:
        while not stop.wait(self._systemd.interval):
            with suppress(Exception):  # what can't be looked at must not end the watch; systemd notices the silence
                self.look()

    def look(self) -> None:
        """Tell systemd that all is well; if a loop hangs, log where, and end the process."""
        now, looked = self._vitals.monotonic(), self._looked
        self._looked = now
        if now - looked > 3 * self._systemd.interval + 1:  # we ourselves were stopped: so were they, and none hangs
            for pulse in tuple(self._vitals.pulses.values()):
                pulse.forgive()
        hanging = tuple(self._vitals.hanging)
        for pulse in hanging:
            log.error("a loop hangs", loop=pulse.name, seconds=round(pulse.silent_for), at=pulse.place())
        self._systemd.status(status(self._vitals, hanging))
        if hanging:
            self._end()
        else:
            self._systemd.alive()


def status(vitals: Vitals, hanging: tuple[Pulse, ...]) -> str:
    lost = [link.name for link in vitals.links.values() if link.is_up is False]
    untried = [link.name for link in vitals.links.values() if link.is_up is None and link.is_needed]
    parts = [
        f"hangs: {', '.join(pulse.name for pulse in hanging)}" if hanging else "",
        f"no connection: {', '.join(lost)}" if lost else "",
        f"connecting: {', '.join(untried)}" if untried else "",
    ]
    told = "; ".join(part for part in parts if part)
    counts = vitals.counts
    return told or f"serving: {counts.total(counts.mails_in)} messages in, {counts.total(counts.sent_in)} out"
