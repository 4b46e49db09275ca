"""Whether the loops of this server go on: systemd is told so (Type=notify), and a process in which one hangs is ended.

A watch looks after the loops. Where one hangs, it logs what each thread is at, and ends the process. A long step of C
that lets no other thread run stops the watch too: systemd then hears nothing, and ends the process.
"""

import faulthandler
import os
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress

import structlog

from pbem.process_vitals import Vitals
from pbem.server import figures
from pbem.storage.sqlite import Files

log = structlog.get_logger()

HUNG = 70  # the exit code of a process in which a loop hangs: EX_SOFTWARE
REPLACED = 73  # that of a process whose database file was replaced: EX_CANTCREAT
LOOK_SECONDS = 5.0  # how often to look after the loops where systemd doesn't ask for more


class Systemd:
    """The service manager that started this process, if it wants to be told: sd_notify(3) is one datagram."""

    def __init__(self, environment: Mapping[str, str] = os.environ) -> None:
        self._address = environment.get("NOTIFY_SOCKET", "").replace("@", "\0", 1)
        third = int(environment.get("WATCHDOG_USEC", "0")) / 3e6  # of the time that systemd waits
        self.interval = min(third or LOOK_SECONDS, LOOK_SECONDS)
        """How often to look after the loops, in seconds."""

    def tell(self, message: str) -> None:
        """Send it without waiting; what isn't taken at once is left out."""
        if self._address:
            with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sender:
                sender.sendto(f"{message}\n".encode(), socket.MSG_DONTWAIT, self._address)


class Watch:
    def __init__(
        self, vitals: Vitals, systemd: Systemd, end: Callable[[int], object] = os._exit, files: Files | None = None
    ) -> None:
        """Make a watch that calls `end` with an exit code: without waiting for anything, as all is taken up later."""
        self._vitals, self._systemd, self._end, self._files = vitals, systemd, end, files
        self._looked, self._status = vitals.monotonic(), ""

    def run(self, stop: threading.Event) -> None:
        while not stop.wait(self._systemd.interval):
            with suppress(Exception):  # what can't be looked at must not end the watch; systemd notices the silence
                self.look()

    def look(self) -> None:
        """Tell systemd how the server is, and that its loops go on; if one hangs, log where, and end the process."""
        if self._files is not None and self._files.have_been_replaced():
            log.error("the database was replaced", error=self._files.set_aside())
            self._end(REPLACED)
        now, looked, pulses = self._vitals.monotonic(), self._looked, tuple(self._vitals.pulses.values())
        self._looked = now
        if now - looked > 3 * self._systemd.interval + 1:  # we ourselves were stopped: so were they, and none hangs
            for pulse in pulses:
                pulse.forgive()
        hanging = [pulse for pulse in pulses if pulse.hangs]
        for pulse in hanging:
            log.error("a loop hangs", loop=pulse.name, seconds=round(pulse.silent_for))
        counts, problems = self._vitals.counts, figures.problems(figures.of_server(self._vitals))
        serving = f"serving: {counts.total(counts.mails_in)} messages in, {counts.total(counts.sent_in)} out"
        status = "; ".join(problems) or serving
        if status != self._status:
            self._status = status
            self._systemd.tell(f"STATUS={status}")
        if hanging:
            faulthandler.dump_traceback(2)  # of all threads
            self._end(HUNG)
        else:
            self._systemd.tell("WATCHDOG=1")
