"""The folder with the site: each file is written whole or not at all, only if it has changed, and is accounted for.

What is in the folder is listed in a file of its own, with a stamp for each subject (a match, a player, a tournament):
a text that differs whenever its files have to be made again. A subject is listed before its files are written, and
forgotten after they were removed, so that no file is left over wherever a publication is interrupted. If the list is
lost, everything is made again. The list is not for visitors, so nobody else may read it.

All else is for everybody to read, whatever the umask, and belongs to the owner of the folder, also if root publishes.

Other processes may write files of matches too, for as long as the one that holds the folder lives: they share a lock on
the drafts, for which the next publication waits.
"""

import os
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Self

from pbem.publishing.listing import Listing
from pbem.publishing.results import Results
from pbem.storage import leases

LIST = ".published.sqlite"
DRAFTS = ".unfinished"
"""The folder within the site in which files are written before they are put into their places."""
UNFINISHED = ""
"""The stamp of a subject whose files may be missing."""


class NotASite(Exception):
    """The folder has files in it, and no list of what was published there."""


class Files:
    """Writes files of a site; `written` counts them. Others may write different ones at the same time.

    Folders that it makes have that mode.
    """

    def __init__(self, path: Path, mode: int = 0o755) -> None:
        self.path = path
        self.drafts = path / DRAFTS
        self.written = 0
        self._owner = _owner(path)
        self._mode = mode

    def write(self, name: str, content: bytes | str) -> None:
        """Write a file, unless it has that content already. Whoever reads it meanwhile gets the old one, whole."""
        target = self.path / name
        raw = content.encode() if isinstance(content, str) else content
        if _content(target) == raw:
            return
        make(target.parent, self._mode)
        with tempfile.NamedTemporaryFile(dir=self.drafts, delete=False) as draft:
            draft.write(raw)
            _give(draft.fileno(), self._owner, 0o644)
        Path(draft.name).replace(target)
        self.written += 1


class SiteFolder:
    """The folder and its list; `removed` counts files."""

    def __init__(self, path: Path, listed: sqlite3.Connection) -> None:
        self.path = path
        self.files = Files(path)
        self.matches = Listing(listed)
        self.results = Results(listed)
        self._listed = listed
        self.removed = 0

    @classmethod
    @contextmanager
    def opened(cls, path: Path) -> Iterator[Self]:
        """Open the folder, which is made if it doesn't exist; raise NotASite or OSError.

        Only one process writes into it at a time; others wait until it is through.
        """
        claim(path)
        with leases.locked(path), closing(sqlite3.connect(path / LIST, isolation_level=None)) as listed:
            listed.execute("create table if not exists subject (name text primary key, stamp text not null)")
            listed.execute("pragma journal_mode = wal")
            folder = cls(path, listed)
            folder._sweep()
            yield folder
            folder.files.drafts.rmdir()

    def stamps(self, kind: str) -> dict[str, str]:
        rows = self._listed.execute("select name, stamp from subject where name >= ? and name < ?", _span(kind))
        return {name[len(kind) + 1 :]: stamp for name, stamp in rows}

    def stale(self, kind: str, stamp: str) -> list[str]:
        rows = self._listed.execute(
            "select name from subject where name >= ? and name < ? and stamp <> ?", (*_span(kind), stamp)
        )
        return [name[len(kind) + 1 :] for (name,) in rows]

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Change the list as a whole, or not at all."""
        if self._listed.in_transaction:
            yield
            return
        self._listed.execute("begin immediate")
        try:
            yield
        except BaseException:
            self._listed.execute("rollback")
            raise
        self._listed.execute("commit")

    def note(self, kind: str, stamps: Mapping[str, str]) -> None:
        if not stamps:
            return
        rows = [(f"{kind}/{name}", stamp) for name, stamp in stamps.items()]
        with self.transaction():
            self._listed.executemany("insert or replace into subject values (?, ?)", rows)

    def forget(self, kind: str, names: Iterable[str]) -> None:
        rows = [(f"{kind}/{name}",) for name in names]
        if not rows:
            return
        with self.transaction():
            self._listed.executemany("delete from subject where name = ?", rows)

    def write(self, name: str, content: bytes | str) -> None:
        self.files.write(name, content)

    def remove(self, *names: str) -> None:
        for name in names:
            target = self.path / name
            if target.exists():
                target.unlink()
                self.removed += 1

    def _sweep(self) -> None:
        """Remove what an interrupted publication was writing, once all of its processes have ended."""
        make(self.files.drafts)
        with leases.locked(self.files.drafts):
            for draft in self.files.drafts.iterdir():
                draft.unlink()


def claim(path: Path) -> None:
    """Make the folder that of a site, unless it is; raise NotASite if it has other files in it, or OSError."""
    if path.exists() and not path.is_dir():
        raise NotASite(f"{path} is a file: name a folder, which is made if it isn't there")
    make(path)
    if not (path / LIST).exists() and any(path.iterdir()):
        raise NotASite(f"{path} isn't empty, and nothing was published there: choose another folder")
    with (path / LIST).open("ab") as file:
        _give(file.fileno(), _owner(path), 0o600)


def make(folder: Path, mode: int = 0o755) -> None:
    """Make a folder, and those above it, unless they are there; each belongs to the owner of the one above."""
    if folder.is_dir():
        return
    make(folder.parent, mode)
    folder.mkdir(exist_ok=True)  # another process may have made it meanwhile
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        _give(descriptor, _owner(folder.parent), mode)
    finally:
        os.close(descriptor)


def _owner(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_uid, found.st_gid


def _give(descriptor: int, owner: tuple[int, int], mode: int) -> None:
    """Set what everybody may do with an open file, and have root leave it to that owner."""
    os.fchmod(descriptor, mode)
    if os.geteuid() == 0:
        os.fchown(descriptor, *owner)


def _content(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _span(kind: str) -> tuple[str, str]:
    """Return the first name of a kind, and the first after it: "0" follows "/"."""
    return f"{kind}/", f"{kind}0"
