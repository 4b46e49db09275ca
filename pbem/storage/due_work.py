"""What is done by time, on each row in a transaction of its own; what fails is tried again ever less often."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import structlog
from sqlalchemy import BindParameter, ColumnElement, Engine, bindparam, exists
from sqlmodel import Session, col, delete, func, select

from pbem import failpoints
from pbem.config import ServerSettings
from pbem.failpoints import Step
from pbem.storage.database import is_bug, lock_if_free, read_only, transaction
from pbem.storage.models import Setback

log = structlog.get_logger()

DueAct = Callable[[Engine, ServerSettings, datetime, Callable[[], bool]], int]
"""Does what is due at that time, unless stopped before, and returns how much that was."""
NOW: BindParameter[datetime] = bindparam("now")  # the time of a look at what is due (see scheduler)


@dataclass(frozen=True, slots=True, kw_only=True)
class Due:
    name: str  # what it is called where it fails as a whole
    when: ColumnElement[bool]  # whether there is any of it to do, in SQL
    act: DueAct
    moments: Mapping[str, timedelta] = field(default_factory=dict)
    """How far from now the other times are that the condition compares with, by their parameters."""


def due_rows(
    name: str,
    table: Any,
    time: Any,
    act: Callable[..., bool],
    *,
    where: Collection[ColumnElement[bool]] = (),
    after: timedelta = timedelta(0),
    number: Any = None,
) -> Due:
    """Return the work on rows that is due once a `time` is so long ago, that longest ago first.

    `act` is called as `act_on` does, with each row, which is locked, the server and the time. A row that another daemon
    is at is left to it. If the time is in another table, `number` is the column there with the row's number.
    """
    moment: BindParameter[datetime] = bindparam(name.replace(" ", "_")) if after else NOW
    number = table.id if number is None else number

    def act_on_each(
        engine: Engine, server: ServerSettings, now: datetime, stopped: Callable[[], bool] = lambda: False
    ) -> int:
        def act_alone(session: Session, row_number: int) -> bool:
            row = lock_if_free(session, table, row_number)
            return row is not None and act(session, row, server=server, now=now)

        with read_only(engine) as session:
            rows = select(number).where(*where, col(time) <= now - after).order_by(col(time), number)
            numbers = dict.fromkeys(session.exec(rows.limit(at_once(session, name))))
        return act_on(engine, numbers, act_alone, stopped, now, doing=name)

    moments = {moment.key: -after} if after else {}
    return Due(name=name, when=exists().where(*where, col(time) <= moment), act=act_on_each, moments=moments)


def act_on(
    engine: Engine,
    numbers: Iterable[int],
    act: Callable[[Session, int], bool],
    stopped: Callable[[], bool],
    now: datetime,
    *,
    doing: str,
    before: Step = Step.DUE,
    after: Step | None = None,
) -> int:
    """Call `act` with a session and each number, until stopped. Return how often it says that it did something.

    Where it did, the step `before` is reached inside the transaction, and `after` when it is committed. A bug in one
    leaves the others alone, and that one waits; a database that fails ends them all: raises DBAPIError.
    """
    acted, setbacks = 0, Setbacks(engine, doing, now)
    for number in setbacks.ready(numbers):
        if stopped():
            break
        with setbacks.noting(number):
            with transaction(engine) as session:
                has_acted = act(session, number)
                if has_acted:
                    failpoints.reach(before)
            if has_acted and after is not None:
                failpoints.reach(after)
            acted += has_acted
    return acted


# Work that has failed because of a bug is stored, so a restart doesn't forget it, and no other daemon tries it sooner.

FIRST, LONGEST = timedelta(minutes=1), timedelta(hours=1)  # how long work waits that has failed once, and at most
LASTING = 3  # how many failures the operator is told of
AT_ONCE = 200  # how many rows are looked at in one go, beside those that have failed
SENDING = "sending"  # what the setback is called while the next hop takes no message
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
