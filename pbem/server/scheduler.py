"""Scheduled work: time-outs, tournaments, ladders, vacations, reminders, seeks that end, digests, and so on.

The daemon calls `step` repeatedly. Nearly always nothing is due, and one statement tells so. What a player's message
causes is in `conversation`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, Engine, select

from pbem.config import LimitsSettings, ServerSettings
from pbem.features.bulletin import due as bulletins
from pbem.features.house import receipts
from pbem.features.moderation import due as announcing
from pbem.features.ratings import derivation
from pbem.features.time import pauses, reminders, timeouts
from pbem.features.time import vacations_due as vacations
from pbem.features.tournaments import due as tournaments
from pbem.features.tournaments import ladders_due as ladders
from pbem.features.watching import spectators
from pbem.players import traces
from pbem.players.erasure import REMEMBERED
from pbem.server.scheduled import alerts, digest, expiry, unreachable
from pbem.storage import outages, setbacks
from pbem.storage.database import reading
from pbem.storage.due import NOW
from pbem.storage.retention import Retention
from pbem.storage.setbacks import Setbacks

LATE = timedelta(minutes=1)
"""How long it may wait while messages are being sent."""
Act = Callable[[Engine, ServerSettings, datetime, Callable[[], bool]], int]
"""Does what is due, and returns how much that was."""


def _sweep(engine: Engine, _server: ServerSettings, now: datetime, stopped: Callable[[], bool]) -> int:
    traces.sweep(engine, now, stopped)
    return 0


def _release(engine: Engine, _server: ServerSettings, now: datetime, _stopped: Callable[[], bool]) -> int:
    return receipts.release_due(engine, now)


def _tell_of_unreachable(engine: Engine, server: ServerSettings, now: datetime, _stopped: Callable[[], bool]) -> int:
    return unreachable.tell(engine, server, now)


BY_TIME = frozenset(
    {
        pauses.end,
        timeouts.expire,
        tournaments.advance,
        expiry.expire,
        vacations.prolong,
        vacations.tell,
        reminders.remind,
        bulletins.send,
    }
)
"""What waits while the clock may be wrong: players would lose what they can't get back, or hear nothing for years."""
WORK: tuple[tuple[ColumnElement[bool], Act], ...] = (
    (traces.ARE_LEFT, _sweep),
    (pauses.ARE_OVER, pauses.end),
    (timeouts.ARE_DUE, timeouts.expire),
    (tournaments.ARE_DUE, tournaments.advance),
    (ladders.ARE_DUE, ladders.settle),
    (expiry.ARE_OVER, expiry.expire),
    (vacations.MAY_BE_NEEDED, vacations.prolong),
    (vacations.ARE_UNTOLD, vacations.tell),
    (reminders.ARE_DUE, reminders.remind),
    (spectators.ARE_UNSEEN, spectators.show),
    (digest.IS_NEWS, digest.gather),
    (announcing.ARE_DUE, announcing.announce),
    (bulletins.ARE_DUE, bulletins.send),
    (receipts.HAVE_WAITED, _release),
    (unreachable.ARE_ANY, _tell_of_unreachable),
)
"""What is done by time, and whether there is any of it to do, in the order in which it is done."""
LOOK = select(*(is_due for is_due, _ in WORK), setbacks.ARE_ANY, derivation.MERGED)


def _moments(now: datetime) -> dict[str, Any]:
    """Return the times that a look at what is due compares with."""
    return {
        NOW.key: now,
        vacations.SOON.key: now + vacations.AHEAD,
        receipts.LATEST.key: now + receipts.LONGEST,
        traces.FORGOTTEN.key: now - REMEMBERED,
    }


def _look(engine: Engine, now: datetime) -> tuple[Sequence[bool], bool, int]:
    """Return what of WORK is due, whether anything has failed, and how many accounts have become part of others."""
    with reading(engine) as connection:
        *looked, fails, merged = connection.execute(LOOK, _moments(now)).one()
    return looked, fails, merged


def _named(act: Act) -> str:
    """Return what work is called where it fails as a whole, such as "timeouts.expire"."""
    return f"{act.__module__.rpartition('.')[2]}.{act.__name__.strip('_')}"


def _noted(engine: Engine, now: datetime, doing: str, act: Callable[[], int | None], *, are_any: bool) -> int | None:
    """Return what the work returns, or None if it fails because of a bug or waits since it did."""
    failed = Setbacks(engine, doing, now, are_any=are_any)
    for number in failed.ready([0]):
        with failed.noting(number):
            return act()
    return None


@dataclass(slots=True)
class Scheduler:
    """Does what is due."""

    retention: Retention
    limits: LimitsSettings
    looked: datetime | None = None
    """When it last looked for what is due."""
    beaten: datetime | None = None
    """When it last saw to the heartbeat."""
    righted: bool = True
    """Whether it has looked for clocks of matches that are ahead, since the server's was wrong."""
    rated: tuple[date, int] | None = None
    """The week in which it last rated matches, and how many accounts had become part of others until then."""

    def is_late(self, now: datetime) -> bool:
        """Return whether it hasn't looked for too long, or not since the clock was set back."""
        return self.looked is None or not self.looked <= now < self.looked + LATE

    def step(
        self, engine: Engine, server: ServerSettings, now: datetime, stopped: Callable[[], bool] = lambda: False
    ) -> int:
        """Do what is due at that time; some of it may be left to the next step. Return how much that was."""
        self.looked = now
        self._beat(engine, now)
        is_trusted = self.retention.clock.is_trusted(engine, now)
        looked, fails, merged = _look(engine, now)
        noted = partial(_noted, engine, now, are_any=fails)
        noted("old messages", lambda: self.retention.step(engine, now))
        acted = self._right(engine, now, stopped) if is_trusted else 0
        self.righted &= is_trusted
        for place, (_, act) in enumerate(WORK):
            if looked[place] and (is_trusted or act not in BY_TIME):
                acted += noted(_named(act), partial(act, engine, server, now, stopped)) or 0
                if acted and place + 1 < len(WORK):  # it may have made something below it due, such as a digest
                    looked, _, merged = _look(engine, now)
        if is_trusted:
            noted("ratings", lambda: self._rate(engine, merged, now, stopped))
        return acted + alerts.tell(engine, server, self.limits, now)

    def _beat(self, engine: Engine, now: datetime) -> None:
        """Leave a heartbeat in the database, unless this process has looked after that within a minute."""
        if self.beaten is None or not self.beaten <= now < self.beaten + outages.EVERY:
            outages.beat(engine, now)
            self.beaten = now

    def _right(self, engine: Engine, now: datetime, stopped: Callable[[], bool]) -> int:
        """Let clocks go on that are ahead, if they haven't been looked for. Return how many there were."""
        found = 0 if self.righted else timeouts.right(engine, now, stopped)
        self.righted = True
        return found

    def _rate(self, engine: Engine, merged: int, now: datetime, stopped: Callable[[], bool]) -> None:
        """Rate the weeks that are over, once when a new one begins, and where two accounts have become one."""
        state = (derivation.newest_week(now), merged)
        if state != self.rated:
            derivation.rate_due(engine, now, stopped)
            self.rated = None if stopped() else state
