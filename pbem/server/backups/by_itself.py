"""Backups that a server makes by itself: in a thread of its own, at most one at a time among all daemons.

Only what is due and what became of it is in the database; the copy is taken without any lock (see pbem.server.backups).
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import structlog
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from pbem.config import Settings
from pbem.secret import BadConfig
from pbem.server.backups import rotation
from pbem.storage import leases
from pbem.storage.clock import THE_ONE
from pbem.storage.database import lock, read_only, transaction
from pbem.storage.models import Backup

if TYPE_CHECKING:
    from pbem.server.backups.making import Made

log = structlog.get_logger()

AGAIN = timedelta(hours=1)
"""How long to wait after a backup that couldn't be made."""
LOOK_AGAIN = timedelta(minutes=1)
"""How often to look whether one is due; another daemon may have made it."""
LEASE = timedelta(hours=1)
"""How long the other daemons leave it to the one that makes the backup."""


class BackupStopped(Exception):
    """The server stops, and the backup with it."""


@dataclass(slots=True)
class Backups:
    engine: Engine
    settings: Settings
    holder: str
    clock: Callable[[], datetime]
    looked: datetime | None = None
    """When it last looked whether one is due."""
    told: str = ""
    """Why the last one failed, as the log has it."""
    unnoted: datetime | None = None
    """When a backup was made that the database doesn't know of yet: it couldn't be written."""

    def step(self, stopped: Callable[[], bool] = lambda: False) -> int:
        folder, now = self.settings.backup.folder, self.clock()
        if folder is None or (self.looked is not None and self.looked <= now < self.looked + LOOK_AGAIN):
            return 0
        self.looked = now
        self._note_made()
        if not self._is_due(now) or not self._is_ours():
            return 0
        try:
            return self._make(folder, now, stopped) if self._is_due(now) else 0  # another daemon may just have made it
        finally:
            with self._noted() as row:
                row.leased_until, row.holder = None, None

    def _is_ours(self) -> bool:
        """Take the lease on the row. Return whether it was free, or can't be written: then a backup matters most."""
        try:
            with self._noted() as row:
                number = row.id
            with transaction(self.engine) as session:
                return leases.take(session, Backup, number, self.holder, LEASE)
        except DBAPIError:
            return True

    def _is_due(self, now: datetime) -> bool:
        with read_only(self.engine) as session:
            row = session.get(Backup, THE_ONE)
        if row is None:
            return True
        is_paused = row.failed is not None and row.failed <= now < row.failed + AGAIN
        return not is_paused and (row.made is None or not row.made <= now < row.made + rotation.EVERY)

    def _make(self, folder: Path, now: datetime, stopped: Callable[[], bool]) -> int:
        from pbem.server.backups import copies, making  # they take 0.5 MB, which a server without backups saves

        def progress(_doing: str, _done: int, _total: int) -> None:
            if stopped():
                raise BackupStopped

        begun = time.monotonic()
        address = self.settings.server.address
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            file = folder / rotation.name(address, now)
            with_secrets = self.settings.backup.with_secrets
            made = making.make(self.engine, self.settings, file, now, progress, with_secrets=with_secrets)
            self.unnoted = now
            self._note_made()  # or backups that aren't noted would push out the older ones, one by one
            removed = rotation.remove_oldest(folder, address, self.settings.backup.keep)
        except BackupStopped:
            return 0
        except (OSError, BadConfig, DBAPIError, copies.NotCopied, making.Exists) as error:
            self._fail(now, _sentence(error))
            return 0
        self._tell(made, time.monotonic() - begun, len(removed))
        return 1

    def _note_made(self) -> None:
        if self.unnoted is not None:
            with self._noted() as row:
                row.made, row.failed, row.troubled = self.unnoted, None, None
            self.unnoted = None

    def _fail(self, now: datetime, why: str) -> None:
        """Note it for the admin; log it unless it is what the last attempt said."""
        if why != self.told:
            log.error("the backup failed", error=why, again=f"in {AGAIN.total_seconds() / 60:.0f} minutes")
            self.told = why
        with self._noted() as row:
            row.failed, row.troubled = now, row.troubled or now

    def _tell(self, made: "Made", seconds: float, removed: int) -> None:
        log.info("backup made", file=str(made.file), bytes=made.size, seconds=round(seconds, 1), removed=removed)
        self.told = ""

    @contextmanager
    def _noted(self) -> Iterator[Backup]:
        """Provide the row that all daemons share, and store what is noted there."""
        with transaction(self.engine) as session:
            row = lock(session, Backup, THE_ONE) or Backup(id=THE_ONE)
            yield row
            session.add(row)


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror
    return str(error.orig) if isinstance(error, DBAPIError) else str(error)
