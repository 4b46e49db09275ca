"""Retention by a clock that has gone on steadily, for tests that look at what is old."""

from datetime import datetime

from sqlalchemy import Engine

from pbem.storage.clock import SteadyClock
from pbem.storage.retention import Retention


def steadily(engine: Engine, start: datetime, now: datetime) -> Retention:
    """Return the retention of a process that began at the one time, and has run until the other."""
    passed = [0.0]
    retention = Retention(SteadyClock(start, lambda: passed[0]))
    retention.step(engine, 0, 0, start)
    passed[0], retention.due = (now - start).total_seconds(), None
    return retention
