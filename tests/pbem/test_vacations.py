"""Days off, vacations and pauses by mail: whose clock stands still, who is told, and what gains nothing."""

from datetime import timedelta

import pytest

from pbem.features.time import due as time_due
from pbem.storage.database import transaction
from tests import databases, scenes
from tests.correspondence import ADDRESS, MORNING, Correspondence, said
from tests.running_clocks import DAY, clock, due

ALICE, BOB = "alice@mail.example", "bob@mail.example"


def begun(letters: Correspondence, words: str = "time=14d+1d") -> None:
    """Let both play a turn: it is alice's again, by Monday, 16 March, 8 o'clock. Nobody is reminded."""
    letters.match(f"challenge bob quadrature {words}")
    for name in ("alice", "bob"):
        letters.say(name, "set remind off")
    letters.say("alice", "#1 e3f4")
    letters.reply(letters.last("bob"), "e9f8")


in_a_match = scenes.after(begun)


def told(letters: Correspondence, words: str, name: str = "alice") -> str:
    """Write to the personal address of a player. Return what they are answered, as one line."""
    letters.say(name, words)
    return said(letters.last(name))


@in_a_match
def test_a_vacation_stops_no_other_clock_and_nobody_from_moving(letters: Correspondence) -> None:
    board = letters.last("alice")
    letters.say("alice", "vacation 10d")
    letters.run_for(days=2)
    letters.reply(board, "b3b4")
    assert clock(letters).left(0) == 14 * DAY
    letters.run_for(days=1)
    assert clock(letters).at(letters.clock()).left(1) == 13 * DAY


@in_a_match
def test_opponents_are_told_once_and_see_it_in_every_message(letters: Correspondence) -> None:
    letters.say("alice", "challenge bob quadrature time=3d/move")
    letters.reply(letters.last("bob"), "accept")
    letters.received[BOB].clear()

    letters.say("alice", "vacation 10d")
    letters.run_for(days=1)

    (news,) = letters.received[BOB]
    assert "alice is away until Thu 12 Mar, 08:00 UTC." in said(news)
    assert "You are away until Thu 12 Mar, 08:00 UTC." in told(letters, "show 1")
    assert letters.run_for(days=20, hours=1) != []  # alice runs out of time in the second match
    assert not any("on vacation" in said(mail) for mail in letters.received[BOB][1:])


@in_a_match
def test_a_planned_vacation_begins_by_itself_and_counts_before_it_does(letters: Correspondence) -> None:
    letters.say("alice", "set zone Europe/Vienna")
    answer = told(letters, "vacation 2026-03-06 2026-03-08")

    assert "from Fri 6 Mar, 00:00 (Europe/Vienna) until Mon 9 Mar, 00:00 (Europe/Vienna)." in answer
    assert "27 days of vacation left in 2026" in answer
    assert due(letters) == 17 * DAY
    assert letters.run_for(days=3) == []
    (news,) = letters.run_for(hours=16)
    assert news["To"] == BOB
    assert "alice is on vacation until Sun 8 Mar, 23:00 UTC." in said(news)


@in_a_match
def test_ending_a_vacation_and_beginning_another_gains_nothing(letters: Correspondence) -> None:
    """Days that have begun are spent; what was planned and called off isn't."""
    for _ in range(3):
        letters.say("alice", "vacation 10d")
        letters.run_for(hours=5)
        assert "Your vacation is over. Your clocks run again." in told(letters, "vacation off")
    assert due(letters) == 14 * DAY + timedelta(hours=15)
    letters.say("alice", "vacation 2026-04-01 2026-04-20")
    assert "is called off." in told(letters, "vacation off")
    assert "You have 27 days of vacation left" in told(letters, "vacation")
    assert "That takes 28 days of 2026, and you have 27 left." in told(letters, "vacation 28d")
    assert due(letters) == 14 * DAY + timedelta(hours=15)


@in_a_match
def test_an_unproven_vacation_waits_for_a_yes(letters: Correspondence) -> None:
    """From the address alone, and in reply to a message about a match, as with settings."""
    for address in (ADDRESS, letters.last("alice")["Reply-To"].addresses[0].addr_spec):
        (question,) = letters.write(ALICE, "vacation 10d", to=address)
        assert due(letters) == 14 * DAY
    letters.write("mallory@mail.example", "vacation 10d")
    assert letters.rows("select id from vacation") == []
    letters.reply(question, "yes")
    assert due(letters) == 24 * DAY


@in_a_match
def test_other_days_off_count_from_monday(letters: Correspondence) -> None:
    """A new choice in each message gains nothing: this week has two days off, whatever they are called."""
    letters.say("alice", "set zone Europe/Vienna\nset days mon-fri")
    assert due(letters) == 18 * DAY
    assert "Your clocks" not in told(letters, "set days mon-fri")
    for day in ("wed-sun", "tue-sat", "mon-fri"):
        letters.run_for(days=1)
        assert "from Mon 9 Mar, 00:00 (Europe/Vienna) on." in told(letters, f"set days {day}")
        assert clock(letters).at(letters.clock()).spent == letters.clock() - MORNING
    assert due(letters) == 18 * DAY
    for _ in range(5):
        letters.say("alice", "set days all")
        answer = told(letters, "set days mon-fri")
    assert "You've changed your days or your time zone too often today." in answer


@in_a_match
@pytest.mark.parametrize("words", ["resume", "b3b4", "undo"])
def test_a_pause_with_an_end_can_end_before(letters: Correspondence, words: str) -> None:
    letters.say("bob", "#1 pause 10d")
    letters.reply(letters.last("alice"), "accept pause")
    letters.run_for(days=2)
    letters.reply(letters.last("bob" if words == "undo" else "alice"), words)
    if words == "undo":
        letters.reply(letters.last("alice"), "accept undo")

    assert letters.execute("select paused, resumes from match") == [(None, None)]
    assert not clock(letters).is_paused
    letters.run_for(days=9)
    assert not any("the pause is over" in said(mail) for mail in letters.received[ALICE])


@in_a_match
def test_what_is_told_is_told_once(letters: Correspondence) -> None:
    """Whoever looks again finds nothing to do, and on PostgreSQL what another daemon is at is left to it."""
    letters.say("bob", "#1 pause 2d")
    letters.reply(letters.last("alice"), "accept pause")
    letters.say("bob", "vacation 2026-03-03 2026-03-05")
    letters.clock.advance(days=2, hours=1)
    engine, server, now = letters.server.engine, letters.server.settings.server, letters.clock()
    if databases.kind() == "postgresql":
        with transaction(engine) as session:
            session.connection().exec_driver_sql("select * from match, vacation for update")
            assert time_due.VACATIONS.act(engine, server, now) == time_due.PAUSES.act(engine, server, now) == 0
    for end in (time_due.VACATIONS.act, time_due.PAUSES.act):
        assert [end(engine, server, now) for _ in range(2)] == [1, 0]
    assert len(letters.wait()) == 3
