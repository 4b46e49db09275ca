"""Matches written by several processes: the same files, and whatever is killed, the next publication mends it."""

import multiprocessing
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from pbem.publishing import publication
from pbem.publishing.writers import Killed
from tests.publishing.site import Archive, broken_links, files, store_many
from tests.servers import until

pytestmark = pytest.mark.slow

Kill = Callable[[], None]


def _workers() -> list[int]:
    return [process.pid for process in multiprocessing.active_children() if process.pid is not None]


def _kill_workers() -> None:
    for pid in _workers():
        os.kill(pid, signal.SIGKILL)


def _interrupt() -> None:
    os.kill(os.getpid(), signal.SIGINT)


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let even a few matches be written by several processes, one at a time."""
    monkeypatch.setattr(publication, "AT_ONCE", 1)
    monkeypatch.setattr(publication, "FEW", 0)


@pytest.mark.usefixtures("eager")
def test_several_processes_write_the_same_files(shown: Archive, tmp_path: Path) -> None:
    store_many(shown.letters.server.engine, 7)
    used: set[int] = set()
    told: list[tuple[int, int]] = []

    def progress(done: int, total: int) -> None:
        used.update(_workers())
        told.append((done, total))

    several = shown.publish(folder=tmp_path / "several", processes=2, progress=progress)
    alone = shown.publish(folder=tmp_path / "alone")
    assert files(tmp_path / "several") == files(tmp_path / "alone")
    assert several == alone
    assert len(used) == 2
    assert told == [(number, 8) for number in range(1, 9)]
    assert not _workers()


@pytest.mark.usefixtures("eager")
@pytest.mark.parametrize(
    ("end", "error"), [(_kill_workers, Killed), (_interrupt, KeyboardInterrupt)], ids=["killed", "interrupted"]
)
def test_when_its_processes_are_killed_it_ends_and_the_next_publication_mends_it(
    shown: Archive, tmp_path: Path, end: Kill, error: type[BaseException]
) -> None:
    store_many(shown.letters.server.engine, 12)

    def progress(done: int, _: int) -> None:
        if done == 3:
            end()

    with pytest.raises(error):
        shown.publish(processes=2, progress=progress)
    until(lambda: not _workers(), "no process is left")
    assert not broken_links(shown.folder)
    shown.publish(processes=2)
    shown.publish(folder=tmp_path / "fresh")
    assert files(shown.folder) == files(tmp_path / "fresh")
