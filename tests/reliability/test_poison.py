"""Messages that can't be processed: counted before they are read, put aside after three attempts, and reported."""

import signal
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from typing import Any, ClassVar

import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError
from sqlmodel import col, select

from engines.phages import PhagesPosition
from notation.games import GAMES
from pbem.failpoints import Step
from pbem.mail.transports import receive_loop
from pbem.mail.transports.protocols import Arrival
from pbem.server import alerts
from pbem.storage import database
from pbem.storage.models import Incoming, IncomingState
from tests import databases
from tests.correspondence import Correspondence
from tests.operating import matches
from tests.operating.people import words, written
from tests.reliability.conftest import Stage
from tests.reliability.scene import Scene, asking, conserved
from tests.servers import until

ADMIN = "admin@pbem.example"
pytestmark = pytest.mark.server(server=f'admin = "{ADMIN}"')
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
SECRET = "my secret garden"
TURN = matches.sample().moves[0]


# A message that ends the process


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_a_mail_that_ends_the_server_is_put_aside_by_the_next_one_which_goes_on(stage: Stage, database: str) -> None:
    scene = stage("imap", database)
    scene.environment["PBEM_SERVER__ADMIN"] = ADMIN
    poison, good = scene.seed(2)
    scene.write(poison)
    assert scene.start(Step.READ).died() == signal.SIGKILL
    assert scene.rows("select state, attempts from incoming") == [("new", 1)]
    daemon = scene.start(Step.READ)  # each process that works on it alone dies, and the daemon doesn't
    until(lambda: scene.count("incoming", "state = 'shunted'") == 1, "it is put aside")
    until(lambda: len(daemon.lines("mail in")) == 4, "each try has its line, and so has what became of it")
    daemon.kill()
    scene.write(good, asking("nobody", scene.door.address))
    daemon = scene.start()
    scene.quiet()
    assert scene.rows("select state, verdict, attempts from incoming where id = 1") == [
        ("shunted", "ended the server, 3 times", 3)
    ]
    assert scene.count("incoming", "state = 'done'") == 2
    assert "nothing is lost: message 1." in " ".join(words(scene.post.next(ADMIN)).split())
    daemon.kill()
    retry(scene)
    scene.start()
    scene.quiet()
    alerts = "select id from outgoing where template = 'alert'"
    scene.rows(f"delete from outgoingcontent where outgoing in ({alerts})")
    scene.rows("delete from outgoing where template = 'alert'")
    scene.post.taken = [(recipient, mail) for recipient, mail in scene.post.taken if recipient != ADMIN]
    assert conserved(scene) == 0


def retry(scene: Scene) -> None:
    """Retry the message as an operator does."""
    listed = scene.site.pbem("mail", "list", **scene.environment)
    assert (listed.code, "ended the server" in listed.out) == (1, True)
    assert "no traceback" in scene.site.pbem("show", "mail", "1", **scene.environment).out
    assert scene.site.pbem("mail", "retry", "1", **scene.environment).code == 0
    assert scene.rows("select state, attempts, verdict from incoming where id = 1") == [("new", 0, None)]


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_an_owed_mail_that_ends_the_server_three_times_waits_and_the_others_go_out(stage: Stage, database: str) -> None:
    scene = stage("imap", database)
    scene.environment["PBEM_SERVER__ADMIN"] = ADMIN
    scene.write(*(asking(name, scene.door.address) for name in ("ann", "bob", "cid")))
    deaths = [[1, 0, 0], [1, 1, 0], [1, 1, 1], [2, 1, 1], [3, 1, 1]]  # answers to strangers go out one at a time
    with scene.server() as server:  # nothing is sent here, so that all three are due at once
        assert receive_loop.receive_once(server.inboxes[0], server.take) == 3
        assert server.handle_waiting() == 3
    for begun in deaths:
        assert scene.start(Step.RENDERED).died() == signal.SIGKILL
        assert scene.rows("select attempts from outgoing order by id") == begun
    later = datetime.now(UTC) + timedelta(hours=3)  # at least a minute; longer here, for slow machines
    scene.rows(f"update outgoing set due = '{later:%Y-%m-%d %H:%M:%S.%f}' where id = 1")
    daemon = scene.start()
    until(lambda: scene.count("outgoing", "state = 'sent' and id > 1") >= 2, "the others go out")
    assert scene.rows("select state, attempts from outgoing where id = 1") == [("owed", 3)]
    assert sorted(recipient for recipient, _ in scene.post.taken if recipient != ADMIN) == [
        "bob@mail.example",
        "cid@mail.example",
    ]
    daemon.kill()
    scene.rows("update outgoing set due = '2026-01-01' where id = 1")
    scene.start()
    until(lambda: scene.count("outgoing", "state = 'sent' and id = 1") == 1, "it goes out as well")


def test_a_server_that_is_stopped_in_good_order_leaves_no_mail_under_suspicion(stage: Stage) -> None:
    scene = stage("lmtp", "sqlite")
    databases.make(scene.database)
    scene.post.stalls_at = "ann@mail.example"
    scene.write(*(asking(name, scene.door.address) for name in ("ann", "bob")))
    daemon = scene.start()
    scene.door.deliver(daemon)
    until(lambda: scene.post.stalled, "the mail to ann hangs")
    assert scene.rows("select attempts from outgoing where address = 'ann@mail.example'") == [1]
    daemon.end()
    assert scene.rows("select attempts from outgoing where address = 'ann@mail.example'") == [0]


