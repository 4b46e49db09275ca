"""The weekly bulletin: for those who want it, once a week, and with nothing that its readers couldn't look up."""

from collections.abc import Iterator
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest

from pbem.features.bulletin import bulletins
from pbem.features.bulletin import due as scheduled
from pbem.storage import database
from pbem.storage.models import Bulletin
from tests.correspondence import MORNING, Correspondence, correspondence, text

ALICE, BOB, CAROL = "alice@mail.example", "bob@mail.example", "carol@mail.example"


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    """Let carol want the bulletin, in a week in which alice has won against bob, who seeks a match."""
    with correspondence(tmp_path) as letters:
        letters.play(a_week)
        yield letters


def a_week(letters: Correspondence) -> None:
    letters.match("challenge bob quadrature rated")
    letters.reply(letters.last("alice"), "e3f4")
    letters.reply(letters.last("bob"), "e9f8")
    letters.resign("bob")
    letters.write(BOB, "seek kvadratik", to=own(letters, BOB))
    letters.write(CAROL, "set bulletin on", to=letters.join("carol"))


def own(letters: Correspondence, address: str) -> str:
    """Return the personal address of a player, from their welcome."""
    return str(letters.received[address][1]["Reply-To"].addresses[0].addr_spec)


def sent(mails: list[EmailMessage]) -> list[EmailMessage]:
    return [mail for mail in mails if mail["X-PBeM-Event"] == "bulletin"]


@pytest.mark.sql
def test_it_comes_once_a_week_to_those_who_want_it(letters: Correspondence) -> None:
    assert sent(letters.run_for(days=6, hours=23)) == []

    (mail,) = sent(letters.run_for(hours=2))

    assert mail["To"] == CAROL
    assert mail["Subject"] == "[pbem] The last week"
    assert mail["List-Unsubscribe"]
    lines = text(mail).splitlines()
    assert "* #1  Quadrature  alice - bob  alice won, resignation" in lines
    assert any(line.startswith("* Kvadratik  bob") for line in lines)
    assert "The first in Quadrature:" in lines
    assert sent(letters.run_for(days=1)) == []
    assert sent(letters.run_for(days=5, hours=22)) == []
    assert len(sent(letters.run_for(hours=2))) == 1, "the seek is still open"


@pytest.mark.sql
def test_several_daemons_and_crashes_send_it_once(letters: Correspondence, monkeypatch: pytest.MonkeyPatch) -> None:
    engine, server = letters.server.engine, letters.server.settings.server
    at = letters.clock() + timedelta(days=8)

    class Killed(BaseException):
        """What the test raises where the process would be killed."""

    def kill(_step: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("pbem.failpoints.reach", kill)
        with pytest.raises(Killed):
            scheduled.send(engine, server, at)
    assert letters.execute("select count(*) from outgoing where template = 'bulletin'") == [(0,)]
    with database.transaction(engine) as one:
        (number,) = bulletins.due(one, at, 9)
        row = database.lock_if_free(one, Bulletin, number)
        assert row is not None
        assert bulletins.next_for(one, row, at) is not None
        assert bulletins.next_for(one, row, at) is None
        one.rollback()

    assert scheduled.send(engine, server, at) == 1
    assert scheduled.send(engine, server, at) == 0
    assert letters.execute("select count(*) from outgoing where template = 'bulletin'") == [(1,)]


@pytest.mark.slow
def test_it_ends_when_it_is_not_wanted_any_more(letters: Correspondence) -> None:
    letters.write(CAROL, "set bulletin off", to=own(letters, CAROL))

    assert sent(letters.run_for(days=8)) == []
    assert letters.execute("select * from bulletin") == []


@pytest.mark.slow
def test_who_has_stopped_their_news_gets_none_and_none_is_made_up_for(letters: Correspondence) -> None:
    letters.write(CAROL, "stop", to=own(letters, CAROL))
    assert sent(letters.run_for(days=8)) == []

    letters.write(CAROL, "start", to=own(letters, CAROL))

    assert sent(letters.run_for(days=1)) == []
    assert len(sent(letters.run_for(days=6))) == 1


@pytest.mark.slow
def test_there_is_none_where_nothing_has_happened(letters: Correspondence) -> None:
    letters.write(BOB, "unseek", to=own(letters, BOB))
    assert len(sent(letters.run_for(days=8))) == 1

    assert sent(letters.run_for(days=7)) == []


@pytest.mark.slow
def test_it_comes_on_monday_where_its_reader_is(letters: Correspondence) -> None:
    letters.write(CAROL, "set hour 7\nset zone Asia/Tokyo", to=own(letters, CAROL))

    with database.read_only(letters.server.engine) as session:
        (due,) = bulletins.due(session, MORNING + timedelta(days=8), 9)
        row = session.get_one(Bulletin, due)
    assert row.due == MORNING.replace(hour=22) + timedelta(days=6)


@pytest.mark.slow
def test_it_is_short_whatever_others_do(letters: Correspondence) -> None:
    columns = "game, options, seat0, seat1, challenger, state, winner, termination, created, ended"
    for number in range(2, 32):
        letters.execute(f"insert into match (id, {columns}) select {number}, {columns} from match where id = 1")

    (mail,) = sent(letters.run_for(days=7, hours=1))

    assert sum(" - " in line for line in text(mail).splitlines()) == bulletins.MOST_MATCHES
    assert "the newest of them" in text(mail)
    assert len(mail.as_bytes()) < 50_000


@pytest.mark.slow
def test_nobody_who_has_left_is_in_one_that_was_sent(letters: Correspondence) -> None:
    letters.run_for(days=7, hours=1)
    for name in ("bob", "carol"):
        assert letters.operate("player", "delete", name, "--yes").exit_code == 0
    letters.wait()

    said = "select payload, facts from outgoingcontent join outgoing on outgoing.id = outgoing"
    assert "bob" not in str(letters.execute(f"{said} where template = 'bulletin'"))
    assert letters.execute("select * from bulletin") == []
