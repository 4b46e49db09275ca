"""The current time, and the type of the columns with times."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import DateTime, Dialect, TypeDecorator


def now() -> datetime:
    return datetime.now(UTC)


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
