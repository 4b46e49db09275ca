"""Moments of correspondences: scenes are played once in a test run, and copied by all of its processes."""

import fcntl
import io
import pickle
import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from email.message import EmailMessage
from hashlib import sha256
from pathlib import Path
from typing import Any

from notation.games import GAMES
from pbem.conformance.server_harness import STRICT
from tests import databases

Key = tuple[object, ...]
"""The settings of a server, the time at which it began, and the scenes since."""


@dataclass(frozen=True)
class Moment:
    """The state of a correspondence after some scenes."""

    told: Any
    """The return value of the last scene."""
    clock: datetime
    log: tuple[tuple[str, EmailMessage], ...]
    received: Mapping[str, tuple[EmailMessage, ...]]
    delivered: int
    files: Path
    """A folder with the folders of received and sent messages."""
    rows: databases.Kept


_KNOWN: dict[Key, Moment] = {}
_FOLDER: list[Path] = []
"""Where this test run keeps moments; without a folder, as in a bench, a process keeps them for itself."""


def keep_in(folder: Path) -> None:
    """Share moments with the other processes of the test run in a folder that ends with it."""
    folder.mkdir(exist_ok=True)
    _FOLDER[:] = [folder]


def folder_of_files() -> Path:
    """Return a new folder for the files of a moment."""
    return Path(tempfile.mkdtemp(dir=next(iter(_FOLDER), None)))


def name_of(scene: Callable[..., object], words: tuple[str, ...], above: bytes) -> Key:
    """Return what tells a scene from others; a function without a name of its own counts as itself."""
    name = f"{scene.__module__}.{scene.__qualname__}"
    return (scene if "<" in name else name, words, above, tuple(GAMES))


def known(key: Key) -> Moment | None:
    """Return the moment if this process has met it before."""
    return _KNOWN.get(key)


@contextmanager
def made_once(key: Key) -> Iterator[Moment | None]:
    """Provide a moment that another process has made; or None, and let the others wait until it is kept."""
    if not _is_shared(key):
        yield None
        return
    with _file_of(key).with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if _file_of(key).exists():
            _KNOWN[key] = _loads(_file_of(key).read_bytes())
        yield _KNOWN.get(key)


def keep(key: Key, moment: Moment) -> None:
    """Keep a moment for this process, and for the others of the run."""
    _KNOWN[key] = moment
    if _is_shared(key):
        _file_of(key).write_bytes(_dumps(moment))


def forget() -> None:
    """Close the copies of databases."""
    for moment in _KNOWN.values():
        if isinstance(moment.rows, sqlite3.Connection):
            moment.rows.close()
    _KNOWN.clear()


def _is_shared(key: Key) -> bool:
    """Return whether other processes have the same scenes."""
    scenes = key[-1]
    assert isinstance(scenes, tuple)
    return bool(_FOLDER) and not any(callable(part) for scene in scenes for part in scene)


def _file_of(key: Key) -> Path:
    return _FOLDER[0] / sha256(repr(key).encode()).hexdigest()


class _Pickler(pickle.Pickler):
    """Leaves out what all processes have."""

    def persistent_id(self, obj: Any) -> str | None:
        return "policy" if obj is STRICT else None


class _Unpickler(pickle.Unpickler):
    def persistent_load(self, pid: Any) -> Any:
        return STRICT


def _dumps(moment: Moment) -> bytes:
    """Return a moment as bytes; an SQLite database is a file beside its other files."""
    if isinstance(moment.rows, sqlite3.Connection):
        file = moment.files / "pbem.sqlite"
        with closing(sqlite3.connect(file)) as copy:
            moment.rows.backup(copy)
        moment = replace(moment, rows=str(file))
    written = io.BytesIO()
    _Pickler(written).dump(moment)
    return written.getvalue()


def _loads(written: bytes) -> Moment:
    moment: Moment = _Unpickler(io.BytesIO(written)).load()
    if str(moment.rows).endswith(".sqlite"):
        rows = sqlite3.connect(":memory:", check_same_thread=False)
        with closing(sqlite3.connect(str(moment.rows))) as file:
            file.backup(rows)
        return replace(moment, rows=rows)
    return moment
