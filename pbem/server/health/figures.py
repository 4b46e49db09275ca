"""Figures from the database: how much waits, for how long, and how many matches there are.

Each is counted in an index and up to a limit, in a session that can't write and holds no lock. None is on the path of a
message: they are read when somebody asks, and not more often than every few seconds.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, func, select
from sqlmodel import Session, col

from pbem.storage import setbacks
from pbem.storage.clock import THE_ONE
from pbem.storage.models import (
    Backup,
    Incoming,
    IncomingState,
    Lane,
    Match,
    MatchState,
    Outgoing,
    OutgoingState,
    Player,
)

MOST = 10_000
"""How many messages of a queue are looked at; a longer one counts as so many."""
MOST_MATCHES = 100_000
"""The same for matches of one state."""


@dataclass(frozen=True, slots=True)
class Queue:
    """Messages, or players, that wait for the same thing."""

    name: str
    about: str
    since: Any
    """The column that says since when one waits."""
    which: tuple[ColumnElement[bool], ...]
    metric: str
    label: str = ""
    """What Prometheus tells its name by, where several queues are one metric."""


def _are(table: Any, state: IncomingState | OutgoingState) -> tuple[ColumnElement[bool], ...]:
    return col(table.state) == state, col(table.removed).is_(None)


LANES = {"replies": Lane.REPLIES, "players": Lane.PLAYERS, "strangers": Lane.STRANGERS}
_TO_HANDLE, _UNSENT = "Received messages that wait to be handled", "Outgoing messages that aren't sent yet"
_HELD, _SHUNTED = (
    "Received messages that wait for their sender to confirm them",
    "Received messages set aside for a bug",
)
_TROUBLED, _COMPLAINED = (
    "Outgoing messages that need the operator",
    "Players whose provider reported our messages as spam",
)
_OWED = _are(Outgoing, OutgoingState.OWED)
_UNSENT_STATES = ("owed", "waiting", "batched", "paused", "suspended")
_NEW = {name: (*_are(Incoming, IncomingState.NEW), col(Incoming.lane) == lane) for name, lane in LANES.items()}
QUEUES = (
    *(Queue(name, _TO_HANDLE, Incoming.received, which, "received_waiting", "lane") for name, which in _NEW.items()),
    Queue("held", _HELD, Incoming.received, _are(Incoming, IncomingState.HELD), "held"),
    Queue("shunted", _SHUNTED, Incoming.received, _are(Incoming, IncomingState.SHUNTED), "shunted"),
    *(
        Queue(state, _UNSENT, Outgoing.created, _are(Outgoing, OutgoingState(state)), "outgoing", "state")
        for state in _UNSENT_STATES
    ),
    Queue("troubled", _TROUBLED, Outgoing.troubled, (col(Outgoing.troubled).is_not(None),), "troubled"),
    Queue("complained", _COMPLAINED, Player.complained, (col(Player.complained).is_not(None),), "complained"),
)
"""What is counted: for `pbem status`, Prometheus, and whether all is well."""


@dataclass(frozen=True, slots=True)
class QueueSize:
    """How many wait in a queue, and for how many seconds the first of them has waited."""

    length: int
    oldest: float


@dataclass(frozen=True, slots=True)
class Figures:
    queues: dict[str, QueueSize]
    """What waits, by the name of its queue."""
    overdue: float
    """For how many seconds the first of those that are owed has been due: what the next hop refuses is due later."""
    matches: dict[str, int]
    """How many matches there are, by state."""
    failing: tuple[str, ...]
    """What fails of the scheduled work."""
    backup: datetime | None
    """When a server made the last backup by itself."""
    no_backup_since: datetime | None
    """Since when none can be made."""


def read(session: Session, now: datetime, matches: dict[str, int] | None = None) -> Figures:
    due = session.connection().execute(select(func.min(Outgoing.due)).where(*_OWED)).scalar()
    backup = session.get(Backup, THE_ONE)
    return Figures(
        queues={queue.name: _size(session, queue, now) for queue in QUEUES},
        overdue=_age(due, now),
        matches=matches or count_matches(session),
        failing=tuple(setbacks.failing(session, now)),
        backup=backup.made if backup is not None else None,
        no_backup_since=backup.troubled if backup is not None else None,
    )


def count_matches(session: Session) -> dict[str, int]:
    """Return how many matches there are, by state. Of all figures this one takes the longest, if there are many."""
    return {state.value: _count(session, col(Match.state) == state) for state in MatchState}


def _size(session: Session, queue: Queue, now: datetime) -> QueueSize:
    waiting = select(col(queue.since).label("since")).where(*queue.which).limit(MOST).subquery()
    length, oldest = session.connection().execute(select(func.count(), func.min(waiting.c.since))).one()
    return QueueSize(length, _age(oldest, now))


def _count(session: Session, which: ColumnElement[bool]) -> int:
    some = select(col(Match.state)).where(which).limit(MOST_MATCHES).subquery()
    return session.connection().execute(select(func.count()).select_from(some)).scalar_one()


def _age(since: datetime | None, now: datetime) -> float:
    return max(timedelta(), now - since).total_seconds() if since is not None else 0.0
