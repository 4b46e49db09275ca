"""The content of old messages is removed once nothing needs it; matches, and data about messages, stay."""

from datetime import timedelta

import pytest
from sqlalchemy import Connection, event
from structlog.testing import capture_logs

from pbem.storage import retention
from pbem.storage.models import OutgoingState
from pbem.storage.retention import Retention
from tests import scenes
from tests.bounces import dsn
from tests.correspondence import Correspondence, said, text

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
    assert all((each[0], str(each[1]), each[2]) == (None, "[]", None) and each[3] and each[4] == 64 for each in found)


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


def test_rows_of_what_was_sent_go_a_year_later_unless_their_match_goes_on(letters: Correspondence) -> None:
    (first,) = [mail for way, mail in letters.log if way == "in" and text(mail).startswith("1 a7b7 i3i2")]
    came, went = rows(letters)
    letters.wait(days=91)
    letters.wait(days=366)
    of_match = letters.rows("select count(*) from outgoing where match is not null")[0]
    assert rows(letters) == (came, of_match), "the match goes on"
    assert 1 < of_match < went
    letters.execute("update match set state = 'over'")
    letters.wait(days=1)
    assert rows(letters) == (came, 1), "a number is never given again"
    letters.deliver(first.as_bytes())
    assert rows(letters) == (came, 1), "it is a duplicate"


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


@pytest.mark.parametrize("state", ["new", "shunted"])
def test_what_waits_for_somebody_stays(letters: Correspondence, state: str) -> None:
    letters.execute(f"update incoming set state = '{state}' where {NEWEST.format('incoming')}")
    letters.execute(f"update outgoing set state = 'failed' where {NEWEST.format('outgoing')}")
    later = letters.clock() + retention.EVERY * 24 * 365
    Retention(21, 0).step(letters.server.engine, later)
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


def test_the_last_bounce_of_a_removed_message_suspends_nothing_that_cannot_be_sent(letters: Correspondence) -> None:
    mail = letters.last("alice")
    letters.wait(days=100)
    letters.execute("update player set bounces = 2 where name = 'alice'")
    assert [each["To"] for each in letters.deliver(dsn(letters.carried(mail)))] == ["bob@mail.example"]
    assert letters.rows("select name from player where unreachable is not null") == ["alice"]
    assert letters.rows("select count(*) from outgoing where state = 'suspended'") == [0]
    letters.say("alice", "games")
    assert letters.rows("select count(*) from outgoing where state <> 'sent' or troubled is not null") == [0]


def test_what_is_handled_again_meanwhile_keeps_its_content(letters: Correspondence) -> None:
    engine, later = letters.server.engine, letters.clock() + timedelta(days=200)
    before = kept(letters)[0]
    assert before

    def retry(connection: Connection, _cursor: object, statement: str, *_rest: object) -> None:
        if statement.startswith("DELETE FROM rawmessage"):
            connection.exec_driver_sql("update incoming set state = 'new' where state = 'done'")

    event.listen(engine, "before_cursor_execute", retry)
    Retention(90, 365).step(engine, later)
    event.remove(engine, "before_cursor_execute", retry)
    assert letters.rows("select count(*) from incoming where state = 'done'") == [0]
    assert kept(letters)[0] == before
