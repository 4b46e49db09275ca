"""Locks that one daemon holds and every other daemon on the same database can see, for as long as its session lives.

They are PostgreSQL's advisory locks, held by a session rather than a transaction, because handling a message takes
several transactions. When a daemon dies, its session ends and its locks are free at once; no lease has to run out.
A lock only avoids duplicate work. What prevents duplicate effects are rows and unique keys.

SQLite has a single daemon, so there every lock is free.
"""

import contextlib
import threading
from collections.abc import Collection
from typing import Any

from sqlalchemy import ARRAY, Connection, Engine, Text, bindparam, case, func, select, text
from sqlalchemy.exc import DBAPIError

from pbem.storage.database import lock_key

_SETTINGS = {"tcp_keepalives_idle": "10", "tcp_keepalives_interval": "5", "tcp_keepalives_count": "3"}
"""They make PostgreSQL end the session of an unreachable machine after half a minute instead of two hours."""
IDLE_SECONDS = 60
"""After how many idle seconds PostgreSQL ends the session. That of a daemon that runs isn't idle, since it is kept;
the machine of one that is frozen (SIGSTOP, a suspended machine) may still answer keepalives."""
_SET = text("SELECT set_config(name, :value, false) FROM pg_settings WHERE name = :name")
"""PostgreSQL before version 14 can't end idle sessions."""
_KEEP = text("SELECT 'pbem keeps its locks'")

_NAME = lock_key(bindparam("name", type_=Text))
_EACH = func.unnest(bindparam("names", type_=ARRAY(Text))).column_valued("one")
_TRY_ACQUIRE = select(func.pg_try_advisory_lock(_NAME))
_TRY_ACQUIRE_EACH = select(_EACH).where(func.pg_try_advisory_lock(lock_key(_EACH)))
_ACQUIRE = select(func.pg_advisory_lock(_NAME))
_ACQUIRE_SHARED = select(func.pg_advisory_lock_shared(_NAME))
_RELEASE = select(func.pg_advisory_unlock(_NAME))
_RELEASE_SHARED = select(func.pg_advisory_unlock_shared(_NAME))
_RELEASE_EACH = select(func.pg_advisory_unlock(lock_key(_EACH)))
_IS_HELD = ~func.pg_try_advisory_lock_shared(lock_key(_EACH))
_HELD = select(_EACH).where(case((_IS_HELD, True), else_=~func.pg_advisory_unlock_shared(lock_key(_EACH))))
"""A lock that nobody holds exclusively is acquired in shared mode and released at once."""
_RELEASE_ALL = select(func.pg_advisory_unlock_all())


class Locks:
    """The locks of one thread. When the database fails, all of them are lost and the driver's error is raised."""

    def __init__(self, engine: Engine) -> None:
        self.are_needed = engine.dialect.name == "postgresql"
        self._engine = engine
        self._connection: Connection | None = None
        self._lost: DBAPIError | None = None
        self._mutex = threading.Lock()  # when a daemon stops, another thread may record this one's results

    def try_acquire(self, name: str) -> bool:
        """Acquire the lock without waiting. Return whether it succeeded."""
        return not self.are_needed or self._execute(_TRY_ACQUIRE, name=name) == [True]

    def try_acquire_each(self, names: Collection[str]) -> set[str]:
        """Acquire those locks that are free, without waiting. Return their names."""
        return set(self._execute(_TRY_ACQUIRE_EACH, names=list(names))) if self.are_needed else set(names)

    def acquire(self, name: str) -> None:
        """Acquire the lock exclusively, waiting for it if necessary."""
        if self.are_needed:
            self._execute(_ACQUIRE, name=name)

    def acquire_shared(self, name: str) -> None:
        """Acquire the lock in shared mode, waiting for an exclusive holder if necessary."""
        if self.are_needed:
            self._execute(_ACQUIRE_SHARED, name=name)

    def held(self, names: Collection[str]) -> set[str]:
        """Return which of the locks are held exclusively by somebody else."""
        return set(self._execute(_HELD, names=list(names))) if self.are_needed and names else set()

    def release(self, name: str) -> None:
        """Release an exclusive lock."""
        if self.are_needed:
            self._execute(_RELEASE, name=name)

    def release_shared(self, name: str) -> None:
        """Release a shared lock."""
        if self.are_needed:
            self._execute(_RELEASE_SHARED, name=name)

    def release_each(self, names: Collection[str]) -> None:
        """Release these exclusive locks."""
        if self.are_needed and names:
            self._execute(_RELEASE_EACH, names=list(names))

    def release_all(self) -> None:
        """Release every lock of this session."""
        if self._connection is not None:
            self._execute(_RELEASE_ALL)

    def query(self, statement: Any, **values: object) -> list[Any]:
        """Return the single column of a query, run outside of any transaction."""
        return self._execute(statement, **values)

    def query_rows(self, statement: Any, **values: object) -> list[Any]:
        """Return the rows of a query, run outside of any transaction."""
        with self._mutex:
            if self._lost is not None:
                lost, self._lost = self._lost, None
                raise lost
            try:
                return list(self._connected().execute(statement, values))
            except DBAPIError:
                self._drop()  # its state is unknown; a new session starts clean
                raise

    def keep(self) -> None:
        """Use the session if nobody does, or PostgreSQL would end it. If it fails, its thread is told next time."""
        if self._connection is None or not self._mutex.acquire(blocking=False):
            return
        try:
            if self._connection is not None:
                self._connection.execute(_KEEP)
        except DBAPIError as error:
            self._lost = error
            self._drop()
            raise
        finally:
            self._mutex.release()

    def close(self) -> None:
        """End the session, which releases every lock."""
        with self._mutex:
            self._drop()

    def _execute(self, statement: Any, **values: object) -> list[Any]:
        return [value for value, *_ in self.query_rows(statement, **values)]

    def _connected(self) -> Connection:
        if self._connection is None:
            connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
            connection.detach()  # a connection with locks must never return to the pool
            self._connection = connection
            for name, value in {**_SETTINGS, "idle_session_timeout": f"{IDLE_SECONDS}s"}.items():
                connection.execute(_SET, {"name": name, "value": value})
        return self._connection

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(DBAPIError):
                connection.close()
