"""The clock: what happened within some time, and whether a server can start by it."""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Engine
from sqlmodel import Session, col, select

from pbem.storage.database import Unusable, read_only
from pbem.storage.models import Clock, Incoming

SLACK = timedelta(minutes=5)
"""How far the clocks of several daemons may differ."""
LONGEST_REST = timedelta(days=366)
"""A server that starts later than that after the last one ran has a wrong clock, unless its operator knows better."""
THE_ONE = 1
IF_RIGHT = 'If it is right, "pbem run --clock-is-right" starts once all the same'


class WrongClock(Unusable):
    """A clock that can't be right."""


def within(column: Any, span: timedelta, now: datetime) -> ColumnElement[bool]:
    """Return whether a stored time lies in the span before now."""
    return col(column) > now - span


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
    """Raise WrongClock if the clock must be wrong: a server would end matches and remove messages by it."""
    with read_only(engine) as session:
        why = doubt(session, now)
    if why is not None:
        raise WrongClock(f"{why}; set it. {IF_RIGHT}")


def apart(time: timedelta) -> str:
    """Return how long that is, for a sentence; in seconds, minutes, hours or days."""
    seconds = abs(time).total_seconds()
    sizes = {"days": 86400, "hours": 3600, "minutes": 60}
    unit, size = next(((unit, size) for unit, size in sizes.items() if seconds >= 2 * size), ("seconds", 1))
    return f"{seconds / size:.0f} {unit}"
