"""Reminders by mail: when they come, in which message, to whom none is sent, and that each is sent once."""

from collections.abc import Iterator
from email.message import EmailMessage
from pathlib import Path
from unittest.mock import patch

import pytest

from pbem.features.time import reminders
from pbem.matches import queries
from pbem.players import announcements
from pbem.server import daemon
from pbem.storage.database import read_only, transaction
from pbem.storage.models import Match
from tests import databases
from tests.bounces import dsn
from tests.correspondence import Correspondence, correspondence, text
from tests.pbem.test_timeouts import begin, two_turns
from tests.query_plans import listened, scans

ALICE, BOB = "alice@mail.example", "bob@mail.example"


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    """Begin a match in which both have moved, and bob has three days for his turn, from eight in the morning."""
    with correspondence(tmp_path) as letters:
        begin(letters, "3d/move")
        letters.play(two_turns)
        yield letters


def said(mail: EmailMessage) -> str:
    return " ".join(text(mail).split())


def reminded(mails: list[EmailMessage]) -> list[str]:
    """Return to whom these messages are reminders."""
    return [str(mail["To"]) for mail in mails if mail["X-PBeM-Event"] == "reminder"]


def choose(letters: Correspondence, words: str, name: str = "bob") -> None:
    letters.reply(letters.received[f"{name}@mail.example"][1], f"set {words}")


@pytest.mark.sql
def test_a_reminder_shows_the_board_and_is_answered_with_the_turn(letters: Correspondence) -> None:
    assert letters.run_for(hours=35, minutes=59) == []
    (reminder,) = letters.run_for(minutes=1)

    assert reminded([reminder]) == [BOB]
    assert str(reminder["Subject"]) == "[pbem #1, reminder] Quadrature: alice - bob"
    assert "This is a reminder: alice is waiting for your turn. They played b3b4." in said(reminder)
    assert "you have 1 day 12 hours" in said(reminder)
    assert "Black #" in text(reminder)
    assert letters.run_for(hours=11) == []
    letters.reply(reminder, "b9b8")
    assert letters.execute("select plies from match") == [(4,)]
    assert reminded(letters.run_for(hours=49)) == [ALICE]
    assert letters.operate("check").exit_code == 0


def test_each_moment_that_was_chosen_has_one(letters: Correspondence) -> None:
    choose(letters, "remind 2d 90%")
    found = [mail for _ in range(12) for mail in letters.run_for(hours=6)]

    assert reminded(found) == [BOB, BOB]


