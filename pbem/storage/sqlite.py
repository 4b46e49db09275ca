"""SQLite as pbem uses it: durable, with two kinds of transaction, turns among threads, and who holds the write lock."""

import itertools
import os
import sqlite3
import threading
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.pool import QueuePool

from pbem.storage.leases import in_words

BUSY_SECONDS = 30
_WRITE_TURNS = "pbem_write_turns"
_SHRINKS = "journal_size_limit=67108864"  # what a long reading or a backup has made it grow to is given back
_CHANGES_AT = 24
"""Where the file has its number of changes, which grows: an older copy that is written over it has a lower one."""
_NO_FILES = "temp_store=MEMORY"
"""What is sorted or may be undone takes no file: TMPDIR may be full where the disk of the database isn't."""


class WriteTurns:
    """The order in which the threads of a process get the write lock of an SQLite file: first come, first served.

    SQLite itself has no queue: who finds the lock taken looks again after a while, up to a tenth of a second, and may
    find it taken by others again and again. Other processes still get it in that way.
    """

    def __init__(self, seconds: float = BUSY_SECONDS) -> None:
        self._seconds = seconds
        self._changed = threading.Condition()
        self._tickets = itertools.count()
        self.waiting: list[tuple[bool, int]] = []  # who waits: whether they can, and their number
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

    Each transaction takes the write lock at once: one that read first would fail if another had written in between.
    """
    engine = _create(url, "BEGIN IMMEDIATE", {_WRITE_TURNS: WriteTurns()})
    event.listen(engine, "connect", partial(_prepare, require_none))
    return engine


def reader(engine: Engine) -> Engine:
    """Return an engine for the same database whose connections take no lock and refuse changes."""
    other = _create(engine.url, "BEGIN", {})
    event.listen(other, "connect", _only_read)
    event.listen(engine, "engine_disposed", lambda _engine: other.dispose())
    return other


def write_turn(engine: Engine, *, can_wait: bool) -> AbstractContextManager[None]:
    """Return a context in which no other thread of this process writes to the SQLite file; nothing for PostgreSQL."""
    turns: WriteTurns | None = engine.get_execution_options().get(_WRITE_TURNS)
    return turns.take(can_wait=can_wait) if turns is not None else nullcontext()


def _create(url: str | URL, begin: str, options: Mapping[str, Any]) -> Engine:
    engine = create_engine(
        url,
        hide_parameters=True,
        poolclass=QueuePool,
        pool_use_lifo=True,  # the one that was used last has the pages and statements at hand
        connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False},
        execution_options=options,
    )
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql(begin))
    return engine


class Files:
    """The file of a database and its log as the server has opened them: somebody may put another database there."""

    def __init__(self, url: URL) -> None:
        self._file = Path(url.database or "")
        self._log = self._file.with_name(f"{self._file.name}-wal")
        self._opened, self._own_log = _identity(self._file), _identity(self._log)
        self._content = self._file.open("rb", buffering=0)  # never closed: that would end SQLite's locks on the file
        self._changes = 0
        self.have_been_replaced()

    def have_been_replaced(self) -> bool:
        before, self._changes = self._changes, int.from_bytes(os.pread(self._content.fileno(), 4, _CHANGES_AT))
        if _identity(self._file) != self._opened or self._changes < before:
            return True
        self._own_log = _identity(self._log)
        return False

    def set_aside(self) -> str:
        """Rename our log, which would damage the other database, and return what to tell the operator."""
        aside = self._log.with_suffix(f"{self._log.suffix}.replaced")
        if self._own_log is not None and _identity(self._log) == self._own_log:
            self._log.rename(aside)
        return (
            f"{self._file} isn't what the server has opened any more, so it ends. Stop pbem before you put a database "
            f'there ("pbem restore" sees to that). What was stored last may be in {aside} only'
        )


class Newest:
    """The number of the newest message that was stored, in a file beside the database, which a start compares.

    Without it, a database whose log (-wal) was removed after a crash, or an older copy, looks to be in good order.
    """

    def __init__(self, url: URL) -> None:
        self._file = Path(f"{url.database}.newest")

    def note(self, number: int) -> None:
        with suppress(OSError):
            self._file.write_text(f"{number}\n", encoding="ascii")

    def missing(self, connection: Connection) -> str:
        """Return that messages are missing, in words, if the database had newer ones; "" otherwise."""
        try:
            stored = int(self._file.read_text(encoding="ascii"))
        except (OSError, ValueError):
            return ""
        newest = connection.exec_driver_sql("SELECT coalesce(max(id), 0) FROM incoming").scalar_one()
        if stored <= newest:
            return ""
        return (
            f"the database has {newest} messages, and had {stored} when a server last ran on it: its log (-wal) was "
            "removed, or an older copy was put in its place. Move the mail that it lacks from Processed back to INBOX"
        )


def _identity(file: Path) -> tuple[int, int] | None:
    try:
        stat = file.stat()
    except OSError:
        return None
    return stat.st_dev, stat.st_ino


def _prepare(require_none: Callable[[Collection[str]], None], driver: sqlite3.Connection, _record: object) -> None:
    driver.isolation_level = None  # the driver would begin its transactions too late
    if driver.execute("PRAGMA journal_mode").fetchone() != ("wal",):
        require_none([name for (name,) in driver.execute("SELECT name FROM sqlite_master WHERE type = 'table'")])
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON", _SHRINKS, _NO_FILES):
        driver.execute(f"PRAGMA {pragma}").close()


def _only_read(driver: sqlite3.Connection, _record: object) -> None:
    driver.isolation_level = None
    for pragma in ("query_only=ON", _NO_FILES):
        driver.execute(f"PRAGMA {pragma}").close()


# Which process holds an SQLite database, and whether it is stopped, as Linux tells; elsewhere that isn't known.
#
# A daemon that is frozen (SIGSTOP, a debugger) in the middle of a transaction keeps the write lock. Everybody else
# waits and fails with "database is locked", which doesn't say who.
WRITE_LOCK = 120  # the byte of the shared memory file that a writer locks (SQLite, "WAL-mode File Format", 2.3.1)
LOCKS = Path("/proc/locks")


def writing(url: URL) -> str | None:
    """Return which process writes to an SQLite database, in words; None where that isn't known.

    Opening the locked file would be simpler, but closing it again would release this process's own locks.
    """
    try:
        file = Path(f"{url.database}-shm").stat()
        locks = LOCKS.read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    for fields in map(str.split, locks):  # 1: POSIX ADVISORY WRITE 4711 08:01:1234 120 120
        if len(fields) == 8 and fields[1] == "POSIX" and fields[3] == "WRITE":
            is_theirs = fields[5].rpartition(":")[2] == str(file.st_ino)
            if is_theirs and int(fields[6]) <= WRITE_LOCK and fields[7] in ("EOF", str(WRITE_LOCK)):
                return in_words(int(fields[4])) if int(fields[4]) > 0 else None
    return None


def behind(error: DBAPIError, url: URL) -> str | None:
    """Return who holds the database, in words, if that is why it couldn't be written."""
    return writing(url) if "locked" in str(error.orig) else None
