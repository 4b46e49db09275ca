"""Drafts: folders in which files become whole before they get their names, and locks on folders.

What a killed process left goes first.
"""

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PREFIX = ".pbem-draft-"


@contextmanager
def folder(beside: Path) -> Iterator[Path]:
    """Provide an empty folder in that one, which only we can read; another process waits until it is done."""
    sweep(beside)
    with locked(beside), tempfile.TemporaryDirectory(prefix=PREFIX, dir=beside, ignore_cleanup_errors=True) as path:
        yield Path(path)


def sweep(beside: Path) -> None:
    with locked(beside):
        for abandoned in beside.glob(f"{PREFIX}*"):
            shutil.rmtree(abandoned, ignore_errors=True)


def publish(draft: Path, path: Path, mode: int = 0o600) -> None:
    """Give a complete file its name; it survives a power cut."""
    draft.chmod(mode)
    sync(draft)
    draft.rename(path)
    sync(path.parent)


def sync(path: Path) -> None:
    """Let a file, or the names in a folder, survive a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def adopt(draft: Path, folder: Path) -> None:
    """Give a file that root has made to the owner of a folder, as whom the server runs there."""
    if os.geteuid() == 0:
        owner = folder.stat()
        os.chown(draft, owner.st_uid, owner.st_gid)


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the folder; wait until no other process or thread does."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