@pytest.mark.slow
def test_who_wants_none_gets_none(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        begin(letters, "3d/move,nag=1d")
        choose(letters, "remind off mail each")

        assert reminded(letters.run_for(days=2)) == []


@pytest.mark.slow
def test_a_nag_is_a_reminder_until_the_opponent_is_muted(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        begin(letters, "nag=1d")
        letters.play(two_turns)
        assert reminded(letters.run_for(days=1)) == [BOB]
        letters.reply(letters.last("bob"), "mute\nb9b8")
        letters.reply(letters.last("alice"), "b4b5")

        assert reminded(letters.run_for(days=9)) == []


def test_reminders_of_a_moment_arrive_in_one_message(letters: Correspondence) -> None:
    letters.write(ALICE, "challenge bob quadrature time=3d/move begin=you", to=personal(letters, ALICE))
    letters.reply(letters.last("bob"), "accept")
    (both,) = letters.run_for(hours=36)

    assert (str(both["To"]), str(both["Subject"])) == (BOB, "[pbem] News of 2 matches: your turn in 2")
    assert said(both).count("This is a reminder: alice is waiting for your turn.") == 2


def personal(letters: Correspondence, address: str) -> str:
    """Return the address to which a player writes about anything."""
    return str(letters.received[address][1]["Reply-To"].addresses[0].addr_spec)


@pytest.mark.slow
def test_the_daily_message_has_it_if_it_comes_in_time(letters: Correspondence) -> None:
    choose(letters, "mail daily hour 9 remind 50% 22h")
    assert letters.run_for(hours=36) == []
    (daily,) = letters.run_for(hours=13)
    assert "This is a reminder" in said(daily)

    assert reminded(letters.run_for(hours=1)) == [BOB], "the next one would come after three days"


@pytest.mark.slow
def test_what_was_played_meanwhile_needs_no_reminder(letters: Correspondence) -> None:
    choose(letters, "mail daily hour 9")
    letters.run_for(hours=36)
    letters.reply(letters.received[BOB][2], "show 1")
    letters.reply(letters.last("bob"), "b9b8")

    assert [mail for mail in letters.run_for(hours=13) if str(mail["To"]) == BOB] == []
    assert letters.execute("select count(*) from outgoing where state = 'dropped'") == [(1,)]


def test_a_match_that_ended_meanwhile_needs_no_reminder(letters: Correspondence) -> None:
    choose(letters, "mail daily hour 9")
    letters.run_for(hours=36)
    letters.reply(letters.received[BOB][2], "show 1")
    letters.resign("bob")

    assert [mail for mail in letters.run_for(hours=13) if str(mail["To"]) == BOB] == []
    assert letters.execute("select count(*) from outgoing where state = 'dropped'") == [(1,)]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("why", ["stopped", "unreachable", "shown", "waiting"])
def test_nobody_is_reminded_where_it_is_of_no_use(letters: Correspondence, why: str) -> None:
    if why == "stopped":
        choose(letters, "picture on\nstop")
    elif why == "unreachable":
        letters.execute("update player set bounces = 2 where name = 'bob'")
        letters.deliver(dsn(letters.carried(letters.last("bob"))))
    letters.run_for(hours=35)
    if why == "shown":
        letters.reply(letters.received[BOB][1], "show 1")
    if why != "waiting":
        assert reminded(letters.run_for(hours=1)) == []
        return
    with patch.object(daemon.Server, "handle_waiting", return_value=0):
        letters.write(BOB, "b9b8", to=letters.last("bob")["Reply-To"].addresses[0].addr_spec)
        assert reminded(letters.run_for(hours=1)) == []
    assert reminded(letters.run_for(hours=1)) == []
    assert letters.execute("select plies from match") == [(4,)]


@pytest.mark.slow
def test_an_opponent_puts_no_reminder_off(letters: Correspondence) -> None:
    letters.run_for(hours=35)
    letters.reply(letters.last("alice"), "say Hello!\ncancel")

    assert reminded(letters.run_for(hours=1)) == [BOB]


@pytest.mark.slow
def test_what_is_chosen_holds_for_the_present_turn(letters: Correspondence) -> None:
    letters.run_for(hours=30)
    choose(letters, "remind 90% 2h")
    assert reminded(letters.run_for(hours=19)) == [], "of what has passed, nobody is reminded"
    assert reminded(letters.run_for(hours=16)) == [BOB]
    letters.reply(letters.last("bob"), "set remind next week")
    assert '"remind" can\'t be "next week"' in said(letters.last("bob"))


@pytest.mark.slow
def test_time_in_which_the_server_was_down_brings_no_reminder(letters: Correspondence) -> None:
    letters.run_for(hours=12)
    assert letters.wait(days=5) == []
    assert letters.run_for(hours=23) == []
    assert reminded(letters.run_for(hours=1)) == [BOB]


@pytest.mark.slow
def test_a_server_that_looks_late_wakes_nobody(letters: Correspondence) -> None:
    assert letters.run_for(hours=39) == [], "it was due at eight in the evening, and it is eleven"
    assert letters.run_for(hours=8, minutes=59) == []
    assert reminded(letters.run_for(minutes=1)) == [BOB]


def test_a_failure_before_it_is_queued_settles_nothing(letters: Correspondence) -> None:
    with patch.object(announcements, "announce", side_effect=ValueError("a bug")):
        assert letters.run_for(hours=36) == []
    assert reminded(letters.run_for(minutes=1)) == [BOB]
    assert letters.run_for(minutes=1) == []


@pytest.mark.sql
def test_reminders_that_are_due_are_found_by_an_index(letters: Correspondence) -> None:
    letters.clock.advance(hours=36)
    engine = letters.server.engine
    with listened(engine) as statements:
        with read_only(engine) as session:
            assert queries.reached(session, Match.remind, letters.clock(), 9) == [1]
        letters.run_for(minutes=0)
    assert scans(engine, statements) == {}


@pytest.mark.skipif(databases.kind() != "postgresql", reason="one SQLite file has one daemon")
@pytest.mark.sql
def test_what_another_daemon_is_at_is_left_to_it(letters: Correspondence) -> None:
    letters.clock.advance(hours=36)
    letters.execute(f"update clock set beat = '{letters.clock()}'")
    server, now = letters.server, letters.clock()
    with transaction(server.engine) as session:
        assert queries.locked(session, 1)
        assert reminders.remind(server.engine, server.settings.server, now) == 0
    assert reminders.remind(server.engine, server.settings.server, now) == 1
    assert reminders.remind(server.engine, server.settings.server, now) == 0


@pytest.mark.slow
def test_the_admin_learns_of_a_loss_on_time_of_somebody_whose_mail_came_back(tmp_path: Path) -> None:
    with correspondence(tmp_path, server='admin = "admin@pbem.example"') as letters:
        begin(letters, "3d/move,auto")
        letters.play(two_turns)
        letters.deliver(dsn(letters.carried(letters.last("bob"))))
        told = letters.run_for(days=3)

        assert letters.execute("select termination from match") == [("timeout",)]
        (alert,) = (mail for mail in told if str(mail["To"]) == "admin@pbem.example")
        assert "A player has lost on time although messages to them had come back: match 1." in said(alert)
        assert [mail for mail in letters.run_for(days=1) if str(mail["To"]) == "admin@pbem.example"] == []
