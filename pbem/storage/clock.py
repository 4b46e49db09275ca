"""The clock: what happened within some time, and whether the clock can be trusted with what can't be undone.

A machine's clock may be wrong for a moment: set by hand, restored with a snapshot, not yet told by the network. What
was stored meanwhile has times that are yet to come, and counts for nothing until then. And nothing is removed for its
age, nor lost for its time, until the clock has gone on steadily for a day.
"""

import time
from collections.abc import Callable
from dataclasses import InitVar, dataclass, field
from datetime import datetime, timedelta
from typing import Any

import structlog
from sqlalchemy import ColumnElement, Engine, and_, bindparam
from sqlmodel import col

from pbem.storage.database import read_only, transaction
from pbem.storage.models import Clock
from pbem.storage.utc import Utc

log = structlog.get_logger()

SLACK = timedelta(minutes=5)
"""How far the clocks of several daemons may differ."""
LEAP = timedelta(hours=12)
"""A longer step between two looks, or while no daemon was running, counts as a leap."""
SETTLES_IN = timedelta(days=1)
"""How long the clock must go on steadily after a leap."""
LOOK_AGAIN = timedelta(hours=1)
"""How long what was seen of the clock is believed, as long as it goes on with the time that passes."""
THE_ONE = 1
LEAPT = "the clock leapt; nothing ends or is removed by time for a day"


def within(column: Any, span: timedelta, now: datetime) -> ColumnElement[bool]:
    """Return whether a stored time lies in the span before now: not before it, and not in the future."""
    return and_(col(column) > now - span, col(column) <= now + SLACK)


def in_span(column: Any) -> ColumnElement[bool]:
    """Return the same condition for a statement that is built once; `ends` returns its parameters."""
    return and_(col(column) > bindparam("since", type_=Utc), col(column) <= bindparam("until", type_=Utc))


def ends(span: timedelta, now: datetime) -> dict[str, datetime]:
    """Return the parameters of a statement with `in_span`."""
    return {"since": now - span, "until": now + SLACK}


def new_clock(now: datetime) -> Clock:
    """Return the row for a new database, in which there is nothing yet that a wrong clock could end."""
    return Clock(id=THE_ONE, seen=now, steady_since=now - SETTLES_IN)


@dataclass(slots=True)
class SteadyClock:
    """Compares the clock with the time that has passed in this process, and with the last time in the database."""

    start: InitVar[datetime]
    """What the clock showed when this process began."""
    monotonic: Callable[[], float] = time.monotonic
    _last: tuple[datetime, float] = field(init=False)
    _is_first: bool = field(default=True, init=False)
    _was_steady: bool = field(default=False, init=False)

    def __post_init__(self, start: datetime) -> None:
        """Begin to measure."""
        self._last = start, self.monotonic()

    def is_trusted(self, engine: Engine, now: datetime) -> bool:
        """Return the same as `is_steady`; look at the database only once an hour, or when the clock has just leapt."""
        before, then = self._last
        drift = (now - before) - timedelta(seconds=self.monotonic() - then)
        if self._is_first or abs(drift) > LEAP or not timedelta() <= now - before < LOOK_AGAIN:
            return self.is_steady(engine, now)
        return self._was_steady

    def is_steady(self, engine: Engine, now: datetime) -> bool:
        """Return whether the clock has gone on steadily for a day; note that it was looked at."""
        with read_only(engine) as session:
            seen = session.get(Clock, THE_ONE)
        passed = self.monotonic()
        leaps = seen is not None and self._leaps(seen.seen, now, passed)
        self._last, self._is_first = (now, passed), False
        with transaction(engine) as session:
            row = session.get(Clock, THE_ONE, with_for_update=True)
            if row is None:
                row = new_clock(now)
            if leaps:
                log.error(LEAPT, before=f"{row.seen:%FT%T}", now=f"{now:%FT%T}")
                row.steady_since = now
            row.seen = now
            session.add(row)
            self._was_steady = now - row.steady_since >= SETTLES_IN
            return self._was_steady

    def _leaps(self, seen: datetime, now: datetime, passed: float) -> bool:
        """Return whether the clock went on otherwise than time did, as far as this process knows."""
        before, then = self._last
        drift = (now - before) - timedelta(seconds=passed - then)
        # Nobody knows how long no daemon was running. Later on, another daemon may have seen another time.
        disagrees = abs(before - seen) > LEAP if self._is_first else before - seen > LEAP or seen - now > LEAP
        return abs(drift) > LEAP or disagrees
