"""Drafts: folders in which files become whole before they get their names, and what of them outlives a crash."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pbem.storage.leases import locked_if_free

PREFIX = ".pbem-draft-"


@contextmanager
def folder(beside: Path) -> Iterator[Path]:
    """Provide an empty folder in that one, which only we can read; remove it at the end, and those of dead processes.

    A process that is killed leaves its folder behind. Its lock is free then, by which the next one knows.
    """
    sweep(beside)
    while True:
        made = Path(tempfile.mkdtemp(prefix=PREFIX, dir=beside))
        with locked_if_free(made) as is_ours:
            if not is_ours or not made.exists():  # another process has taken it for a dead one's before it was locked
                continue
            try:
                yield made
            finally:
                shutil.rmtree(made, ignore_errors=True)
        return


def sweep(beside: Path) -> None:
    for left in beside.glob(f"{PREFIX}*"):
        with locked_if_free(left) as is_left:
            if is_left:
                shutil.rmtree(left, ignore_errors=True)


def publish(draft: Path, path: Path, mode: int = 0o600) -> None:
    """Give a whole file its name, for good: it survives a power cut."""
    draft.chmod(mode)
    with draft.open("rb") as file:
        os.fsync(file.fileno())
    draft.rename(path)
    descriptor = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def adopt(draft: Path, folder: Path) -> None:
    """Give a file that root has made to the owner of a folder, as whom the server runs there."""
    if os.geteuid() == 0:
        owner = folder.stat()
        os.chown(draft, owner.st_uid, owner.st_gid)
