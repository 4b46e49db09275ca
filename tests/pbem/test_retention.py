"""The content of old messages is removed once nothing needs it; matches, and data about messages, stay."""

from datetime import timedelta

import pytest
from sqlalchemy import Connection, event
from structlog.testing import capture_logs

from pbem import config
from pbem.storage import retention
from pbem.storage.models import IncomingState, OutgoingState
from tests import scenes
from tests.bounces import dsn
from tests.correspondence import Correspondence, said, text
from tests.retention import steadily

pytestmark = scenes.after(scenes.two_turns)
NEWEST = "id = (select max(id) from {})"


def rows(letters: Correspondence) -> tuple[int, ...]:
    """Return how many received and sent messages there are."""
    return tuple(letters.rows(f"select count(*) from {table}")[0] for table in ("incoming", "outgoing"))


def kept(letters: Correspondence) -> tuple[int, ...]:
    """Return how many of them still have their content."""
    return tuple(letters.rows(f"select count(*) from {table}")[0] for table in ("rawmessage", "outgoingcontent"))


def test_after_their_time_messages_are_removed_and_rows_stay(letters: Correspondence) -> None:
    before = rows(letters)
    letters.wait(days=89)
    assert kept(letters) == before
    with capture_logs() as logs:
        letters.wait(days=2)
    assert kept(letters) == (0, 0)
    assert rows(letters) == before
    (told,) = [line for line in logs if line["event"] == "old mails removed"]
    assert (told["incoming"], told["outgoing"]) == before
    found = letters.execute("select sender, recipients, error, verdict, length(key) from incoming")
    assert all(each[:3] == (None, "[]", None) and each[3] and each[4] == 64 for each in found)


def test_a_match_goes_on_after_its_messages_are_removed(letters: Correspondence) -> None:
    board = letters.last("alice")
    (first,) = [mail for way, mail in letters.log if way == "in" and text(mail).startswith("1 a7b7 i3i2")]
    letters.wait(days=100)
    before = rows(letters)
    with capture_logs() as logs:
        letters.deliver(first.as_bytes())
    assert rows(letters) == before
    assert "duplicate" in [line.get("verdict") for line in logs]
    (question,) = letters.reply(board, "b7d7 i2g2 1 d7d6 g2g1", to="games@pbem.example")
    letters.reply(question, "yes")
    assert "alice played b7d7 i2g2 1 d7d6 g2g1" in text(letters.last("bob"))


def test_there_is_a_rule_for_every_state_and_only_what_is_in_work_is_kept_without_end() -> None:
    rules = {**retention.INCOMING, **retention.OUTGOING}
    assert (set(retention.INCOMING), set(retention.OUTGOING)) == (set(IncomingState), set(OutgoingState))
    without_end = {state for state, rule in rules.items() if rule is retention.Rule.IN_WORK}
    assert without_end == {IncomingState.NEW, OutgoingState.OWED, OutgoingState.BATCHED, OutgoingState.WAITING}


WAITING = [state for state, rule in retention.OUTGOING.items() if rule is retention.Rule.WAITS]


@pytest.mark.parametrize("state", WAITING)
def test_a_message_that_waits_for_somebody_is_given_up_after_a_year(
    letters: Correspondence, state: OutgoingState
) -> None:
    letters.execute(f"update outgoing set state = '{state}', troubled = due where id = 5")
    letters.wait(days=364)
    assert letters.rows("select state from outgoing where id = 5") == [state]
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


@pytest.mark.parametrize("state", ["new", "shunted"])
def test_what_waits_for_somebody_stays(letters: Correspondence, state: str) -> None:
    letters.execute(f"update incoming set state = '{state}' where {NEWEST.format('incoming')}")
    letters.execute(f"update outgoing set state = 'failed' where {NEWEST.format('outgoing')}")
    later = letters.clock() + retention.EVERY * 24 * 365
    steadily(letters.server.engine, letters.clock(), later, 21, 0).step(letters.server.engine, later)
    assert kept(letters) == (1, 1)


def test_a_message_that_waited_in_vain_for_its_yes_is_settled_first(letters: Correspondence) -> None:
    newest = f"select state, verdict from incoming where {NEWEST.format('incoming')}"
    (question,) = letters.write("alice@mail.example", "#1 resign")
    letters.wait(days=80)
    assert letters.execute(newest)[0][0] == "held"
    letters.wait(days=11)
    assert letters.execute(newest) == [("done", "not confirmed in time")]
    assert kept(letters) == (0, 0)
    (answer,) = letters.reply(question, "yes")
    assert "(not confirmed in time), so nothing more was done" in said(answer)
    assert letters.rows("select state from match") == ["running"]


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


def test_the_last_bounce_of_a_removed_message_suspends_nothing_that_cannot_be_sent(letters: Correspondence) -> None:
    mail = letters.last("alice")
    letters.wait(days=100)
    letters.execute("update player set bounces = 2 where name = 'alice'")
    assert [each["To"] for each in letters.deliver(dsn(letters.carried(mail)))] == ["bob@mail.example"]
    assert letters.rows("select name from player where unreachable is not null") == ["alice"]
    assert letters.rows("select count(*) from outgoing where state = 'suspended'") == [0]
    letters.say("alice", "games")
    assert letters.rows("select count(*) from outgoing where state <> 'sent' or troubled is not null") == [0]


def test_so_short_a_time_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 21 days"):
        config.LimitsSettings(keep_mail_days=20)


def test_what_is_handled_again_meanwhile_keeps_its_content(letters: Correspondence) -> None:
    engine, later = letters.server.engine, letters.clock() + timedelta(days=200)
    before = kept(letters)[0]
    assert before

    def retry(connection: Connection, _cursor: object, statement: str, *_rest: object) -> None:
        if statement.startswith("DELETE FROM rawmessage"):
            connection.exec_driver_sql("update incoming set state = 'new' where state = 'done'")

    event.listen(engine, "before_cursor_execute", retry)
    steadily(engine, letters.clock(), later, 90, 365).step(engine, later)
    event.remove(engine, "before_cursor_execute", retry)
    assert letters.rows("select count(*) from incoming where state = 'done'") == [0]
    assert kept(letters)[0] == before
