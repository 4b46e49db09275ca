"""A running server is seen by systemd, by `pbem status` and by its port, and so is one that is gone or unwell."""

import json
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.exc import IntegrityError

from pbem.mail.transports.protocols import Arrival
from pbem.server import backups, figures, running_servers
from pbem.storage import database, models
from tests.health.conftest import Manager
from tests.operating.daemons import Daemon
from tests.operating.people import PostOffice, written
from tests.operating.site import ADDRESS, FOLDER_IN, LMTP_IN, Site, environment, smtp_out
from tests.servers import GENEROUS, HOST, free_port, until

Start = Callable[[Site], Daemon]
METRICS = "[metrics]\nport = 0\n"


@pytest.fixture
def manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Manager]:
    """Listen as systemd does, and have daemons find it."""
    listening = Manager(tmp_path / "notify")
    monkeypatch.setenv("NOTIFY_SOCKET", listening.address)
    monkeypatch.setenv("WATCHDOG_USEC", "300000")
    yield listening
    listening.close()


@pytest.fixture
def on_sqlite(tmp_path: Path) -> Site:
    site = Site(tmp_path / "site")
    site.database = f"sqlite:///{site.folder}/pbem.sqlite"
    site.configure()
    site.make()
    return site


def told(site: Site) -> tuple[int, dict[str, Any]]:
    """Return what `pbem status --json` says, and its exit code."""
    done = site.pbem("status", "--json")
    return done.code, json.loads(done.out)


def test_systemd_is_told_that_it_is_ready_that_it_goes_on_and_that_it_stops(
    site: Site, manager: Manager, start: Callable[..., Daemon]
) -> None:
    site.configure(LMTP_IN, smtp_out(free_port()))
    daemon = start(site, waits=False)  # what isn't read at once is left out
    heard = manager.until("READY=1")
    assert [word for word in heard if "STOPPING" in word] == []
    if not any("STATUS=serving" in word for word in heard):
        manager.until("STATUS=serving")
    assert manager.until("WATCHDOG=1")
    assert manager.until("WATCHDOG=1"), "and again"
    done = daemon.end()
    assert done.code == 0
    assert "STATUS=stopping\nSTOPPING=1\n" in manager.until("STOPPING")


@pytest.mark.slow
def test_a_server_is_seen_until_it_stops(site: Site, post: PostOffice, start: Start) -> None:
    code, nothing = told(site)
    assert (code, nothing["problems"]) == (1, ["no server is running"])
    site.configure(f"{LMTP_IN}{METRICS}", smtp_out(post.port))
    daemon = start(site)
    until(lambda: told(site)[0] == 0, "all is well")
    _, well = told(site)
    (server,) = well["servers"]
    assert (server["host"], server["process"]) == (socket.gethostname(), daemon.process.pid)
    assert server["state"]["is_ready"]
    assert well["figures"]["pbem_shunted"] == 0
    assert site.pbem("status").out.startswith("all is well\n")
    daemon.deliver("ann@mail.example", ADDRESS, written("ann@mail.example", ADDRESS, "rules quadraphages"))
    post.next("ann@mail.example")
    port = daemon.lines("metrics")[0]["port"]
    with urllib.request.urlopen(f"http://{HOST}:{port}/metrics", timeout=GENEROUS) as answer:
        shown = answer.read().decode()
    assert 'pbem_mails_in_total{reason="",verdict="done"} 1.0' in shown
    assert 'pbem_link_up{link="database"} 1.0' in shown
    assert 'pbem_loop_hangs{loop="lmtp"} 0.0' in shown
    with urllib.request.urlopen(f"http://{HOST}:{port}/health", timeout=GENEROUS) as answer:
        assert json.load(answer) == {"healthy": True, "problems": []}
    assert daemon.end().code == 0
    assert told(site)[1]["servers"] == []


@pytest.mark.slow
def test_a_server_that_was_killed_is_missed_and_its_successor_clears_up(site: Site, start: Start) -> None:
    site.configure(FOLDER_IN, smtp_out(free_port()))
    first = start(site)
    until(lambda: told(site)[0] == 0, "all is well")
    first.kill()
    code, missed = told(site)
    assert code == 1
    assert missed["problems"] == [
        "no server is running",
        f"{socket.gethostname()}, process {first.process.pid}: {running_servers.ENDED}",
    ]
    second = start(site)
    until(lambda: told(site)[0] == 0, "all is well again")
    assert [server["process"] for server in told(site)[1]["servers"]] == [second.process.pid]


def test_what_waits_for_the_operator_is_a_problem(site: Site) -> None:
    site.drop(*(written(f"{name}@mail.example", ADDRESS, "help") for name in ("ann", "bob")))
    assert site.run_once() == [2, 2, 2]
    site.rows("update incoming set state = 'shunted' where id = 1")
    site.rows("update outgoing set troubled = created where id = 2")
    then = (datetime.now(UTC) - timedelta(hours=3)).replace(tzinfo=None)
    site.rows("update outgoing set state = 'owed', due = :then where id = 1", then=then)
    site.rows("update incoming set state = 'new', received = :then where id = 2", then=then)
    with site.config.open("a", encoding="utf-8") as file:
        file.write('[backup]\nfolder = "backups"\n')
    code, found = told(site)
    assert code == 1
    problems = [
        '1 received messages are shunted: see "pbem mail list"',
        '1 outgoing messages need you: see "pbem mail list"',
        "received messages (strangers) have waited for 3 hours",
        "messages should have been sent 3 hours ago",
    ]
    assert found["problems"][1:] == [*problems, "there is no backup yet"]
    (site.folder / "backups").mkdir()
    days_old = 4 if datetime.now(UTC).hour >= 12 else 3  # since midnight
    for days, wrong in ((3, [f"the last backup is {days_old} days old"]), (0, [])):
        then = datetime.now(UTC) - timedelta(days=days)
        (site.folder / "backups" / backups.name(ADDRESS, then)).touch()
        assert told(site)[1]["problems"][1:] == problems + wrong
    last_backup = f"last backup: of {then:%Y-%m-%d}"
    then, soon = ((datetime.now(UTC) + timedelta(hours=hours)).replace(tzinfo=None) for hours in (-5, 1))
    site.rows("update outgoing set created = :then, due = :soon where id = 1", then=then, soon=soon)
    assert 'messages have been tried in vain for 5 hours: see "pbem queue list"' in told(site)[1]["problems"]
    site.rows("update outgoing set due = :late where id = 1", late=then + timedelta(hours=2))
    shown = site.pbem("status").out
    assert "problem messages should have been sent 3 hours ago" in shown
    assert "\nowed: 1, to be sent, or tried again; the first for " in shown
    assert "held" not in shown, "what is well isn't told"
    assert last_backup in shown


