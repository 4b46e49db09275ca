"""Matches written by several processes: the same files, and whatever is killed, the next publication mends it."""

import multiprocessing
import os
import signal
from pathlib import Path

import pytest

from pbem.publishing import publication
from pbem.publishing.writers import Killed
from tests.publishing.site import Archive, broken_links, files, store_many
from tests.servers import until


def _workers() -> set[int]:
    return {process.pid for process in multiprocessing.active_children() if process.pid is not None}


def test_several_processes_write_the_same_files_also_after_they_were_killed(
    shown: Archive, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publication, "AT_ONCE", 1)
    monkeypatch.setattr(publication, "FEW", 0)  # even a few matches are written by several processes, one at a time
    store_many(shown.letters.server.engine, 7)
    used: set[int] = set()

    def kill(done: int, _total: int) -> None:
        used.update(_workers())
        if done == 3:
            for worker in _workers():
                os.kill(worker, signal.SIGKILL)

    with pytest.raises(Killed):
        shown.publish(processes=2, progress=kill)
    until(lambda: not _workers(), "no process is left")
    assert len(used) == 2
    assert not broken_links(shown.folder)

    shown.publish(processes=2)
    shown.publish(folder=tmp_path / "alone")
    assert files(shown.folder) == files(tmp_path / "alone")
    assert not _workers()
