"""The content of old messages is removed once nothing needs it; matches, and data about messages, stay."""

from datetime import timedelta
from email.message import EmailMessage

import pytest
from sqlalchemy import Connection, event
from sqlmodel import Session, col, select
from structlog.testing import capture_logs

from pbem import config
from pbem.storage import retention
from pbem.storage.models import Incoming, IncomingState, Outgoing, OutgoingState
from tests import scenes
from tests.correspondence import Correspondence, said, text
from tests.retention import steadily

pytestmark = [pytest.mark.sql, scenes.after(scenes.two_turns)]

ALICE, BOB = "alice@mail.example", "bob@mail.example"


def kept(letters: Correspondence) -> tuple[int, int]:
    """Return how many received and sent messages still have their content."""
    with Session(letters.server.engine) as session:
        came = [row for row in session.exec(select(Incoming)) if row.raw]
        sent = [row for row in session.exec(select(Outgoing)) if not row.payload.get("removed")]
    return len(came), len(sent)


def rows(letters: Correspondence) -> tuple[int, int]:
    with Session(letters.server.engine) as session:
        return len(session.exec(select(Incoming)).all()), len(session.exec(select(Outgoing)).all())


def test_after_their_time_mails_are_removed_and_rows_stay(letters: Correspondence) -> None:
    before = rows(letters)
    letters.wait(days=89)
    assert kept(letters) == before
    with capture_logs() as logs:
        letters.wait(days=2)
    assert kept(letters) == (0, 0)
    assert rows(letters) == before
    (told,) = [line for line in logs if line["event"] == "old mails removed"]
    assert (told["incoming"], told["outgoing"]) == before
    with Session(letters.server.engine) as session:
        for row in session.exec(select(Incoming)):
            assert (row.sender, row.recipients, row.error, len(row.key)) == (None, [], None, 64)
            assert row.verdict


def test_a_match_goes_on_after_its_mails_are_removed(letters: Correspondence) -> None:
    asked = letters.last("alice")
    letters.wait(days=100)
    assert kept(letters) == (0, 0)
    (question,) = letters.reply(asked, "b7d7 i2g2 1 d7d6 g2g1", to="games@pbem.example")
    letters.reply(question, "yes")
    assert "alice played b7d7 i2g2 1 d7d6 g2g1" in text(letters.last("bob"))


def address(mail: EmailMessage) -> str:
    return str(mail["Reply-To"].addresses[0].addr_spec)


def test_an_old_mail_that_comes_once_more_is_known(letters: Correspondence) -> None:
    (first,) = [mail for way, mail in letters.log if way == "in" and "a7b7 i3i2" in text(mail).splitlines()[:1][0]]
    letters.wait(days=100)
    before = rows(letters)
    with capture_logs() as logs:
        letters.deliver(first.as_bytes())
    assert rows(letters) == before
    assert "duplicate" in [line.get("verdict") for line in logs]


def test_there_is_a_rule_for_every_state() -> None:
    assert (set(retention.INCOMING), set(retention.OUTGOING)) == (set(IncomingState), set(OutgoingState))


WAITING = [state for state, rule in retention.OUTGOING.items() if rule is retention.Rule.WAITS]


def test_only_what_is_in_work_is_kept_without_end() -> None:
    rules = {**retention.INCOMING, **retention.OUTGOING}
    without_end = {state for state, rule in rules.items() if rule is retention.Rule.IN_WORK}
    assert without_end == {IncomingState.NEW, OutgoingState.OWED, OutgoingState.BATCHED, OutgoingState.WAITING}


@pytest.mark.parametrize("state", WAITING)
def test_a_message_that_waits_for_somebody_is_given_up_after_a_year(
    letters: Correspondence, state: OutgoingState
) -> None:
    letters.execute(f"update outgoing set state = '{state}', troubled = due where id = 5")
    letters.wait(days=364)
    assert letters.execute("select state from outgoing where id = 5") == [(state,)]
    assert kept(letters) == (0, 1)
    with capture_logs() as logs:
        letters.wait(days=2)
    assert letters.execute("select state, troubled from outgoing where id = 5") == [("dropped", None)]
    assert kept(letters) == (0, 0)
    assert [line["given_up"] for line in logs if line["event"] == "old mails removed"] == [1]


