"""Which process holds an SQLite database, and whether it is stopped, as Linux tells; elsewhere that isn't known.

A daemon that is frozen (SIGSTOP, a debugger) in the middle of a transaction keeps the write lock. Everybody else waits
and fails with "database is locked", which doesn't say who.
"""

from pathlib import Path

from sqlalchemy import URL
from sqlalchemy.exc import DBAPIError

WRITE_LOCK = 120
"""The byte of the shared memory file that a writer locks (SQLite, "WAL-mode File Format", 2.3.1)."""
LOCKS = Path("/proc/locks")


def in_words(process: int) -> str:
    if not is_stopped(process):
        return f"process {process}"
    return f"process {process}, which is stopped: kill -CONT {process} lets it go on, kill -KILL {process} ends it"


def is_stopped(process: int) -> bool:
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[:1] in (["T"], ["t"])


def writer(database: Path) -> int | None:
    """Opening the locked file would be simpler, but closing it again would release this process's own locks."""
    try:
        file = Path(f"{database}-shm").stat()
        locks = LOCKS.read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    for fields in map(str.split, locks):  # 1: POSIX ADVISORY WRITE 4711 08:01:1234 120 120
        if len(fields) == 8 and fields[1] == "POSIX" and fields[3] == "WRITE":
            is_theirs = fields[5].rpartition(":")[2] == str(file.st_ino)
            if is_theirs and int(fields[6]) <= WRITE_LOCK and fields[7] in ("EOF", str(WRITE_LOCK)):
                return int(fields[4]) if int(fields[4]) > 0 else None
    return None


def of(url: URL) -> str | None:
    """Return who is writing to that SQLite database, in words."""
    process = writer(Path(str(url.database))) if url.get_backend_name() == "sqlite" else None
    return None if process is None else in_words(process)


def behind(error: DBAPIError, url: URL) -> str | None:
    """Return who holds the database, in words, if that is why it couldn't be written."""
    return of(url) if "locked" in str(error.orig) else None
