"""Scheduled work: time-outs, tournaments, reminders, digests, and so on; nearly always one statement says: nothing."""

from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, timedelta
from functools import partial

from sqlalchemy import Engine, select

from pbem.config import ServerSettings
from pbem.matches.ratings import weekly_rating
from pbem.players import erasure_sweep, waiting_answers
from pbem.players.erasure import REMEMBERED
from pbem.server import alerts, news_digests
from pbem.storage import clock_doubts_and_outages
from pbem.storage.database import reading
from pbem.storage.due_rows import NOW, Due
from pbem.storage.retention import Retention
from pbem.storage.setbacks import HAVE_FAILED, Setbacks

LATE = timedelta(minutes=1)  # how long it may wait while messages are being sent


def _sweep(engine: Engine, _server: ServerSettings, now: datetime, stopped: Callable[[], bool]) -> int:
    return erasure_sweep.sweep(engine, now, stopped)


def _release(engine: Engine, _server: ServerSettings, now: datetime, _stopped: Callable[[], bool]) -> int:
    return waiting_answers.release_due(engine, now)


FIRST = (
    Due(
        name="traces.sweep", when=erasure_sweep.ARE_LEFT, act=_sweep, moments={erasure_sweep.FORGOTTEN.key: -REMEMBERED}
    ),
)
LAST = (
    Due(name="digest.gather", when=news_digests.IS_NEWS, act=news_digests.gather),
    Due(name="receipts.release", when=waiting_answers.HAVE_WAITED, act=_release),
    Due(name="alerts", when=alerts.WHEN, act=alerts.tell),
)
"""What is done before and after the work of features, such as digests of what that has brought."""


def _noted(engine: Engine, now: datetime, doing: str, act: Callable[[], int | None], *, are_any: bool) -> int:
    """Return what the work returns; 0 if it fails because of a bug, or waits since it did."""
    failures = Setbacks(engine, doing, now, are_any=are_any)
    for number in failures.ready([0]):
        with failures.noting(number):
            return act() or 0
    return 0


class Scheduler:
    def __init__(self, retention: Retention, work: Iterable[Due]) -> None:
        self.retention = retention
        self._work = (*FIRST, *work, *LAST)
        self._query = select(*(due.when for due in self._work), HAVE_FAILED)
        self._looked_at: datetime | None = None
        self._beaten_at: datetime | None = None
        self._rated: date | None = None
        """The newest week that could be rated when it last rated matches."""

    def _look(self, engine: Engine, now: datetime) -> tuple[Sequence[bool], bool]:
        moments = {key: now + away for due in self._work for key, away in due.moments.items()}
        with reading(engine) as connection:
            *looked, fails = connection.execute(self._query, {NOW.key: now, **moments}).one()
        return looked, fails

    def is_late(self, now: datetime) -> bool:
        """Return whether it hasn't looked for too long."""
        return self._looked_at is None or now >= self._looked_at + LATE

    def step(
        self, engine: Engine, server: ServerSettings, now: datetime, stopped: Callable[[], bool] = lambda: False
    ) -> int:
        """Do what is due at that time; some of it may be left to the next step. Return how much that was."""
        self._looked_at = now
        if self._beaten_at is None or now >= self._beaten_at + clock_doubts_and_outages.BEAT_EVERY:
            clock_doubts_and_outages.beat(engine, now)
            self._beaten_at = now
        looked, fails = self._look(engine, now)
        noted = partial(_noted, engine, now, are_any=fails)
        noted("old messages", lambda: self.retention.step(engine, now))
        acted = 0
        for place, due in enumerate(self._work):
            if looked[place]:
                acted += noted(due.name, partial(due.act, engine, server, now, stopped))
                if acted and place + 1 < len(self._work):  # it may have made something below it due, such as a digest
                    looked, _ = self._look(engine, now)
        noted("ratings", lambda: self._rate(engine, now, stopped))
        return acted

    def _rate(self, engine: Engine, now: datetime, stopped: Callable[[], bool]) -> None:
        """Rate the weeks that are over, once when a new one begins."""
        week = weekly_rating.newest_week(now)
        if week != self._rated:
            weekly_rating.rate_due(engine, now, stopped)
            self._rated = None if stopped() else week
