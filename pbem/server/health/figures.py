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
LANES = {Lane.REPLIES: "replies", Lane.PLAYERS: "players", Lane.STRANGERS: "strangers"}


@dataclass(frozen=True, slots=True)
class QueueSize:
    """Messages that wait for the same thing, and for how many seconds the first of them has waited."""

    name: str
    length: int
    oldest: float


@dataclass(frozen=True, slots=True)
class Figures:
    """What the database tells."""

    received: tuple[QueueSize, ...]
    """Received messages that wait to be handled, by lane."""
    held: QueueSize
    """Those that wait for their sender to confirm them."""
    shunted: QueueSize
    """Those that were set aside because of a bug."""
    outgoing: tuple[QueueSize, ...]
    """Outgoing messages that aren't sent yet, by state."""
    overdue: float
    """For how many seconds the first of those that are owed has been due: what the next hop refuses is due later."""
    troubled: QueueSize
    """Outgoing messages that need the operator."""
    complained: QueueSize
    """Players who have complained about our messages, and get turns only."""
    matches: dict[str, int]
    """How many matches there are, by state."""

    failing: tuple[str, ...]
    """What fails of the scheduled work."""
    suspended: tuple[str, ...]
    """The games whose packages have failed too often."""
    stopped: dict[str, int]
    """How many matches have stopped because their game isn't there, by its key."""
    backup: datetime | None
    """When a server made the last backup by itself."""
    no_backup_since: datetime | None
    """Since when none can be made."""

    @property
    def owed(self) -> QueueSize:
        """The messages that are to be sent now, or again."""
        return next(queue for queue in self.outgoing if queue.name == OutgoingState.OWED)


def read(session: Session, now: datetime, matches: dict[str, int] | None = None) -> Figures:
    """Return the figures at that time; the matches are counted unless somebody did so before."""
    new = (col(Incoming.state) == IncomingState.NEW,)
    unsent = (
        OutgoingState.OWED,
        OutgoingState.WAITING,
        OutgoingState.BATCHED,
        OutgoingState.PAUSED,
        OutgoingState.SUSPENDED,
    )
    due = select(func.min(Outgoing.due)).where(*_to_send(OutgoingState.OWED))
    backup = session.get(Backup, THE_ONE)
    return Figures(
        received=tuple(
            _queue(session, name, Incoming.received, (*new, col(Incoming.lane) == lane), now)
            for lane, name in LANES.items()
        ),
        held=_queue(session, "held", Incoming.received, _came(IncomingState.HELD), now),
        shunted=_queue(session, "shunted", Incoming.received, _came(IncomingState.SHUNTED), now),
        outgoing=tuple(_queue(session, state.value, Outgoing.created, _to_send(state), now) for state in unsent),
        overdue=_age(session.connection().execute(due).scalar(), now),
        troubled=_queue(session, "troubled", Outgoing.troubled, (col(Outgoing.troubled).is_not(None),), now),
        complained=_queue(session, "complained", Player.complained, (col(Player.complained).is_not(None),), now),
        matches=matches or count_matches(session),
        failing=tuple(setbacks.failing(session, now)),
        suspended=tuple(setbacks.suspended(session)),
        stopped=count_stopped(session),
        backup=backup.made if backup is not None else None,
        no_backup_since=backup.troubled if backup is not None else None,
    )


def count_matches(session: Session) -> dict[str, int]:
    """Return how many matches there are, by state. Of all figures this one takes the longest, if there are many."""
    return {state.value: _count(session, col(Match.state) == state) for state in MatchState}


def count_stopped(session: Session) -> dict[str, int]:
    """Return how many matches have stopped because their game isn't there, by its key."""
    some = select(col(Match.game)).where(col(Match.missing).is_not(None)).limit(MOST_MATCHES).subquery()
    found = session.connection().execute(select(some.c.game, func.count()).group_by(some.c.game).order_by(some.c.game))
    return {row[0]: row[1] for row in found}


def _came(state: IncomingState) -> tuple[ColumnElement[bool], ...]:
    return col(Incoming.state) == state, col(Incoming.removed).is_(None)


def _to_send(state: OutgoingState) -> tuple[ColumnElement[bool], ...]:
    return col(Outgoing.state) == state, col(Outgoing.removed).is_(None)


def _queue(session: Session, name: str, since: Any, which: tuple[ColumnElement[bool], ...], now: datetime) -> QueueSize:
    waiting = select(col(since).label("since")).where(*which).limit(MOST).subquery()
    length, oldest = session.connection().execute(select(func.count(), func.min(waiting.c.since))).one()
    return QueueSize(name, length, _age(oldest, now))


def _count(session: Session, which: ColumnElement[bool]) -> int:
    some = select(col(Match.state)).where(which).limit(MOST_MATCHES).subquery()
    return session.connection().execute(select(func.count()).select_from(some)).scalar_one()


def _age(since: datetime | None, now: datetime) -> float:
    return max(timedelta(), now - since).total_seconds() if since is not None else 0.0
