"""SQLite as pbem uses it: durable, with two kinds of transaction, and turns among the threads that write."""

import itertools
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cached_property, partial
from typing import Any

from sqlalchemy import Engine, PoolProxiedConnection, create_engine, event
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import Pool, QueuePool

BUSY_SECONDS = 30
_WRITE_TURNS = "pbem_write_turns"


class Driver(sqlite3.Connection):
    """A connection of the driver, which knows whether its transactions may write."""

    is_read_only = False

    def only_read(self) -> None:
        """Refuse changes from now on."""
        if not self.is_read_only:
            self.execute("PRAGMA query_only=ON").close()
            self.is_read_only = True

    def begin(self) -> None:
        """Begin a transaction.

        One that writes takes the write lock at once: if it read first and wrote later, it would fail whenever another
        had written in between. One that reads takes no lock.
        """
        self.execute("BEGIN" if self.is_read_only else "BEGIN IMMEDIATE")


class Pools(QueuePool):
    """The connections of an engine that may write, and beside them those that never may.

    To allow changes and refuse them by turns has SQLite prepare every statement anew: that would cost 8 % of a message.
    """

    @cached_property
    def readers(self) -> Pool:
        """The connections that refuse changes."""
        return self.recreate()

    def dispose(self) -> None:
        """Close all connections that are not in use."""
        super().dispose()
        if "readers" in vars(self):
            self.readers.dispose()


class WriteTurns:
    """The order in which the threads of a process get the write lock of an SQLite file: first come, first served.

    SQLite itself has no queue: who finds the lock taken looks again after a while, up to a tenth of a second, and may
    find it taken by others again and again. Other processes still get it in that way.
    """

    def __init__(self, seconds: float = BUSY_SECONDS) -> None:
        self._seconds = seconds
        self._changed = threading.Condition()
        self._tickets = itertools.count()
        self.waiting: list[tuple[bool, int]] = []
        """Who waits: whether they can, and their number."""
        self._is_taken = False

    @contextmanager
    def take(self, *, can_wait: bool) -> Iterator[None]:
        """Wait for the turn and hold it. Raises OperationalError if it takes too long, as SQLite would."""
        with self._changed:
            ticket = (can_wait, next(self._tickets))
            self.waiting.append(ticket)
            try:
                is_free = self._changed.wait_for(
                    lambda: not self._is_taken and min(self.waiting) == ticket, timeout=self._seconds
                )
            finally:
                self.waiting.remove(ticket)
                self._changed.notify_all()
            if not is_free:
                raise OperationalError("BEGIN IMMEDIATE", None, TimeoutError("database is locked"))
            self._is_taken = True
        try:
            yield
        finally:
            with self._changed:
                self._is_taken = False
                self._changed.notify_all()


def connect(url: str, require_none: Callable[[Collection[str]], None]) -> Engine:
    """Return an engine for an SQLite database: with a write-ahead log, synced at every commit, and no deleted content.

    One without such a log may be another program's: `require_none` is told its tables before anything is changed.
    Transactions begin by a method of the dialect: an event of the engine could do it too, but an engine with an event
    does more at each statement: that saves 7 % of a turn.
    """
    engine = create_engine(
        url,
        hide_parameters=True,
        poolclass=Pools,
        pool_use_lifo=True,  # the one that was used last has the pages and statements at hand
        connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False, "factory": Driver},
        execution_options={_WRITE_TURNS: WriteTurns()},
    )
    engine.dialect.do_begin = _begin  # type: ignore[assignment, method-assign]  # another dialect would have other URLs
    event.listen(engine, "connect", partial(_prepare, require_none))
    return engine


def write_turn(engine: Engine, *, can_wait: bool) -> AbstractContextManager[None]:
    """Return a context in which no other thread of this process writes to the SQLite file; nothing for PostgreSQL."""
    turns: WriteTurns | None = engine.get_execution_options().get(_WRITE_TURNS)
    return turns.take(can_wait=can_wait) if turns is not None else nullcontext()


def only_read(engine: Engine) -> None:
    """Have an engine use connections that refuse changes; nothing for PostgreSQL, where an option does that."""
    if isinstance(engine.pool, Pools):
        engine.raw_connection = partial(_read, engine)  # type: ignore[method-assign]  # of this engine alone


def _read(engine: Engine) -> PoolProxiedConnection:
    assert isinstance(engine.pool, Pools)  # noqa: S101 - as it was made
    pooled = engine.pool.readers.connect()
    assert isinstance(pooled.dbapi_connection, Driver)  # noqa: S101 - as it was made
    pooled.dbapi_connection.only_read()
    return pooled


def _prepare(require_none: Callable[[Collection[str]], None], driver: Driver, _record: object) -> None:
    driver.isolation_level = None  # the driver would begin its transactions too late
    if driver.execute("PRAGMA journal_mode").fetchone() != ("wal",):
        require_none([name for (name,) in driver.execute("SELECT name FROM sqlite_master WHERE type = 'table'")])
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
        driver.execute(f"PRAGMA {pragma}").close()


def _begin(pooled: Any) -> None:
    pooled.dbapi_connection.begin()
