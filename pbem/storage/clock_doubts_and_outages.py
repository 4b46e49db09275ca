"""The clock: whether it can be right, and when no server was running (outages), by heartbeats in the database."""

from datetime import datetime, timedelta
from operator import attrgetter
from typing import Any

import structlog
from sqlalchemy import CompoundSelect, Engine, bindparam, cast, union_all
from sqlalchemy import select as columns
from sqlmodel import Session, col, select

from pbem.storage.database import Unusable, read_only, transaction
from pbem.storage.models import Clock, Incoming, Outage
from pbem.storage.utc import Utc, apart

log = structlog.get_logger()

SLACK = timedelta(minutes=5)  # how far the clocks of several daemons may differ
LONGEST_REST = timedelta(days=366)
"""A server that starts later than that after the last one ran has a wrong clock, unless its operator knows better."""
THE_ONE = 1
IF_RIGHT = 'If it is right, "pbem run --clock-is-right" starts once all the same'
BEAT_EVERY = timedelta(minutes=1)
SILENCE = timedelta(minutes=5)  # a longer time without a heartbeat is an outage
_SILENCES: CompoundSelect[Any] = union_all(
    columns(col(Outage.since), col(Outage.until)).where(col(Outage.until) > bindparam("start", type_=Utc)),
    columns(col(Clock.beat), cast(None, Utc)).where(col(Clock.id) == THE_ONE),
)
"""The outages that ended after an instant, and the last heartbeat, which ended no outage so far."""


def doubt(session: Session, now: datetime) -> str | None:
    """Return why the clock must be wrong, by when a server last ran or received a message; None if it can be right."""
    clock = session.get(Clock, THE_ONE)
    last, what = clock.beat if clock is not None else None, "a server last ran here"
    if last is None:
        newest = select(Incoming.received).order_by(col(Incoming.id).desc()).limit(1)
        last, what = session.exec(newest).first(), "the newest message was received"
    if last is None or last - SLACK <= now <= last + LONGEST_REST:
        return None
    return f"the clock says {now:%Y-%m-%d %H:%M} UTC, {apart(now - last)} {'before' if now < last else 'after'} {what}"


def require_right(engine: Engine, now: datetime) -> None:
    """Raise Unusable if the clock must be wrong: a server would end matches and remove messages by it."""
    with read_only(engine) as session:
        why = doubt(session, now)
    if why is not None:
        raise Unusable(f"{why}; set it. {IF_RIGHT}")


def beat(engine: Engine, now: datetime) -> None:
    """Note that a server is running, and the outage that ends with that."""
    with read_only(engine) as session:
        row = session.get(Clock, THE_ONE)
        if row is not None and row.beat is not None and abs(now - row.beat) < BEAT_EVERY:
            return
    with transaction(engine) as session:
        row = session.get(Clock, THE_ONE, with_for_update=True, populate_existing=True) or Clock(id=THE_ONE)
        if row.beat is not None and now - row.beat > SILENCE:
            session.add(Outage(since=row.beat, until=now))
            log.warning("no server was running", since=f"{row.beat:%FT%T}", until=f"{now:%FT%T}")
        row.beat = now
        session.add(row)


def outages_after(session: Session, start: datetime, now: datetime) -> list[Outage]:
    """Return the outages that ended after an instant, in order, and the one that isn't stored yet, if any."""
    rows = session.connection().execute(_SILENCES, {"start": start}).all()
    outages = [Outage(since=since, until=until) for since, until in rows if until is not None]
    outages.sort(key=attrgetter("until"))
    last = next((beat for beat, until in rows if until is None), None)
    return [*outages, Outage(since=last, until=now)] if last is not None and now - last > SILENCE else outages


def leap(session: Session, now: datetime) -> str | None:
    """Return how the clock leapt within the last day, if an outage was so long that it must have."""
    newest = session.exec(select(Outage).order_by(col(Outage.until).desc()).limit(1)).first()
    if newest is None or newest.until < now - timedelta(days=1) or newest.until - newest.since < LONGEST_REST:
        return None
    return f"the clock leapt from {newest.since:%Y-%m-%d} to {newest.until:%Y-%m-%d}, unless no server ran in between"
