"""Backups that a server makes by itself: in a thread of its own, at most one at a time among all daemons.

Only what is due and what became of it is in the database; the copy is taken without any lock (see pbem.server.backups).
"""

import glob
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import structlog
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session

from pbem.config import Settings
from pbem.secret import BadConfig
from pbem.server.backups import NotBackedUp
from pbem.storage import leases
from pbem.storage.clock import THE_ONE
from pbem.storage.database import lock, read_only, transaction
from pbem.storage.models import Backup

log = structlog.get_logger()

EVERY = timedelta(hours=24)
AGAIN = timedelta(hours=1)
"""How long to wait after a backup that couldn't be made."""
LEASE = timedelta(hours=1)
"""How long the other daemons leave it to the one that makes the backup."""
_STAMP = "%Y%m%dT%H%M%SZ"


def name(address: str, now: datetime) -> str:
    """Return the name of a server's backup.

    >>> name("games@example.org", datetime(2026, 11, 23, 3, 15, tzinfo=UTC))
    'pbem-games@example.org-20261123T031500Z.tar.gz'
    """
    return f"pbem-{address}-{now.astimezone(UTC):{_STAMP}}.tar.gz"


def kept(folder: Path, address: str) -> list[Path]:
    """Return the backups of that server in the folder, oldest first; other files are nobody's business."""
    stamp = f"{8 * '[0-9]'}T{6 * '[0-9]'}Z"
    return sorted(folder.glob(f"pbem-{glob.escape(address)}-{stamp}.tar.gz"))


def made(backup: Path) -> datetime:
    """Return when a backup was made, which its name says."""
    stamp = backup.name.removesuffix(".tar.gz").rpartition("-")[2]
    return datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC)


@dataclass(slots=True)
class Backups:
    engine: Engine
    settings: Settings
    holder: str
    clock: Callable[[], datetime]
    next_look: datetime | None = None
    """When to look again after a backup, or a failed attempt: the database may not know of it."""

    def step(self, _stopped: Callable[[], bool] = lambda: False) -> int:
        """Make a backup if one is due. A server that stops doesn't wait for it; the next backup removes the draft."""
        folder, now = self.settings.backup.folder, self.clock()
        is_too_soon = self.next_look is not None and now < self.next_look <= now + EVERY
        if folder is None or is_too_soon or not self._claims(now):
            return 0
        self.next_look = now + AGAIN
        try:
            self._make(folder, now)
        except (OSError, BadConfig, DBAPIError, NotBackedUp) as error:
            why = str(error.orig) if isinstance(error, DBAPIError) else str(error)
            log.error("the backup failed", error=why, again="in an hour")  # noqa: TRY400 - no bug of ours
            self._note(now, has_failed=True)
            return 0
        return 1

    def _claims(self, now: datetime) -> bool:
        """Return whether a backup is due that no other daemon makes; leave it to us for a while."""
        with read_only(self.engine) as session:
            if not _is_due(session.get(Backup, THE_ONE), now):
                return False
        try:
            with transaction(self.engine) as session:
                is_due = _is_due(_row(session), now)  # another daemon may just have made it
                session.flush()
                return is_due and leases.take(session, Backup, THE_ONE, self.holder, LEASE)
        except DBAPIError:  # it can't be written: then a backup matters most
            return True

    def _make(self, folder: Path, now: datetime) -> None:
        from pbem.server.backups import archive  # it takes 0.5 MB, which a server without backups saves

        begun, address = time.monotonic(), self.settings.server.address
        file = folder / name(address, now)
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        archive.make(self.engine, self.settings, file, now)
        self.next_look = now + EVERY  # or backups that aren't noted would push out the older ones, one by one
        self._note(now, has_failed=False)
        removed = kept(folder, address)[: -self.settings.backup.keep]
        for old in removed:
            old.unlink(missing_ok=True)
        seconds = round(time.monotonic() - begun, 1)
        log.info("backup made", file=str(file), bytes=file.stat().st_size, seconds=seconds, removed=len(removed))

    def _note(self, now: datetime, *, has_failed: bool) -> None:
        """Tell all daemons, and the admin, what became of it; the lease has ended."""
        with transaction(self.engine) as session:
            row = _row(session)
            row.leased_until = row.holder = row.failed = None
            if has_failed:
                row.failed, row.troubled = now, row.troubled or now
            else:
                row.made, row.troubled = now, None


def _row(session: Session) -> Backup:
    """Return the row that all daemons share."""
    row = lock(session, Backup, THE_ONE) or Backup(id=THE_ONE)
    session.add(row)
    return row


def _is_due(row: Backup | None, now: datetime) -> bool:
    times = ((row.made, EVERY), (row.failed, AGAIN)) if row is not None else ()
    return not any(at is not None and at <= now < at + pause for at, pause in times)
