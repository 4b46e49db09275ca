"""The database is locked, full or restarted: messages are refused temporarily or wait; none is lost or acts twice."""

import contextlib
import shutil
import socket
import sqlite3
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import pbem.storage.database
from pbem.server.liveness import REPLACED
from tests.reliability.conftest import Stage
from tests.reliability.scene import Scene, conserved
from tests.servers import GENEROUS, HOST, until


def test_mail_waits_while_another_program_holds_the_database(stage: Stage) -> None:
    scene = stage("lmtp", "sqlite")
    first, second = scene.seed(2)
    daemon = scene.start().ready()
    scene.write(first, second)
    with held(scene):
        delivery = threading.Thread(target=scene.door.deliver, args=(daemon,))
        delivery.start()
        delivery.join(1)
        assert delivery.is_alive(), "neither accepted nor refused"
    delivery.join(GENEROUS)
    scene.quiet()
    assert conserved(scene) == 0


def test_mail_is_refused_for_now_when_the_database_stays_locked(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pbem.storage.sqlite, "BUSY_SECONDS", 0.2)  # half a minute in production
    scene = stage("lmtp", "sqlite")
    (letter,) = scene.seed(1)
    with scene.server() as server, held(scene):
        (listener,) = server.listeners
        listener.start(server.take)
        scene.write(letter)
        scene.door.deliver(Listening(listener.port))
        assert scene.door.untold == 1, "451: the MTA keeps it"
        listener.stop()
    scene.door.deliver(scene.start())
    scene.quiet()
    assert conserved(scene) == 0


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


def test_files_that_may_grow_no_more_refuse_mail_for_now(stage: Stage) -> None:
    """As on a full disk: the kernel refuses every write beyond some size."""
    scene = stage("lmtp", "sqlite")
    letters = scene.seed(6)
    daemon = scene.start().ready()
    daemon.let_files_grow(1)
    scene.write(*letters)
    scene.door.deliver(daemon)
    assert scene.door.untold > 0, "there was no room for all of them"
    daemon.let_files_grow()
    until(lambda: scene.door.deliver(daemon) or scene.door.untold == 0, "all are accepted")
    scene.quiet(60)
    assert conserved(scene) == 0
    assert daemon.runs


@pytest.mark.parametrize("put", [Path.replace, shutil.copyfile], ids=["mv", "cp"])
def test_a_database_that_is_replaced_ends_the_server_and_is_not_damaged_by_its_log(
    stage: Stage, put: Callable[[Path, Path], object]
) -> None:
    """As by `mv`, `rsync` or `cp` of a copy, under a running server."""
    scene = stage("lmtp", "sqlite")
    first, second = scene.seed(2)
    daemon = scene.start().ready()
    file = Path(scene.database.removeprefix("sqlite:///"))
    copy = file.with_name("copy")
    with contextlib.closing(sqlite3.connect(file)) as source:
        source.execute("VACUUM INTO ?", (str(copy),))
    scene.write(first)
    scene.door.deliver(daemon)
    put(copy, file)
    assert daemon.died() == -REPLACED
    (line,) = daemon.lines("the database was replaced")
    aside = file.with_name(f"{file.name}-wal.replaced")
    assert aside.is_file()
    assert str(aside) in line["error"]
    scene.write(second)
    scene.door.deliver(scene.start().ready())
    done = "SELECT count(*) FROM incoming WHERE state = 'done'"
    with contextlib.closing(sqlite3.connect(file)) as database:
        until(lambda: database.execute(done).fetchone() == (1,), "the second message is handled, in the new file")
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def test_connections_beyond_what_the_process_may_open_are_told_once_and_mail_comes_in_afterwards(stage: Stage) -> None:
    scene = stage("lmtp", "sqlite")
    (letter,) = scene.seed(1)
    daemon = scene.start().ready()
    daemon.let_files_open(len(list(Path(f"/proc/{daemon.pid}/fd").iterdir())) + 3)
    crowd = [socket.create_connection((HOST, daemon.port)) for _ in range(20)]
    until(lambda: daemon.lines("no connections can be taken"), "it says so")
    for connection in crowd:
        connection.close()
    daemon.let_files_open()
    scene.write(letter)
    scene.door.deliver(daemon)
    scene.quiet()
    assert conserved(scene) == 0
    assert len(daemon.lines("no connections can be taken")) == 1
    assert "Traceback" not in daemon.log


def test_a_log_that_can_not_be_written_stops_nothing(stage: Stage) -> None:
    scene = stage("lmtp", "sqlite")
    letters = scene.seed(6)
    daemon = scene.start().ready()
    daemon.fill_log(9_000_000)
    daemon.let_files_grow(8_000_000)  # the database and its WAL are far smaller
    for letter in letters:
        scene.write(letter)
        scene.door.deliver(daemon)
    scene.quiet()
    assert conserved(scene) == 0
    assert not daemon.lines("mail in")
    daemon.let_files_grow()
    daemon.end()
