"""What each running server tells of itself: in the database, where the operator can see it, and systemd (Type=notify).

Each server has a row of its own, written once a minute and soon after something has changed, and removed when it stops
in good order. One that was killed leaves its row to its successor on the same machine, or to others a day later.

A watch looks after the loops. Where one hangs, it logs what each thread is at, and ends the process. A long step of C
that lets no other thread run stops the watch too: systemd then hears nothing, and ends the process.
"""

import faulthandler
import os
import socket
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from importlib.metadata import version
from typing import Any

import structlog
from sqlalchemy import Engine, delete
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, col, select

from pbem.process_vitals import Vitals
from pbem.server import figures
from pbem.storage import leases
from pbem.storage.clock_doubts_and_outages import apart
from pbem.storage.database import transaction
from pbem.storage.models import Daemon
from pbem.storage.sqlite import Files

log = structlog.get_logger()

EVERY = 60.0  # how often a server tells how it is, in seconds
SILENT = timedelta(minutes=3)  # a server that has told nothing for longer doesn't run any more, or hangs
FORGOTTEN = timedelta(days=1)
ENDED = "ended without saying so: killed, or out of memory; the log may say more"
MOST = 50  # how many servers are looked at
HUNG = 70  # the exit code of a process in which a loop hangs: EX_SOFTWARE
REPLACED = 73  # that of a process whose database file was replaced: EX_CANTCREAT
LOOK_SECONDS = 5.0  # how often to look after the loops where systemd doesn't ask for more


class Reporter:
    def __init__(
        self, engine: Engine, vitals: Vitals, clock: Callable[[], datetime], announce: Callable[[], object]
    ) -> None:
        """Make what reports how a server is, and calls `announce` once it is ready."""
        self._engine, self._vitals, self._clock, self._started = engine, vitals, clock, clock()
        self._announce: Callable[[], object] | None = announce
        self._has_cleared = False
        self._remove_own = delete(Daemon).where(col(Daemon.host) == leases.HOST, col(Daemon.process) == os.getpid())

    def step(self, _stopped: Callable[[], bool]) -> None:
        now, vitals, counts = self._clock(), self._vitals, self._vitals.counts
        if self._announce is not None and vitals.is_ready:
            self._announce()
            self._announce = None
        state = {
            "is_ready": vitals.is_ready,
            "links": {link.name: link.is_up for link in tuple(vitals.links.values())},
            "problems": list(figures.problems(figures.of_server(vitals))),
            "mails_in": counts.total(counts.mails_in),
            "mails_out": counts.total(counts.sent_in),
        }
        row: dict[str, Any] = {"version": version("pbem"), "started": self._started, "told": now, "state": state}
        with transaction(self._engine) as session:
            for other in () if self._has_cleared else read(session):
                if _has_ended(other) or now - other.told > FORGOTTEN:
                    session.delete(other)
            session.flush()
            session.exec(self._remove_own)
            session.add(Daemon(host=leases.HOST, process=os.getpid(), **row))
        self._has_cleared = True

    def end(self) -> None:
        """Remove the row: this server stops in good order. If the database fails, its successor does so."""
        with suppress(DBAPIError), transaction(self._engine) as session:
            session.exec(self._remove_own)


def _has_ended(row: Daemon) -> bool:
    return row.host == leases.HOST and not leases.runs(row.process)


def read(session: Session) -> list[Daemon]:
    return list(session.exec(select(Daemon).order_by(col(Daemon.id)).limit(MOST)))


def problems(servers: Sequence[Daemon], now: datetime) -> Iterator[str]:
    silent = [row for row in servers if now - row.told > SILENT]
    if all(row in silent or _has_ended(row) for row in servers):
        yield "no server is running"
    for row in servers:
        name = f"{row.host}, process {row.process}"
        if _has_ended(row):
            yield f"{name}: {ENDED}"
        elif row.host == leases.HOST and leases.is_stopped(row.process):
            yield f"{row.host}, {leases.in_words(row.process)}"
        elif row in silent:
            yield f"{name}: told nothing for {apart(now - row.told)}"
        else:
            yield from (f"{name}: {sentence}" for sentence in row.state.get("problems", ()))


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
