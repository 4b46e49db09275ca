"""Outages: the times in which no server was running, known from the heartbeats that a server leaves in the database."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog
from sqlalchemy import CompoundSelect, Engine, bindparam, cast, select, union_all
from sqlmodel import Session, col
from sqlmodel import select as rows_of

from pbem.storage.clock import LONGEST_REST, THE_ONE
from pbem.storage.database import read_only, transaction
from pbem.storage.models import Clock, Outage
from pbem.storage.utc import Utc

log = structlog.get_logger()

EVERY = timedelta(minutes=1)
"""How often a running server leaves a heartbeat."""
SILENCE = timedelta(minutes=5)
"""A longer time without any is an outage."""
_SILENCES: CompoundSelect[Any] = union_all(
    select(col(Outage.since), col(Outage.until)).where(col(Outage.until) > bindparam("start", type_=Utc)),
    select(col(Clock.beat), cast(None, Utc)).where(col(Clock.id) == THE_ONE),
)
"""The outages that ended after an instant, and the last heartbeat, which ended no outage so far."""


@dataclass(frozen=True, slots=True)
class QuietTime:
    since: datetime
    until: datetime


def beat(engine: Engine, now: datetime) -> None:
    """Note that a server is running, and the outage that ends with that."""
    with read_only(engine) as session:
        row = session.get(Clock, THE_ONE)
        if row is not None and row.beat is not None and abs(now - row.beat) < EVERY:
            return
    with transaction(engine) as session:
        row = session.get(Clock, THE_ONE, with_for_update=True, populate_existing=True)
        if row is None:
            row = Clock(id=THE_ONE)
        if row.beat is not None and now - row.beat > SILENCE:
            session.add(Outage(since=row.beat, until=now))
            log.warning("no server was running", since=f"{row.beat:%FT%T}", until=f"{now:%FT%T}")
        row.beat = now
        session.add(row)


def after(session: Session, start: datetime, now: datetime) -> list[QuietTime]:
    """Return the outages that ended after an instant, in order, and the one which hasn't been noted yet, if any."""
    rows = session.connection().execute(_SILENCES, {"start": start}).all()
    known = sorted((QuietTime(since, until) for since, until in rows if until is not None), key=lambda each: each.until)
    last = next((beat for beat, until in rows if until is None), None)
    return [*known, QuietTime(last, now)] if last is not None and now - last > SILENCE else known


def leap(session: Session, now: datetime) -> str | None:
    """Return how the clock leapt within the last day, if an outage was so long that it must have."""
    newest = session.exec(rows_of(Outage).order_by(col(Outage.until).desc()).limit(1)).first()
    if newest is None or newest.until < now - timedelta(days=1) or newest.until - newest.since < LONGEST_REST:
        return None
    return f"the clock leapt from {newest.since:%Y-%m-%d} to {newest.until:%Y-%m-%d}, unless no server ran in between"
