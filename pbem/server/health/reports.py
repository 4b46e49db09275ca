"""What each running server tells of itself in the database, where the operator and the other servers can see it.

It tells so once a minute, and soon after something has changed. Each has a row of its own, removed when it stops in
good order; one that was killed leaves its row behind until its successor on the same machine, or a day, removes it.
"""

import os
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from importlib.metadata import version
from typing import TYPE_CHECKING

from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, Engine, delete
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, col, select

from pbem.storage import leases
from pbem.storage.database import transaction
from pbem.storage.models import Daemon

if TYPE_CHECKING:  # `pbem status` only reads what servers have told
    from pbem.vitals import Vitals

EVERY = timedelta(minutes=1)
"""How often a server tells how it is."""
SILENT = timedelta(minutes=3)
"""A server that has told nothing for longer doesn't run any more, or hangs."""
FORGOTTEN = timedelta(days=1)
"""After how long what a killed server left behind is removed."""
MOST = 50
"""How many servers are looked at."""


@dataclass(frozen=True, slots=True)
class LinkState:
    name: str
    is_up: bool | None
    lost_for: float
    error: str = ""
    """Why it is lost."""


@dataclass(frozen=True, slots=True)
class ServerState:
    is_ready: bool
    links: tuple[LinkState, ...]
    hanging: tuple[str, ...]
    """The loops that hang."""
    mails_in: int = 0
    mails_out: int = 0
    killed: int = 0

    @property
    def gist(self) -> tuple[object, ...]:
        return (self.is_ready, self.hanging, *((link.name, link.is_up) for link in self.links))


_STATES = TypeAdapter(ServerState)


@dataclass(frozen=True, slots=True)
class Report:
    host: str
    process: int
    version: str
    started: datetime
    told: datetime
    state: ServerState


def state(vitals: "Vitals") -> ServerState:
    counts = vitals.counts
    return ServerState(
        is_ready=vitals.is_ready,
        links=tuple(
            LinkState(link.name, link.is_up, round(link.lost_for), link.error) for link in tuple(vitals.links.values())
        ),
        hanging=tuple(pulse.name for pulse in vitals.hanging),
        mails_in=counts.total(counts.mails_in),
        mails_out=counts.total(counts.sent_in),
        killed=counts.total(counts.killed),
    )


class Reporter:
    def __init__(self, vitals: "Vitals", started: datetime) -> None:
        self._vitals = vitals
        self._started = started
        self._host, self._process = leases.HOST, os.getpid()
        self._told: datetime | None = None
        self._gist: tuple[object, ...] = ()

    def tell(self, engine: Engine, now: datetime) -> None:
        present = state(self._vitals)
        is_first = self._told is None
        if self._told is not None and present.gist == self._gist and self._told <= now < self._told + EVERY:
            return
        with transaction(engine) as session:
            if is_first:
                self._clear(session, now)
            self._write(session, present, now)
        self._told, self._gist = now, present.gist

    def end(self, engine: Engine) -> None:
        """Remove the row: this server stops in good order. If the database fails, its successor does so."""
        if self._told is not None:
            with suppress(DBAPIError), transaction(engine) as session:
                session.exec(delete(Daemon).where(*self._own))

    @property
    def _own(self) -> tuple[ColumnElement[bool], ...]:
        return col(Daemon.host) == self._host, col(Daemon.process) == self._process

    def _write(self, session: Session, present: ServerState, now: datetime) -> None:
        row = session.exec(select(Daemon).where(*self._own)).first()
        told = _STATES.dump_python(present, mode="json")
        if row is None:
            row = Daemon(
                host=self._host,
                process=self._process,
                version=version("pbem"),
                started=self._started,
                told=now,
                state=told,
            )
        row.told, row.state = now, told
        session.add(row)

    def _clear(self, session: Session, now: datetime) -> None:
        """Remove rows of this process's earlier namesakes, of dead ones on this machine, and of those long silent."""
        for row in session.exec(select(Daemon).limit(MOST)):
            is_mine = row.host == self._host and not leases.runs(row.process)
            if is_mine or now - row.told > FORGOTTEN:
                session.delete(row)
        session.flush()


def reports(session: Session) -> list[Report]:
    rows = session.exec(select(Daemon).order_by(col(Daemon.id)).limit(MOST))
    return [
        Report(row.host, row.process, row.version, row.started, row.told, _STATES.validate_python(row.state))
        for row in rows
    ]
