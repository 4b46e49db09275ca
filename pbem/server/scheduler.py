"""Scheduled work: time-outs, vacations, reminders, seeks that end, digests, announcements, removals, telling the admin.

The daemon calls `step` repeatedly. What a player's message causes is in `conversation`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Engine

from pbem.config import ServerSettings
from pbem.house import receipts
from pbem.players import traces
from pbem.ratings import derivation
from pbem.server.scheduled import (
    alerts,
    announcing,
    digest,
    expiry,
    pauses,
    reminders,
    timeouts,
    unreachable,
    vacations,
)
from pbem.storage import outages
from pbem.storage.retention import Retention

LATE = timedelta(minutes=1)
"""How long it may wait while messages are being sent."""


@dataclass(slots=True)
class Scheduler:
    """Does what is due."""

    retention: Retention
    looked: datetime | None = None
    """When it last looked for what is due."""

    def is_late(self, now: datetime) -> bool:
        """Return whether it hasn't looked for too long, or not since the clock was set back."""
        return self.looked is None or not self.looked <= now < self.looked + LATE

    def step(
        self, engine: Engine, server: ServerSettings, now: datetime, stopped: Callable[[], bool] = lambda: False
    ) -> None:
        """Do what is due at that time; some of it may be left to the next step."""
        self.looked = now
        outages.beat(engine, now)
        self.retention.step(engine, server.keep_mail_days, server.keep_waiting_days, now)
        traces.sweep(engine, now, stopped)
        pauses.end(engine, server, now, stopped)
        timeouts.expire(engine, server, now, stopped)
        expiry.expire(engine, server, now, stopped)
        vacations.prolong(engine, server, now, stopped)
        vacations.tell(engine, server, now, stopped)
        reminders.remind(engine, server, now, stopped)
        derivation.rate_due(engine, now, stopped)
        digest.gather(engine, server, now, stopped)
        announcing.announce(engine, server, now, stopped)
        receipts.release_due(engine, now)
        alerts.tell(engine, server, now)
        unreachable.tell(engine, server, now)
