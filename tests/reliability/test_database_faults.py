"""The database is locked, full or restarted: messages are refused temporarily or wait; none is lost or acts twice."""

import contextlib
import os
import sqlite3
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import pbem.storage.database
from tests.operating.people import PostOffice
from tests.operating.site import Site
from tests.postgres import Postgres
from tests.reliability.conftest import Stage
from tests.reliability.scene import Lmtp, Scene, conserved, plies
from tests.servers import until


@pytest.mark.slow
def test_mail_waits_while_another_program_holds_the_database(stage: Stage) -> None:
    scene = stage("lmtp", "sqlite")
    first, second = scene.seed(2)
    before = plies(scene)
    daemon = scene.start().ready()
    scene.write(first, second)
    with held(scene):
        delivery = threading.Thread(target=scene.door.deliver, args=(daemon,))
        delivery.start()
        delivery.join(1)
        assert delivery.is_alive(), "neither accepted nor refused"
    delivery.join(110)
    scene.quiet()
    assert conserved(scene, before=before) == 0


@pytest.mark.slow
def test_mail_is_refused_for_now_when_the_database_stays_locked(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pbem.storage.sqlite, "BUSY_SECONDS", 0.2)  # half a minute in production
    scene = stage("lmtp", "sqlite")
    (letter,) = scene.seed(1)
    before = plies(scene)
    with scene.server() as server, held(scene):
        (listener,) = server.listeners
        listener.start(server.store)
        scene.write(letter)
        scene.door.deliver(Listening(listener.port))
        assert scene.door.untold == 1, "451: the MTA keeps it"
        listener.stop()
    scene.door.deliver(scene.start())
    scene.quiet()
    assert conserved(scene, before=before) == 0


class Listening:
    """Stands in for a daemon that consists of its listener only."""

    def __init__(self, port: int) -> None:
        self.port = port

    def serves(self) -> bool:
        """Return True: the listener is running."""
        return True


@contextlib.contextmanager
def held(scene: Scene) -> Iterator[None]:
    """Keep the SQLite file locked, as a backup program might."""
    with contextlib.closing(sqlite3.connect(scene.database.removeprefix("sqlite:///"))) as other:
        other.isolation_level = None
        other.execute("BEGIN EXCLUSIVE")
        yield


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Mount a file system of two megabytes; skip the test if that isn't permitted."""
    folder = tmp_path / "disk"
    folder.mkdir()
    made = os.geteuid() == 0 and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=2m", "none", str(folder)], capture_output=True, check=False
    )
    if not made or made.returncode != 0:
        pytest.skip("making a file system needs root, and in a container the right to mount")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


@pytest.mark.slow
def test_a_full_disk_refuses_mail_for_now(small_disk: Path, tmp_path: Path) -> None:
    with PostOffice() as post:
        scene = Scene(Site(tmp_path / "site"), f"sqlite:///{small_disk}/pbem.sqlite", Lmtp(), post)
        letters = scene.seed(6)
        before = plies(scene)
        daemon = scene.start().ready()
        filler = small_disk / "filler"
        with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
            while True:
                file.write(b"x" * 4096)
        scene.write(*letters)
        scene.door.deliver(daemon)
        assert scene.door.untold > 0, "there was no room for all of them"
        filler.unlink()
        until(lambda: scene.door.deliver(daemon) or scene.door.untold == 0, "all are accepted")
        scene.quiet(60)
        assert conserved(scene, before=before) == 0
        assert daemon.runs
        scene.end()


@pytest.mark.slow
def test_files_that_may_grow_no_more_refuse_mail_for_now(stage: Stage) -> None:
    """A full disk without mounting a file system: the kernel refuses every write beyond some size."""
    scene = stage("lmtp", "sqlite")
    letters = scene.seed(6)
    before = plies(scene)
    daemon = scene.start().ready()
    daemon.let_files_grow(1)
    scene.write(*letters)
    scene.door.deliver(daemon)
    assert scene.door.untold > 0, "there was no room for all of them"
    daemon.let_files_grow()
    until(lambda: scene.door.deliver(daemon) or scene.door.untold == 0, "all are accepted")
    scene.quiet(60)
    assert conserved(scene, before=before) == 0
    assert daemon.runs


@pytest.mark.slow
def test_a_log_that_can_not_be_written_stops_nothing(stage: Stage) -> None:
    scene = stage("lmtp", "sqlite")
    letters = scene.seed(6)
    before = plies(scene)
    daemon = scene.start().ready()
    daemon.fill_log(2_000_000)
    daemon.let_files_grow(1_000_000)  # the database is far smaller
    for letter in letters:
        scene.write(letter)
        scene.door.deliver(daemon)
    scene.quiet()
    assert conserved(scene, before=before) == 0
    assert not daemon.lines("mail in")
    daemon.let_files_grow()
    daemon.end()


@pytest.mark.slow
def test_a_postgresql_that_is_restarted_is_waited_for(tmp_path: Path) -> None:
    server = Postgres()
    try:
        with PostOffice() as post:
            scene = Scene(Site(tmp_path / "site"), server.database(), Lmtp(), post)
            first, second, third = scene.seed(3)
            before = plies(scene)
            daemon = scene.start().ready()
            scene.write(first)
            scene.door.deliver(daemon)
            server.stop()
            scene.write(second)
            scene.door.deliver(daemon)
            assert scene.door.untold == 1, "451: the MTA keeps it"
            server.start()
            scene.write(third)
            scene.door.deliver(daemon)
            scene.quiet(60)
            assert conserved(scene, before=before) <= 2
            assert daemon.runs
            scene.end()
    finally:
        server.remove()
