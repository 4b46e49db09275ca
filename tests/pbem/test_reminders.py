"""Reminders by mail: when they come, in which message, to whom none is sent, and that each is sent once."""

from email.message import EmailMessage

import pytest

from pbem.features.time import due
from pbem.matches import queries
from pbem.players import match_event_notices
from pbem.storage.database import transaction
from tests import databases, scenes
from tests.bounces import dsn
from tests.correspondence import Correspondence, said, to

BOB = "bob@mail.example"
three_days = scenes.after(scenes.bob_to_move)
"""Bob has three days for his turn, from eight in the morning."""


def reminded(mails: list[EmailMessage]) -> list[str]:
    """Return to whom these messages are reminders."""
    return [str(mail["To"]) for mail in mails if mail["X-PBeM-Event"] == "reminder"]


@three_days
def test_a_reminder_that_was_answered_leaves_room_for_the_opponent_s(letters: Correspondence) -> None:
    (reminder,) = letters.run_for(hours=36)
    assert reminded([reminder]) == [BOB]
    assert "you have 1 day 12 hours" in said(reminder)
    assert letters.run_for(hours=11) == []
    letters.reply(reminder, "b9b8")
    assert reminded(letters.run_for(hours=49)) == ["alice@mail.example"]
    assert letters.operate("check").exit_code == 0


@three_days
@pytest.mark.parametrize("words", ["b9b8", "resign"])
def test_what_has_happened_meanwhile_needs_no_reminder(letters: Correspondence, words: str) -> None:
    letters.say("bob", "set mail daily hour 9")
    letters.run_for(hours=36)
    letters.say("bob", "show 1")
    letters.reply(letters.last("bob"), words)
    if words == "resign":
        letters.reply(letters.last("bob"), "yes")

    assert to(letters.run_for(hours=13), "bob") == []
    assert letters.rows("select count(*) from outgoing where state = 'dropped'") == [1]


@three_days
@pytest.mark.parametrize("why", ["stopped", "unreachable", "shown"])
def test_nobody_is_reminded_where_it_is_of_no_use(letters: Correspondence, why: str) -> None:
    if why == "stopped":
        letters.say("bob", "set picture on\nstop")
    elif why == "unreachable":
        letters.execute("update player set bounces = 2 where name = 'bob'")
        letters.deliver(dsn(letters.carried(letters.last("bob"))))
    letters.run_for(hours=35)
    if why == "shown":
        letters.say("bob", "show 1")

    assert reminded(letters.run_for(hours=1)) == []


@three_days
def test_nobody_is_reminded_whose_turn_waits_to_be_handled(
    letters: Correspondence, monkeypatch: pytest.MonkeyPatch
) -> None:
    letters.run_for(hours=35)
    with monkeypatch.context() as busy:
        busy.setattr(type(letters.server), "handle_waiting", lambda *_, **__: 0)
        letters.reply(letters.last("bob"), "b9b8")
        assert reminded(letters.run_for(hours=1)) == []
    assert reminded(letters.run_for(hours=1)) == []
    assert letters.played[-1] == "b9b8"


@three_days
def test_time_in_which_the_server_was_down_brings_no_reminder(letters: Correspondence) -> None:
    letters.run_for(hours=12)
    assert letters.wait(days=5) == []
    assert letters.run_for(hours=23) == []
    assert reminded(letters.run_for(hours=1)) == [BOB]


@three_days
def test_a_failure_before_it_is_queued_settles_nothing(
    letters: Correspondence, monkeypatch: pytest.MonkeyPatch
) -> None:
    def announce(*_: object, **__: object) -> None:
        raise ValueError("a bug")

    with monkeypatch.context() as broken:
        broken.setattr(match_event_notices, "announce", announce)
        assert letters.run_for(hours=36) == []
    assert reminded(letters.run_for(minutes=1)) == [BOB]
    assert letters.run_for(minutes=1) == []


@pytest.mark.skipif(databases.kind() != "postgresql", reason="one SQLite file has one daemon")
@three_days
def test_what_another_daemon_is_at_is_left_to_it(letters: Correspondence) -> None:
    letters.clock.advance(hours=36)
    letters.execute(f"update clock set beat = '{letters.clock()}'")
    server, now = letters.server, letters.clock()
    with transaction(server.engine) as session:
        assert queries.locked(session, 1)
        assert due.REMINDERS.act(server.engine, server.settings.server, now) == 0
    assert due.REMINDERS.act(server.engine, server.settings.server, now) == 1
    assert due.REMINDERS.act(server.engine, server.settings.server, now) == 0
