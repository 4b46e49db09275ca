"""The time of turns: agreed on with the challenge, told in every message, and what happens when it is up."""

import pytest

from tests import scenes
from tests.cases import quick_where
from tests.correspondence import Correspondence, said, text, to
from tests.running_clocks import DAY, clock, due

IN_WORDS = "14 days each, plus 1 day for each turn, up to 14 days"


@scenes.after(scenes.two_players)
@pytest.mark.parametrize(
    ("words", "stored"),
    quick_where(
        ("time=14d+1d", "14d+1d").__eq__,
        [("time=14d+1d", "14d+1d"), ("time=none", None), ("", "5d+1d<=21d"), ("time=3d/m", "")],
    ),
)
def test_a_challenge_has_a_time_control(letters: Correspondence, words: str, stored: str | None) -> None:
    letters.say("alice", f"challenge bob quadrature {words}")

    assert letters.rows("select time from match") == ([] if stored == "" else [stored])
    assert ("Time: no limit." in said(letters.last("bob"))) == (stored is None)
    if stored == "14d+1d":
        assert all(IN_WORDS in said(letters.last(name)) for name in ("alice", "bob"))


@scenes.after(scenes.match, "challenge bob quadrature time=14d+1d<=21d")
def test_the_time_of_a_turn_runs_from_its_message_to_the_reply_and_both_are_told(letters: Correspondence) -> None:
    letters.say("bob", "set zone America/New_York")
    line = "Time left: you have 14 days, bob 14 days. Your turn is due by Mon 16 Mar, 08:00 UTC."
    assert line in said(letters.last("alice"))

    letters.run_for(hours=30)
    letters.reply(letters.last("alice"), "e3f4")

    assert clock(letters).left(0) == 15 * DAY - clock(letters).sides[0].used
    assert "alice 13 days 18 hours. Your turn is due by Tue 17 Mar, 10:00 (America/New_York)." in said(
        letters.last("bob")
    )
    assert "you have 13 days 18 hours, bob 14 days. bob's turn is due by Tue 17 Mar, 14:00 UTC." in said(
        letters.last("alice")
    )


@scenes.after(scenes.bob_to_move)
def test_a_reminder_shows_the_board_and_is_answered_with_the_turn(letters: Correspondence) -> None:
    assert letters.run_for(hours=35, minutes=59) == []
    (reminder,) = letters.run_for(minutes=1)

    assert str(reminder["Subject"]) == "[pbem #1, reminder] Quadrature: alice - bob"
    assert "This is a reminder: alice is waiting for your turn. They played b3b4." in said(reminder)
    assert "Black #" in text(reminder)
    letters.reply(reminder, "b9b8")
    assert letters.played[-1] == "b9b8"


@pytest.mark.slow
@scenes.after(scenes.bob_to_move)
def test_the_opponent_is_told_once_that_time_is_up_and_claims_the_match(letters: Correspondence) -> None:
    letters.run_for(days=2, hours=23)
    told = letters.run_for(hours=1)

    assert 'bob has run out of time. Reply "claim" to win the match' in said(*to(told, "alice"))
    assert "You have run out of time: alice can claim the match." in said(*to(told, "bob"))
    assert letters.run_for(days=1) == []
    over = letters.reply(letters.last("alice"), "claim")

    assert letters.rows("select state, termination, winner from match") == [("over", "timeout", 0)]
    assert "You won! " in said(*to(over, "alice"))
    assert "The match is over: you ran out of time." in said(*to(over, "bob"))


@pytest.mark.slow
@scenes.after(scenes.bob_to_move, "time=3d/move,auto")
def test_it_is_over_at_once_where_that_was_agreed(letters: Correspondence) -> None:
    told = letters.run_for(days=3)

    assert letters.rows("select state, termination, winner from match") == [("over", "timeout", 0)]
    assert "You won!" in said(*to(told, "alice"))


@pytest.mark.slow
@scenes.after(scenes.match, "challenge bob quadrature time=14d+1d")
def test_a_vacation_stops_the_clock_of_the_player_and_is_told_to_the_opponent(letters: Correspondence) -> None:
    mails = letters.say("alice", "vacation 10d")

    assert "You're on vacation until Thu 12 Mar, 08:00 UTC. " in said(*to(mails, "alice"))
    assert "You have 20 days of vacation left in 2026." in said(*to(mails, "alice"))
    assert due(letters) == 24 * DAY
    assert "alice is on vacation until Thu 12 Mar, 08:00 UTC. Their clock stands still meanwhile" in said(
        *to(mails, "bob")
    )


@pytest.mark.slow
@scenes.after(scenes.match, "challenge bob quadrature time=14d+1d")
def test_days_off_count_from_midnight(letters: Correspondence) -> None:
    letters.say("alice", "set zone Europe/Vienna")
    (answer,) = letters.say("alice", "set days mon-fri")

    assert "Saved: days mon-fri. Your clocks follow your days from Tue 3 Mar, 00:00 (Europe/Vienna) on." in said(answer)
    assert due(letters) == 18 * DAY


@scenes.after(scenes.match, "challenge bob quadrature time=14d+1d")
def test_a_pause_is_agreed_on_and_ends_by_itself(letters: Correspondence) -> None:
    letters.reply(letters.last("bob"), "pause 2026-03-12")
    assert "bob has suggested a pause until Thu 12 Mar, 00:00 UTC." in said(letters.last("alice"))
    letters.reply(letters.last("alice"), "accept")

    assert "The match is paused until Thu 12 Mar, 00:00 UTC" in said(letters.last("bob"))
    letters.run_for(days=9)
    assert all("In match #1, the pause is over, as agreed." in said(mail) for mail in letters.run_for(hours=17))
    assert letters.rows("select paused, resumes from match") == [(None, None)]
