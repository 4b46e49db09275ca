"""Retention with a steady clock, for tests about old data."""

from datetime import datetime

from sqlalchemy import Engine

from pbem.storage.clock import SteadyClock
from pbem.storage.retention import Retention


def steadily(engine: Engine, start: datetime, now: datetime, keep_days: int, waiting_days: int) -> Retention:
    """Return the retention of a process that has run from `start` to `now`."""
    passed = [0.0]
    retention = Retention(SteadyClock(start, lambda: passed[0]), 0, 0)
    retention.step(engine, start)
    passed[0], retention.due = (now - start).total_seconds(), None
    retention.keep_days, retention.waiting_days = keep_days, waiting_days
    return retention
