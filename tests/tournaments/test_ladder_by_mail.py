"""A ladder by email: climbed and left, and what its end and the lists say of it."""

from pbem.storage import database
from pbem.storage.models import Entry, Player
from tests.correspondence import Correspondence, text
from tests.scenes import after
from tests.tournaments import scenes
from tests.tournaments.scenes import FOUR, resign, rungs, told

pytestmark = after(scenes.ladder)


def test_a_challenge_that_fails_changes_nothing_and_tells_nobody(letters: Correspondence) -> None:
    letters.say("dave", "challenge bob on ladder 1")

    sent = resign(letters, "dave", 1)

    assert rungs(letters) == [*FOUR]
    assert not [mail for mail in sent if mail["X-PBeM-Event"] == "rung"]
    assert letters.rows("select what, match from ladderstep where number > 4") == [("ended", 1)]


def test_whom_one_can_challenge(letters: Correspondence) -> None:
    letters.join("erin")
    for words, refusal in (
        ("climb 1 alice", "You're on rung 4, and alice on 1: a challenge goes 2 rungs up at most."),
        ("climb 1 erin", "Nobody called erin is on ladder 1."),
        ("climb 1 nobody", "No player is called nobody."),
        ("climb 9 bob", "There is no ladder 9."),
    ):
        assert refusal in told(letters, "dave", words)
    assert "You challenge those above you" in told(letters, "alice", "climb 1 bob")
    letters.say("dave", "climb 1 bob")
    assert "You're playing bob on this ladder already." in told(letters, "dave", "climb 1 bob")
    assert "You have challenged as many players there as you can at a time: 1." in told(
        letters, "dave", "climb 1 carol"
    )
    assert "As many others as can at a time have challenged bob: 1." in told(letters, "carol", "climb 1 bob")
    resign(letters, "dave", 1)
    assert "You have met bob in the last 7 days" in told(letters, "dave", "climb 1 bob")


def test_who_runs_out_of_time_is_off_the_ladder_and_can_enter_again(letters: Correspondence) -> None:
    letters.say("dave", "climb 1 bob")

    (news,) = [mail for mail in letters.run_for(days=4) if mail["X-PBeM-Event"] == "rung"]

    assert rungs(letters) == ["alice", "bob", "carol"]
    assert (news["To"], news["Subject"]) == ("dave@mail.example", "[pbem] Long Ladder: off the ladder")
    assert "You've only just left ladder 1." in told(letters, "dave", "enter 1")
    letters.wait(days=1)
    assert "You're on rung 4, the lowest." in told(letters, "dave", "enter 1")
    assert "0 problems" in letters.operate("check").output


def test_a_challenged_player_who_does_not_play_loses_the_rung(letters: Correspondence) -> None:
    letters.say("dave", "climb 1 bob")
    letters.say("dave", "#1 setup +x+x")

    letters.run_for(days=4)

    assert rungs(letters) == ["alice", "dave", "carol"]


def test_who_leaves_plays_on_without_changing_the_ladder(letters: Correspondence) -> None:
    letters.say("dave", "climb 1 bob")

    assert "any more: #1." in told(letters, "bob", "withdraw from ladder 1")
    assert rungs(letters) == ["alice", "carol", "dave"]
    letters.wait(days=1)
    assert "You're still playing match #1" in told(letters, "bob", "enter 1")
    resign(letters, "bob", 1)
    assert rungs(letters) == ["alice", "carol", "dave"]
    assert "You're on rung 4, the lowest." in told(letters, "bob", "enter ladder 1")
    assert "0 problems" in letters.operate("check").output


def test_who_is_banned_or_leaves_the_server_is_off(letters: Correspondence) -> None:
    letters.say("dave", "climb 1 bob")
    letters.operate("player", "ban", "alice", "--yes")
    letters.reply(scenes.answer(letters, "bob", "delete me"), "yes")
    letters.wait()

    assert rungs(letters) == ["dave", "carol"], "who leaves during a match has lost it"
    assert "0 problems" in letters.operate("check").output


def test_the_list_says_whom_the_reader_can_challenge(letters: Correspondence) -> None:
    letters.say("carol", "climb 1 alice")

    lines = text(scenes.answer(letters, "dave", "ladder 1")).splitlines()

    assert "* 1. alice       1" in lines
    assert '* 2. bob         -  reply "climb 1 bob"' in lines
    assert "* 4. dave (you)  -" in lines
    assert "You're on rung 4, and can challenge players up to 2 rungs above it." in lines
    assert "open, 4 of 100 places taken" in told(letters, "dave", "tournaments")
    assert "carol" in letters.operate("tournament", "show", "1").output


def test_a_full_ladder_has_no_place_and_a_long_one_has_pages(letters: Correspondence) -> None:
    now = letters.clock()
    with database.transaction(letters.server.engine) as session:
        for n in range(101, 197):
            session.add(Player(id=n, name=f"p{n}", address=f"p{n}@mail.example", confirmed=now, created=now))
            session.flush()
            session.add(Entry(tournament=1, player=n, entered=now, rung=n - 96))
    letters.join("erin")

    assert "Ladder 1 has no free place." in told(letters, "erin", "enter 1")
    first, last = (told(letters, "dave", words) for words in ("tournament 1", "tournament 1 4"))
    assert '* More: reply "tournament 1 2"' in first
    assert " 25. p121" in first
    assert "100. p196" in last
    assert "* More" not in last


def test_the_operator_ends_a_ladder(letters: Correspondence) -> None:
    letters.say("dave", "climb 1 bob")
    assert "4 players are told" in letters.operate("tournament", "end", "1").output
    assert "is over" in letters.operate("tournament", "end", "1").output

    sent = letters.wait()

    assert all("Ladder 1 is over: Long Ladder" in text(mail) for mail in sent)
    assert {str(mail["To"]) for mail in sent} == {f"{name}@mail.example" for name in FOUR}
    assert "Ladder 1 is over." in told(letters, "carol", "climb 1 bob")
    resign(letters, "bob", 1)
    assert rungs(letters) == [*FOUR]
    assert letters.rows("select count(*) from match where reported is null") == [0]


def test_check_finds_a_ladder_that_stands_otherwise(letters: Correspondence) -> None:
    letters.execute("update entry set rung = 5 - rung")

    checked = letters.operate("check")

    assert "ladder 1 is in another order than what happened there makes it" in " ".join(checked.output.split())
    assert checked.exit_code == 1
