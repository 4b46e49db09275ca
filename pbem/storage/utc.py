"""The current time, and the type of the columns with times."""

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import DateTime, Dialect, TypeDecorator


def now() -> datetime:
    """Return the current time; all stored times come from here."""
    return datetime.now(UTC)


class Utc(TypeDecorator[datetime]):
    """Timezone-aware times, also on a database that stores no zone (SQLite)."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Convert to UTC."""
        return value.astimezone(UTC) if value else None

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """Mark the stored time as UTC, or convert to it."""
        if value is None:
            return None
        aware: datetime = value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
        return aware
