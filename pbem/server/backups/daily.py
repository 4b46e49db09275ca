"""Backups that a server makes by itself, in a thread of its own: one a day, counted in UTC, named by its date.

The folder says which there are, whatever the database knows. Of several daemons, those that come too late find it.
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

from pbem.config import Settings
from pbem.secret import BadConfig
from pbem.server.backups import NotBackedUp
from pbem.storage.setbacks import Setbacks

log = structlog.get_logger()

DOING = "backups"
EVERY = timedelta(days=1)
_STAMP = "%Y%m%d"


def name(address: str, now: datetime) -> str:
    """Return the name of a server's backup of that day.

    >>> name("games@example.org", datetime(2026, 11, 23, 3, 15, tzinfo=UTC))
    'pbem-games@example.org-20261123.tar.gz'
    """
    return f"pbem-{address}-{now.astimezone(UTC):{_STAMP}}.tar.gz"


def kept(settings: Settings) -> list[Path]:
    """Return the server's own backups, oldest first; other files in the folder are nobody's business."""
    folder, pattern = settings.backup.folder, f"pbem-{glob.escape(settings.server.address)}-{8 * '[0-9]'}.tar.gz"
    return sorted(folder.glob(pattern)) if folder is not None else []


def made(backup: Path) -> datetime:
    """Return the day of which a backup is, which its name says."""
    return datetime.strptime(backup.name[-15:-7], _STAMP).replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Backups:
    engine: Engine
    settings: Settings
    clock: Callable[[], datetime]

    def step(self, _stopped: Callable[[], bool] = lambda: False) -> int:
        """Make today's backup if there is none. A server that stops doesn't wait; the next one removes the draft."""
        folder, now = self.settings.backup.folder, self.clock()
        if folder is None or (file := folder / name(self.settings.server.address, now)) in kept(self.settings):
            return 0
        setbacks = Setbacks(self.engine, DOING, now)
        if not list(setbacks.ready((0,))):
            return 0
        try:
            self._make(file, now)
        except (OSError, BadConfig, DBAPIError, NotBackedUp) as error:
            if file in kept(self.settings):  # another daemon has made it meanwhile
                return 0
            why = str(error.orig) if isinstance(error, DBAPIError) else str(error)
            log.error("the backup failed", error=why, again="within an hour")  # noqa: TRY400 - no bug of ours
            setbacks.fails(0)
            return 0
        setbacks.works(0)
        return 1

    def _make(self, file: Path, now: datetime) -> None:
        from pbem.server.backups import archive  # it takes 0.5 MB, which a server without backups saves

        begun = time.monotonic()
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        archive.make(self.engine, self.settings, file, now)
        removed = kept(self.settings)[: -self.settings.backup.keep]
        for old in removed:
            old.unlink(missing_ok=True)
        seconds = round(time.monotonic() - begun, 1)
        log.info("backup made", file=str(file), bytes=file.stat().st_size, seconds=seconds, removed=len(removed))
