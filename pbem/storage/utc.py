"""The current time, the type of columns with times, and lengths of time."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, DateTime, Dialect, TypeDecorator
from sqlmodel import col


def now() -> datetime:
    return datetime.now(UTC)


def within(column: Any, span: timedelta, now: datetime) -> ColumnElement[bool]:
    """Return whether a stored time lies in the span before now."""
    return col(column) > now - span


class Utc(TypeDecorator[datetime]):
    """Timezone-aware times, also on a database that stores no zone (SQLite)."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return value.astimezone(UTC) if value else None

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], datetime | None]:
        """Mark stored times as UTC, or convert them to it: by one call a time, as there may be thousands."""
        read = self.impl_instance.result_processor(dialect, coltype)

        def in_utc(value: Any) -> datetime | None:
            if value is None:
                return None
            stored: Any = value if read is None else read(value)
            if stored.tzinfo is None:  # datetime.replace takes seven times as long
                return datetime.combine(stored, stored.time(), UTC)
            aware: datetime = stored.astimezone(UTC)
            return aware

        return in_utc


def apart(time: timedelta) -> str:
    """Return how long that is, for a sentence; in seconds, minutes, hours or days."""
    seconds = abs(time).total_seconds()
    sizes = {"days": 86400, "hours": 3600, "minutes": 60}
    unit, size = next(((unit, size) for unit, size in sizes.items() if seconds >= 2 * size), ("seconds", 1))
    return f"{seconds / size:.0f} {unit}"
