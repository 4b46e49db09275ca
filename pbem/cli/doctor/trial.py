"""Whether a message could be stored now: it is tried, and taken back, within seconds."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Engine, insert, make_url
from sqlalchemy.exc import DBAPIError

from pbem.cli.doctor import faults
from pbem.cli.doctor.findings import Finding, finding, problem, unwritable
from pbem.config.veiled import veiled_url
from pbem.mail.reading.limits import LARGEST_MESSAGE
from pbem.storage import leases
from pbem.storage.database import Unusable
from pbem.storage.models import Incoming, RawMessage
from pbem.storage.utc import now

SECONDS = 2.0
T = TypeVar("T")


class Late(TimeoutError):
    """A question that wasn't answered in time."""


def within(seconds: float, ask: Callable[[], T]) -> T:
    """Return the answer. Raises Late; the question is left to a thread then, which ends with the process."""
    answer: Future[T] = Future()

    def run() -> None:
        try:
            answer.set_result(ask())
        except BaseException as error:  # noqa: BLE001 - it is raised where the answer is waited for
            answer.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    try:
        return answer.result(seconds)
    except TimeoutError as error:
        if answer.done():
            raise
        raise Late(f"the database gives no answer within {seconds:g} seconds") from error


def obstacle(engine: Engine) -> Finding | None:
    """Return why no message can be stored now; None if one can be."""
    url, file = engine.url.render_as_string(hide_password=False), engine.url.database
    try:
        within(SECONDS, lambda: _store_and_take_back(engine))
    except Late:
        if who := leases.writing(engine.url):
            return finding("database.held", said="database is locked", who=who)
        return finding("database.silent", url=veiled_url(url), seconds=SECONDS)
    except DBAPIError as error:
        return unusable(error, url)
    if engine.dialect.name == "sqlite" and file:  # it writes to the disk at the end of a transaction only
        return next(unwritable(Path(file).parent, "database in [server]", LARGEST_MESSAGE), None)
    return None


def _store_and_take_back(engine: Engine) -> None:
    row = {"id": 0, "key": "trial", "size": 0, "source": "trial", "recipients": [], "state": "new", "received": now()}
    with engine.connect() as connection, connection.begin() as transaction:
        connection.execute(insert(Incoming).values(row))
        connection.execute(insert(RawMessage).values(incoming=0, raw=b""))
        transaction.rollback()


def unusable(error: Unusable | DBAPIError, url: str) -> Finding:
    said = str(error)
    if isinstance(error, DBAPIError):
        said = f"{veiled_url(url)}: {' '.join(str(error.orig).split())}"
        if who := leases.behind(error, make_url(url)):
            return finding("database.held", said=said, who=who)
    advice = faults.database_advice(error, said, make_url(url))
    return problem(said, advice or "start the database, or correct database in [server], or its rights")
