"""A ladder by email: climbed and left, and what its end and the lists say of it."""

from tests.correspondence import Correspondence, text
from tests.scenes import after
from tests.tournaments import scenes
from tests.tournaments.scenes import FOUR, resign, rungs, told

pytestmark = after(scenes.ladder)


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


def test_who_is_banned_or_leaves_the_server_is_off(letters: Correspondence) -> None:
    letters.say("dave", "climb 1 bob")
    letters.operate("moderate", "ban", "alice", "--yes")
    letters.reply(scenes.answer(letters, "bob", "delete me"), "yes")
    letters.wait()

    assert rungs(letters) == ["dave", "carol"], "who leaves during a match has lost it"


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
