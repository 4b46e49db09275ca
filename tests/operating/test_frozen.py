"""A process that is stopped while it holds an SQLite database: the operator is told which one, and what to do."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import pbem.storage.sqlite
from pbem.storage import leases, sqlite
from tests.operating.daemons import Daemon, stopped_writer
from tests.operating.matches import in_play
from tests.operating.site import Site
from tests.servers import until

pytestmark = [
    pytest.mark.own_database,
    pytest.mark.skipif(not sqlite.LOCKS.exists(), reason="only Linux tells who holds a lock"),
]


@pytest.fixture
def on_sqlite(tmp_path: Path) -> Site:
    site = Site(tmp_path / "site")
    site.database = f"sqlite:///{site.folder}/pbem.sqlite"
    site.configure()
    site.make()
    with site.server() as server:
        in_play(server, 1)
    return site


@pytest.fixture
def writer(on_sqlite: Site) -> Iterator[subprocess.Popen[bytes]]:
    """Start a process that is stopped in the middle of a transaction."""
    with stopped_writer(on_sqlite.folder / "pbem.sqlite") as process:
        yield process


def told(process: int) -> str:
    return f"process {process}, which is stopped: kill -CONT {process} lets it go on, kill -KILL {process} ends it"


def test_commands_say_which_stopped_process_holds_the_database(
    on_sqlite: Site, writer: subprocess.Popen[bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    done = on_sqlite.pbem("status")
    assert (done.code, done.out.partition("database is locked by ")[0]) == (1, "problem no message can be stored: ")
    assert told(writer.pid) in done.out
    monkeypatch.setattr(pbem.storage.sqlite, "BUSY_SECONDS", 0.1)  # half a minute in production
    locked = f"database is locked by {told(writer.pid)}"
    for words in (("moderate", "close", "1", "--yes"), ("player", "revoke", "x0"), ("feed", "-"), ("run", "--once")):
        done = on_sqlite.pbem(*words, stdin=b"From: a@b.example\n\nhelp\n")
        assert (done.code, done.err) == (2, f"pbem: the database: {locked}\n"), words
    found = json.loads(on_sqlite.pbem("doctor", "--json").out)
    (said,) = [each for each in found if locked in each["sentence"]]
    assert (said["level"], said["advice"].split(",")[0]) == ("problem", "let that process go on")
    assert on_sqlite.pbem("show", "1").code == 0, "reading waits for nobody"
    writer.kill()
    writer.wait()
    assert on_sqlite.pbem("moderate", "close", "1", "--yes").code == 0


@pytest.mark.slow
def test_a_stopped_daemon_is_named(on_sqlite: Site) -> None:
    daemon = Daemon(on_sqlite).ready()
    try:
        number = daemon.process.pid
        done = on_sqlite.pbem("run", "--once")
        assert (done.code, f"another daemon (process {number}) is running on" in done.err) == (2, True), done
        until(lambda: on_sqlite.rows("select count(*) from daemon") == [1], "it tells how it is")
        assert "stopped" not in on_sqlite.pbem("status").said
        os.kill(number, signal.SIGSTOP)
        until(lambda: leases.is_stopped(number), "it is stopped")
        done = on_sqlite.pbem("run", "--once")
        assert (done.code, f"another daemon ({told(number)}) is running on" in done.err) == (2, True), done
        problems = json.loads(on_sqlite.pbem("status", "--json").out)["problems"]
        assert [each.partition(", ")[2] for each in problems if "stopped" in each] == [told(number)]
        os.kill(number, signal.SIGCONT)
        until(lambda: not leases.is_stopped(number), "it goes on")
        assert "stopped" not in on_sqlite.pbem("status").said
        done = daemon.end()
        assert done.code == 0, done
    finally:
        daemon.kill()
