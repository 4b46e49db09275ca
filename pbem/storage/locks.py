"""Claims: what a daemon has in hand, told to all the others on its database, for as long as its session lives.

They are PostgreSQL's advisory locks, held by a session and not by a transaction: a mail is in hand through several
transactions. When a daemon dies, its session ends and what it had is free at once; no lease has to run out. A claim
keeps others from doing the same work. It is not what keeps things from happening twice: rows and unique keys are.

SQLite has one daemon, to which all is free.
"""

import contextlib
import threading
from collections.abc import Collection
from typing import Any

from sqlalchemy import ARRAY, Connection, Engine, Text, bindparam, func, select
from sqlalchemy.exc import DBAPIError

from pbem.storage.database import lock_key

_SETTINGS = ("tcp_keepalives_idle = 10", "tcp_keepalives_interval = 5", "tcp_keepalives_count = 3")
"""So that PostgreSQL ends the session of a machine that is gone after half a minute, and not after two hours."""

_WHAT = lock_key(bindparam("what", type_=Text))
_EACH = func.unnest(bindparam("each", type_=ARRAY(Text))).column_valued("one")
_TRY = select(func.pg_try_advisory_lock(_WHAT))
_TRY_EACH = select(_EACH).where(func.pg_try_advisory_lock(lock_key(_EACH)))
_HOLD = select(func.pg_advisory_lock(_WHAT))
_HOLD_TOGETHER = select(func.pg_advisory_lock_shared(_WHAT))
_LET_GO = select(func.pg_advisory_unlock(_WHAT))
_LET_GO_TOGETHER = select(func.pg_advisory_unlock_shared(_WHAT))
_LET_GO_OF_EACH = select(func.pg_advisory_unlock(lock_key(_EACH)))
_LET_GO_OF_ALL = select(func.pg_advisory_unlock_all())


class Locks:
    """The claims of one thread. Where the database fails, all of them are gone, and it raises what the driver did."""

    def __init__(self, engine: Engine) -> None:
        self.are_needed = engine.dialect.name == "postgresql"
        self._engine = engine
        self._connection: Connection | None = None
        self._lock = threading.Lock()  # when a daemon ends, another thread may write down what this one did

    def try_to_hold(self, what: str) -> bool:
        """Hold it if nobody else does; whether that is so."""
        return not self.are_needed or self._ask(_TRY, what=what) == [True]

    def try_to_hold_each(self, each: Collection[str]) -> set[str]:
        """Hold those of them that nobody else does; which ones these are."""
        return set(self._ask(_TRY_EACH, each=list(each))) if self.are_needed else set(each)

    def hold(self, what: str) -> None:
        """Wait until nobody else holds it, and hold it."""
        if self.are_needed:
            self._ask(_HOLD, what=what)

    def hold_together(self, what: str) -> None:
        """Wait until nobody else holds it alone, and hold it together with whoever else wants that."""
        if self.are_needed:
            self._ask(_HOLD_TOGETHER, what=what)

    def let_go(self, what: str) -> None:
        """Hold it no more alone."""
        if self.are_needed:
            self._ask(_LET_GO, what=what)

    def let_go_together(self, what: str) -> None:
        """Hold it no more together with others."""
        if self.are_needed:
            self._ask(_LET_GO_TOGETHER, what=what)

    def let_go_of_each(self, each: Collection[str]) -> None:
        """Hold these no more."""
        if self.are_needed and each:
            self._ask(_LET_GO_OF_EACH, each=list(each))

    def let_go_of_all(self) -> None:
        """Hold nothing any more."""
        if self._connection is not None:
            self._ask(_LET_GO_OF_ALL)

    def query(self, statement: Any, **values: object) -> list[Any]:
        """The single column that a query finds just now, outside of any transaction."""
        return self._ask(statement, **values)

    def close(self) -> None:
        """Hold nothing any more, and end the session."""
        with self._lock:
            self._drop()

    def _ask(self, statement: Any, **values: object) -> list[Any]:
        with self._lock:
            try:
                return list(self._connected().execute(statement, values).scalars())
            except DBAPIError:
                self._drop()  # whatever state it is in: a new one has none
                raise

    def _connected(self) -> Connection:
        if self._connection is None:
            connection = self._engine.connect().execution_options(isolation_level="AUTOCOMMIT")
            connection.detach()  # never back to the pool with locks on it
            self._connection = connection
            for setting in _SETTINGS:
                connection.exec_driver_sql(f"set {setting}")
        return self._connection

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(DBAPIError):
                connection.close()
