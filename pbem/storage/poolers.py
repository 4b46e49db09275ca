"""Poolers before PostgreSQL, such as PgBouncer: whether each connection has a session of its own, as pbem needs.

Locks, notifications and prepared statements belong to a session. A pooler in session mode gives a connection one of its
own for as long as it lives. One that gives sessions for a transaction each takes the locks of one thread for another's.
"""

import contextlib
import os
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Timer
from typing import Any

from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError

from pbem.storage.database import Unusable, reach

LEAST = 8
"""How many sessions a server uses at rest, on its one database."""
WAIT_SECONDS = 10.0
"""How long to wait for a session; a pooler that has no more lets us wait."""
ROUNDS = 3
_WHO = "SELECT pg_backend_pid()"


class Shared(Unusable):
    """A pooler gives several connections the same session."""


class TooFew(Unusable):
    """There are fewer sessions than a server needs."""


def require_own_sessions(engine: Engine, number: int = 2) -> None:
    """Raise Shared or TooFew unless that many connections have sessions of their own at once.

    Which process serves a connection tells its session. A pooler gives the next transaction the session that is free,
    so connections that take turns meet in one, or are moved to another.
    """
    if engine.dialect.name != "postgresql":
        return
    with ExitStack() as opened:
        connections: list[Any] = []
        known: list[int] = []
        for _ in range(number):
            connections.append(opened.enter_context(contextlib.closing(reach(engine))))
            found = _served_by(connections[-1])
            if found is None:
                raise TooFew(
                    f"the database, or the pooler before it, gives only {len(known)} sessions at once,"
                    f" and a server needs {LEAST} and more"
                )
            known.append(found)
        for _ in range(ROUNDS):
            if len({*known}) < number or known != [_served_by(each) for each in connections]:
                raise Shared(
                    "the pooler before the database gives sessions by transaction, so locks would be lost,"
                    " and notifications too"
                )


def _served_by(connection: Any) -> int | None:
    """Return the number of the process that serves the connection; None if there is none for it."""
    with _no_longer_than(connection, WAIT_SECONDS) as is_over:
        try:
            return int(connection.execute(_WHO).fetchone()[0])
        except Exception as error:
            if is_over():
                return None
            raise OperationalError(_WHO, None, error) from error


@contextmanager
def _no_longer_than(connection: Any, seconds: float) -> Iterator[Any]:
    """Cut the connection after that time. Provide a function that tells whether it was."""
    ended: list[bool] = []

    def cut() -> None:
        ended.append(True)
        with socket.socket(fileno=os.dup(connection.fileno())) as other:
            other.shutdown(socket.SHUT_RDWR)

    timer = Timer(seconds, cut)
    timer.daemon = True
    timer.start()
    try:
        yield lambda: bool(ended)
    finally:
        timer.cancel()
