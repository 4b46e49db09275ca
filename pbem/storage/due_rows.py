"""What is done by time, on each row in a transaction of its own; what fails is tried again (see setbacks)."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, Engine, bindparam, exists
from sqlmodel import Session, col, select

from pbem import failpoints
from pbem.config import ServerSettings
from pbem.failpoints import Step
from pbem.storage.database import lock_if_free, read_only, transaction
from pbem.storage.setbacks import Setbacks, at_once

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

    `act` is called with the session, each row, which is locked, `server` and `now`; it looks once more whether that is
    due. A row that another daemon is at is left to it. If the time is in another table, `number` is the column there
    with the row's number.
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