def test_a_disk_without_room_for_a_message_is_a_problem(on_sqlite: Site) -> None:
    on_sqlite.drop(written("ann@mail.example", ADDRESS, "help"))
    on_sqlite.run_once()
    command = ["bash", "-c", f"ulimit -f 500; exec {Path(sys.executable).with_name('pbem')} status --json"]
    around = {**environment(), "PYTHONDONTWRITEBYTECODE": "1"}  # else compiled modules may be cut off, and stay so
    done = subprocess.run(command, cwd=on_sqlite.folder, env=around, capture_output=True, check=False)
    assert done.stdout, done.stderr
    (why,) = [each for each in json.loads(done.stdout)["problems"] if "stored" in each]
    assert why.startswith("no message can be stored: no file can be made in ")
    assert on_sqlite.rows("select count(*) from incoming") == [1]


def test_messages_that_are_missing_and_a_table_that_is_are_problems(on_sqlite: Site) -> None:
    (on_sqlite.folder / "pbem.sqlite.newest").write_text("7\n", encoding="ascii")
    assert "the database has 0 messages, and had 7" in on_sqlite.pbem("status").out
    done = on_sqlite.pbem("doctor")
    assert (done.code, "the database has 0 messages, and had 7" in done.out) == (1, True)
    on_sqlite.rows("drop table mention")
    for command in ("status", "doctor"):
        assert "no such table: mention" in on_sqlite.pbem(command).out


def test_a_clock_that_leapt_is_a_problem(site: Site) -> None:
    assert not [each for each in told(site)[1]["problems"] if "clock" in each]
    now = datetime.now(UTC).replace(tzinfo=None)
    site.rows("insert into outage (since, until) values (:then, :now)", then=now - timedelta(days=400), now=now)
    (why,) = [each for each in told(site)[1]["problems"] if "clock" in each]
    assert why.startswith("the clock leapt from ")
    site.rows("insert into clock (id, beat) values (1, :then)", then=now - timedelta(days=400))
    (why,) = [each for each in told(site)[1]["problems"] if "clock" in each]
    assert "400 days after a server last ran here" in why


@pytest.mark.parametrize(("table", "code"), [("rawmessage", 1), ("match", 2)])
def test_a_table_that_another_program_holds_stops_no_question(site: Site, table: str, code: int) -> None:
    if not site.database.startswith("postgresql"):
        pytest.skip("SQLite locks no table")
    engine = create_engine(site.database)
    with engine.begin() as holding:
        holding.execute(text(f"lock table {table} in access exclusive mode"))
        done = site.process("status")
        assert (done.code, "no answer within" in done.said) == (code, True), done
    engine.dispose()
    assert "no answer within" not in site.pbem("status").said


def test_a_message_that_can_not_be_stored_is_a_problem_until_one_is(site: Site) -> None:
    if site.database.startswith("postgresql"):
        pytest.skip("tests of PostgreSQL's roles show that")
    raw = written("ann@mail.example", ADDRESS, "help")
    with site.server() as server:
        site.rows("create trigger refusing before insert on incoming begin select raise(abort, 'not today'); end")
        with pytest.raises(IntegrityError):
            server.take((Arrival(raw, "lmtp", recipients=(ADDRESS,)),))
        assert any(": not today, for " in each for each in figures.problems(figures.of_server(server.vitals)))
        site.rows("drop trigger refusing")
        server.take((Arrival(raw, "lmtp", recipients=(ADDRESS,)),))
        assert not any("not today" in each for each in figures.problems(figures.of_server(server.vitals)))


def test_each_of_several_servers_is_judged(site: Site) -> None:
    now = datetime.now(UTC)
    state: dict[str, Any] = {"mails_in": 1, "mails_out": 2, "of a later version": 7}
    problems = {"mx1": [], "mx2": ['the loop "send" hangs', "imap: receiving interrupted: no, for 6 minutes"]}
    with site.server() as server, database.transaction(server.engine) as session:
        for host, told_by_it in {**problems, "mx3": []}.items():
            silent = timedelta(minutes=10 if host == "mx3" else 0)
            row = {"host": host, "process": 42, "version": "1.0.0", "started": now, "told": now - silent}
            session.add(models.Daemon(**row, state=state | {"problems": told_by_it}))
    code, found = told(site)
    assert code == 1
    assert found["problems"] == [
        'mx2, process 42: the loop "send" hangs',
        "mx2, process 42: imap: receiving interrupted: no, for 6 minutes",
        "mx3, process 42: told nothing for 10 minutes",
    ]
    shown = site.pbem("status").out.splitlines()
    assert shown[0] == 'problem mx2, process 42: the loop "send" hangs'
    assert shown[3].startswith("mx1, process 42, since ")
