"""Work that failed: its row is tried ever less often, until it succeeds or isn't due any more.

It is stored, so a restart doesn't forget it, and no other daemon tries it sooner.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

import structlog
from sqlalchemy import Engine, exists
from sqlmodel import Session, col, delete, func, select

from pbem.storage.database import is_bug, read_only, transaction
from pbem.storage.models import Setback

log = structlog.get_logger()

LASTING = 3  # how many failures the operator is told of
AT_ONCE = 200  # how many rows are looked at in one go, beside those that have failed
SENDING = "sending"  # what the setback is called while the next hop takes no message
FIRST, LONGEST = timedelta(minutes=1), timedelta(hours=1)  # how long work waits that has failed once, and at most
STALE = timedelta(days=1)  # what wasn't tried again for so long isn't due any more
HAVE_FAILED = exists().where(col(Setback.failures) > 0)


def at_once(session: Session, doing: str) -> int:
    """Return how many rows of that kind are looked at in one go: those that have failed leave room for others."""
    return AT_ONCE + session.exec(select(func.count()).select_from(Setback).where(Setback.doing == doing)).one()


class Setbacks:
    def __init__(self, engine: Engine, doing: str, now: datetime, *, are_any: bool = True) -> None:
        """Read them, unless it is known that there aren't any."""
        self._engine, self._doing, self._now = engine, doing, now
        self._rows: dict[int, Setback] = {}
        if are_any:
            with read_only(engine) as session:
                self._rows = {row.number: row for row in session.exec(select(Setback).where(Setback.doing == doing))}

    @property
    def are_any(self) -> bool:
        return bool(self._rows)

    def ready(self, numbers: Iterable[int]) -> Iterator[int]:
        """Yield the numbers whose work needn't wait."""
        return (number for number in numbers if number not in self._rows or self._rows[number].due <= self._now)

    @contextmanager
    def noting(self, number: int) -> Iterator[None]:
        """Note whether the work for that number fails because of a bug, which goes no further."""
        try:
            yield
        except Exception as error:
            if not is_bug(error):
                raise
            if self.fails(number) == 1:
                log.exception("scheduled work failed", doing=self._doing, number=number)
        else:
            self.works(number)

    def works(self, number: int) -> None:
        if self._rows.pop(number, None) is not None:
            with transaction(self._engine) as session:
                session.exec(delete(Setback).where(col(Setback.doing) == self._doing, col(Setback.number) == number))

    def fails(self, number: int) -> int:
        with transaction(self._engine) as session:
            session.exec(delete(Setback).where(col(Setback.due) < self._now - STALE))
            row = session.get(Setback, (self._doing, number), with_for_update=True)
            row = row or Setback(doing=self._doing, number=number, failures=0, since=self._now, due=self._now)
            row.due = self._now + min(FIRST * 2 ** min(row.failures, 10), LONGEST)
            row.failures += 1
            session.add(row)
            session.flush()
            session.expunge(row)
        self._rows[number] = row
        return row.failures


def failing(session: Session, now: datetime, least: int = 1) -> list[str]:
    """Return the work that has failed that often, the latest first, such as "time-outs 12"."""
    setbacks = select(Setback).where(col(Setback.failures) >= least, col(Setback.due) > now - STALE)
    rows = session.exec(setbacks.order_by(col(Setback.since).desc(), col(Setback.doing), col(Setback.number)))
    return [f"{row.doing} {row.number}".removesuffix(" 0") for row in rows]


def have_begun(session: Session, since: datetime) -> bool:
    lasts = select(Setback.number).where(col(Setback.failures) >= LASTING, col(Setback.since) > since)
    return session.exec(lasts.limit(1)).first() is not None
