"""What each running server tells of itself in the database, where the operator can see it.

Each server has a row of its own, written once a minute and soon after something has changed, and removed when it stops
in good order. One that was killed leaves its row to its successor on the same machine, or to others a day later.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from importlib.metadata import version
from typing import Any

from sqlalchemy import Engine, delete
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, col, select

from pbem.process_vitals import Vitals
from pbem.server import figures
from pbem.storage import leases
from pbem.storage.database import transaction
from pbem.storage.models import Daemon
from pbem.storage.utc import apart

EVERY = 60.0  # how often a server tells how it is, in seconds
SILENT = timedelta(minutes=3)  # a server that has told nothing for longer doesn't run any more, or hangs
FORGOTTEN = timedelta(days=1)
ENDED = "ended without saying so: killed, or out of memory; the log may say more"
MOST = 50  # how many servers are looked at


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
