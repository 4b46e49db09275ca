"""Mail in and out through Maildir folders, for trying things by hand and for local delivery agents."""

import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import structlog

from pbem.config import MaildirSettings
from pbem.mail.reading.limits import header_block
from pbem.mail.transports.protocols import Arrival, NotAccepted, ServerUnreachable
from pbem.storage import atomic_files

log = structlog.get_logger()

BATCH = 50
LOOK_SECONDS = 0.2


class MaildirInbox:
    """An Inbox whose queue is new/; messages that are done move to cur/, flagged as seen."""

    def __init__(self, settings: MaildirSettings, limit: int) -> None:
        self._folder = settings.path.expanduser()
        self._limit = limit
        self._known: frozenset[str] = frozenset()

    def fetch(self) -> Iterator[tuple[Arrival, ...]]:
        """Yield all of new/ in batches, oldest first; files that can't be read are logged and left there."""
        names = self._waiting()
        self._known = frozenset(names)
        for at in range(0, len(names), BATCH):
            if batch := tuple(filter(None, map(self._read, names[at : at + BATCH]))):
                yield batch

    def done(self, batch: tuple[Arrival, ...]) -> None:
        """Move the files to cur/, flagged S; a file that is gone counts as moved."""
        for arrival in batch:
            name = arrival.source.removeprefix("maildir ")
            seen = name if ":" in name else f"{name}:2,S"
            try:
                (self._folder / "new" / name).rename(self._folder / "cur" / seen)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise ServerUnreachable(f"{name} can't be moved to cur/: {error}") from error

    def wait(self, seconds: float, stopped: Callable[[], bool]) -> None:
        end = time.monotonic() + seconds
        while not stopped() and (now := time.monotonic()) < end:
            if not self._known.issuperset(self._waiting()):
                return
            time.sleep(min(LOOK_SECONDS, end - now))

    def close(self) -> None:
        """Do nothing: no file is kept open."""

    def _waiting(self) -> list[str]:
        """Return the names in new/ by age, then name, without dot files and folders; raises ServerUnreachable."""
        files: list[tuple[int, str]] = []
        try:
            _make(self._folder)
            with os.scandir(self._folder / "new") as entries:
                for entry in entries:
                    with suppress(FileNotFoundError):
                        if not entry.name.startswith(".") and entry.is_file(follow_symlinks=False):
                            files.append((entry.stat().st_mtime_ns, entry.name))
        except OSError as error:
            raise ServerUnreachable(
                f"the maildir {self._folder} can't be read: {error.filename}: {error.strerror};"
                " let the user that runs pbem read and write it"
            ) from error
        return [name for _, name in sorted(files)]

    def _read(self, name: str) -> Arrival | None:
        path = self._folder / "new" / name
        try:
            with path.open("rb") as file:
                size = os.fstat(file.fileno()).st_size
                raw = file.read(self._limit + 1)
        except FileNotFoundError:
            return None
        except OSError as error:
            log.warning("a message can't be read", source=f"maildir {name}", error=str(error))
            return None
        if len(raw) <= self._limit:
            return Arrival(raw=raw, source=f"maildir {name}")
        return Arrival(raw=header_block(raw), source=f"maildir {name}", size=size)


class MaildirOutbox:
    """An Outbox that writes each message to new/: its exact bytes, without the envelope."""

    def __init__(self, settings: MaildirSettings) -> None:
        self._folder = settings.path.expanduser()

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        """Write the message, flush it to disk, and only then let it appear in new/; raises NotAccepted(later=True)."""
        host = socket.gethostname().replace("/", "\\057").replace(":", "\\072")
        name = f"{time.time_ns()}.{os.getpid()}.{host}"
        draft = self._folder / "tmp" / name
        try:
            _make(self._folder)
            try:
                draft.write_bytes(raw)
                atomic_files.sync(draft)
                draft.rename(self._folder / "new" / name)
            finally:
                draft.unlink(missing_ok=True)
            atomic_files.sync(self._folder / "new")
        except OSError as error:
            raise NotAccepted(
                f"the maildir {self._folder} can't be written: {error}", later=True, is_lost=True
            ) from error

    def close(self) -> None:
        """Do nothing: no file is kept open."""


def _make(folder: Path) -> None:
    for part in ("tmp", "new", "cur"):
        (folder / part).mkdir(mode=0o700, parents=True, exist_ok=True)
