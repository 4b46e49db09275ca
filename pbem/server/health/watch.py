"""The watch over the loops: one that hangs is logged, with where it is, and systemd isn't told that all is well."""

import threading
from contextlib import suppress

import structlog

from pbem.server.health.systemd import Systemd
from pbem.vitals import Pulse, Vitals

log = structlog.get_logger()


class HealthWatch:
    """Looks after the loops of a server, again and again, in a thread that does nothing else."""

    def __init__(self, vitals: Vitals, systemd: Systemd) -> None:
        self._vitals = vitals
        self._systemd = systemd
        self._looked = vitals.monotonic()
        self._hanging: dict[str, float] = {}
        """The loops that hang, and when each was noticed."""

    def start(self, stop: threading.Event) -> None:
        """Look until stopped, in a thread."""
        threading.Thread(target=self._run, args=(stop,), name="watch", daemon=True).start()

    def _run(self, stop: threading.Event) -> None:
        while not stop.wait(self._systemd.interval):
            with suppress(Exception):  # what can't be looked at must not end the watch; systemd notices the silence
                self.look()

    def look(self) -> None:
        """Log which loops have begun to hang, and which go on again; tell systemd that all is well if none hangs."""
        now, looked = self._vitals.monotonic(), self._looked
        self._looked = now
        if now - looked > 3 * self._systemd.interval + 1:  # we ourselves were stopped: so were they, and none hangs
            for pulse in tuple(self._vitals.pulses.values()):
                pulse.forgive()
        hanging = {pulse.name: pulse for pulse in self._vitals.hanging}
        for name, pulse in hanging.items():
            if name not in self._hanging:
                self._hanging[name] = now - pulse.silent_for
                log.error("a loop hangs", loop=name, seconds=round(pulse.silent_for), at=pulse.place())
        for name in tuple(self._hanging):
            if name not in hanging:
                log.warning("a loop goes on", loop=name, seconds=round(now - self._hanging.pop(name)))
        self._systemd.status(status(self._vitals, tuple(hanging.values())))
        if not hanging:
            self._systemd.alive()


def status(vitals: Vitals, hanging: tuple[Pulse, ...]) -> str:
    """Return how the server is, in one line."""
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