def test_a_shunted_message_is_given_up_after_a_year(letters: Correspondence) -> None:
    letters.execute("update incoming set state = 'shunted' where id = 5")
    letters.wait(days=364)
    assert kept(letters) == (1, 0)
    letters.wait(days=2)
    assert kept(letters) == (0, 0)
    told = "given up: it waited too long for the operator"
    assert letters.execute("select state, verdict from incoming where id = 5") == [("done", told)]


@pytest.mark.parametrize("state", [IncomingState.NEW, IncomingState.SHUNTED])
def test_what_waits_for_somebody_stays(letters: Correspondence, state: IncomingState) -> None:
    with Session(letters.server.engine) as session, session.begin():
        row = session.exec(select(Incoming).order_by(col(Incoming.id).desc())).first()
        assert row
        row.state = state
        unsent = session.exec(select(Outgoing).order_by(col(Outgoing.id).desc())).first()
        assert unsent
        unsent.state = OutgoingState.FAILED
    later = letters.clock() + retention.EVERY * 24 * 365
    steadily(letters.server.engine, letters.clock(), later, 21, 0).step(letters.server.engine, later)
    assert kept(letters) == (1, 1)


def test_a_mail_that_waited_in_vain_for_its_yes_is_settled_first(letters: Correspondence) -> None:
    (question,) = letters.write(ALICE, "#1 resign")
    letters.wait(days=80)
    assert letters.execute("select state from incoming order by id desc limit 1") == [("held",)]
    letters.wait(days=11)
    assert letters.execute("select state, verdict from incoming order by id desc limit 1") == [
        ("done", "not confirmed in time")
    ]
    assert kept(letters) == (0, 0)
    (answer,) = letters.reply(question, "yes")
    assert "(not confirmed in time), so nothing more was done" in said(answer)
    assert letters.execute("select state from match") == [("running",)]


def test_zero_keeps_them_for_ever(letters: Correspondence) -> None:
    later = letters.clock() + retention.EVERY * 24 * 365
    assert steadily(letters.server.engine, letters.clock(), later, 0, 0).step(letters.server.engine, later) == 0
    assert kept(letters) == rows(letters)


def test_they_are_removed_a_few_at_a_time(letters: Correspondence, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(retention, "BATCH", 2)
    later = letters.clock() + retention.EVERY * 24 * 91
    old = steadily(letters.server.engine, letters.clock(), later, 90, 0)
    came, sent = rows(letters)
    assert old.step(letters.server.engine, later) == 4
    assert kept(letters) == (came - 2, sent - 2)
    while old.step(letters.server.engine, later):
        pass
    assert kept(letters) == (0, 0)


def test_the_last_bounce_of_a_removed_mail_suspends_nothing_that_cannot_be_sent(letters: Correspondence) -> None:
    from tests.bounces import dsn

    mail = letters.last("alice")
    letters.wait(days=100)
    letters.execute("update player set bounces = 2 where name = 'alice'")
    assert [each["To"] for each in letters.deliver(dsn(letters.carried(mail)))] == [BOB]
    assert letters.execute("select unreachable is not null from player where name = 'alice'") in ([(1,)], [(True,)])
    assert letters.execute("select count(*) from outgoing where state = 'suspended'") == [(0,)]
    letters.write(ALICE, "games", to=address(letters.received[ALICE][1]))
    assert letters.execute("select count(*) from outgoing where state <> 'sent' or troubled is not null") == [(0,)]


@pytest.mark.parametrize("days", [1, 20])
def test_so_short_a_time_is_refused(days: int) -> None:
    with pytest.raises(ValueError, match="at least 21 days"):
        config.LimitsSettings(keep_mail_days=days)


def test_what_is_handled_again_meanwhile_keeps_its_content(letters: Correspondence) -> None:
    engine, later = letters.server.engine, letters.clock() + timedelta(days=200)
    before = kept(letters)[0]
    assert before

    def retry(connection: Connection, _cursor: object, statement: str, *_rest: object) -> None:
        if statement.startswith("DELETE FROM rawmessage"):
            connection.exec_driver_sql("update incoming set state = 'new' where state = 'done'")

    removal = steadily(engine, letters.clock(), later, 90, 365)
    event.listen(engine, "before_cursor_execute", retry)
    removal.step(engine, later)
    event.remove(engine, "before_cursor_execute", retry)
    assert letters.execute("select count(*) from incoming where state = 'done'") == [(0,)]
    assert kept(letters)[0] == before