# A message that hits a bug


class Brittle(PhagesPosition):
    """An engine with a bug that strikes that many times."""

    strikes: ClassVar[int] = 0
    struck: ClassVar[int] = 0

    def play(self, move: Any) -> Any:
        if Brittle.struck < Brittle.strikes:
            Brittle.struck += 1
            raise ZeroDivisionError(f"a bug, by {move}")
        return super().play(move)


@pytest.fixture
def brittle(monkeypatch: pytest.MonkeyPatch) -> type[Brittle]:
    """Make it the engine of Quadraphages; it works until strikes are set."""
    game = GAMES["quadraphages"].game

    def start(chosen: Any) -> Brittle:
        real = game.start(chosen)
        return Brittle(**{field.name: getattr(real, field.name) for field in fields(real) if field.init})

    pack = replace(GAMES["quadraphages"], game=replace(game, start=start))
    monkeypatch.setitem(GAMES.packs, "quadraphages", pack)
    monkeypatch.setattr(Brittle, "strikes", 0)
    monkeypatch.setattr(Brittle, "struck", 0)
    return Brittle


def test_an_engine_that_raises_shunts_the_mail_and_the_rest_goes_on(
    letters: Correspondence, brittle: type[Brittle]
) -> None:
    letters.match()
    brittle.strikes = 3
    assert [str(mail["To"]) for mail in letters.reply(letters.last("alice"), f"{TURN}\n\n{SECRET}")] == [ADMIN]
    assert brittle.struck == 3
    with database.transaction(letters.server.engine) as session:
        row = session.exec(select(Incoming).order_by(col(Incoming.id).desc()).limit(1)).one()
        assert (row.state, row.attempts, row.verdict) == ("shunted", 3, "ZeroDivisionError, 3 times")
        assert "a bug, by" in (row.error or "")
    assert "QUADRAPHAGES" in words(letters.write("bob@mail.example", "rules quadraphages")[0])


@pytest.mark.own_database
def test_a_database_in_trouble_uses_up_no_attempts(letters: Correspondence) -> None:
    server = letters.server
    letters.match()
    to = letters.last("alice")["Reply-To"].addresses[0].addr_spec
    raw = written("alice@mail.example", to, "say " + "very " * 490 + "long\n")
    (waiting,) = server.take((Arrival(raw, "test", recipients=(to,)),))
    pages = []

    def full(connection: Any, _record: object) -> None:
        pages.append(connection.execute("PRAGMA page_count").fetchone()[0])
        connection.execute(f"PRAGMA max_page_count = {pages[-1]}")

    letters.execute("create table filler as select zeroblob(65536) as it")  # takes the pages that are free
    event.listen(server.engine, "connect", full)
    server.engine.dispose()
    for _ in range(5):
        with pytest.raises(OperationalError, match=r"full|no such savepoint"):
            server.handle_waiting()
    event.remove(server.engine, "connect", full)
    server.engine.dispose()
    with database.transaction(server.engine) as session:
        row = session.get_one(Incoming, waiting)
        assert (row.state, row.attempts) == (IncomingState.NEW, 1)
    assert server.handle_waiting() == 1
    with database.transaction(server.engine) as session:
        row = session.get_one(Incoming, waiting)
        assert (row.state, row.attempts) == (IncomingState.DONE, 1)


# Alerts to the admin


def shunted(letters: Correspondence, number: int, when: datetime) -> None:
    """Create a message that was put aside at that time."""
    with database.transaction(letters.server.engine) as session:
        row = session.get(Incoming, number) or Incoming(
            id=number, key=str(number), size=0, source="test", recipients=[], received=when
        )
        row.state, row.handled = IncomingState.SHUNTED, when
        session.add(row)


def test_the_admin_is_told_once_an_hour_at_most_and_only_news(letters: Correspondence) -> None:
    server = letters.server

    def told(minutes: int) -> bool:
        return alerts.tell(server.engine, server.settings.server, NOON + timedelta(minutes=minutes))

    assert not told(0), "nothing is wrong"
    shunted(letters, 1, NOON)
    assert told(0)
    assert not told(61), "no news"
    shunted(letters, 2, NOON + timedelta(minutes=61))
    assert told(61)
    shunted(letters, 3, NOON + timedelta(minutes=62))
    assert not told(120), "less than an hour ago"
    assert told(121)
    shunted(letters, 1, NOON + timedelta(minutes=122))
    assert told(200), "tried again, and shunted again"


def test_the_admin_s_mail_says_what_to_do_and_nothing_of_what_people_wrote(
    letters: Correspondence, brittle: type[Brittle]
) -> None:
    letters.match()
    to = letters.last("alice")["Reply-To"].addresses[0]
    brittle.strikes = 3
    (alert,) = letters.reply(letters.last("alice"), f"{TURN}\n\n{SECRET}")
    raw = alert.as_bytes().decode().lower()
    for word in (SECRET, TURN, "alice", to.username.partition("+")[2], letters.server.settings.server.key.read()):
        assert word not in raw
    assert str(alert["Subject"]) == "[pbem] Some messages need your attention"
    assert "- pbem show mail 7" in words(alert)
    assert "- pbem mail retry 7" in words(alert)
    assert "1 incoming message couldn't be processed" in words(alert)
