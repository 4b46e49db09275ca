"""What people write in reply to a challenge or an invitation: a plain yes or no is enough."""

import pytest

from tests import scenes
from tests.correspondence import Correspondence, said, text


def offered(letters: Correspondence) -> None:
    """Let alice challenge bob, and invite nora."""
    scenes.two_players(letters)
    letters.say("alice", "challenge bob kvadratik\nchallenge nora@mail.example quadrupel")


pytestmark = scenes.after(offered)
STATES = "select state from match order by id"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "state"),
    [("Yes, gladly!", "running"), ("accept", "running"), ("No, thank you.", "declined"), ("Yes?", "offered")],
)
def test_a_challenge_is_accepted_or_declined_in_plain_words(letters: Correspondence, words: str, state: str) -> None:
    mails = letters.reply(letters.last("bob"), words)

    assert letters.rows(STATES)[0] == state
    assert state != "offered" or '"#1 accept"' in said(*mails)


def test_a_yes_accepts_an_invitation_and_makes_its_guest_a_player(letters: Correspondence) -> None:
    letters.reply(letters.last("nora"), "Yes, gladly!\n\nI have never played this.")

    assert letters.rows(STATES)[1] == "running"
    assert "| I have never played this." in text(letters.last("alice"))


def test_a_yes_and_the_first_turn_below_it_are_both_carried_out(letters: Correspondence) -> None:
    letters.execute("update match set seat0 = seat1, seat1 = seat0 where id = 1")
    letters.reply(letters.last("bob"), "Ok!\nsetup +x+x")

    assert letters.played == ["setup +x+x"]


@pytest.mark.slow
def test_a_yes_comes_too_late_for_a_challenge_that_was_withdrawn(letters: Correspondence) -> None:
    challenge = letters.last("bob")
    letters.say("alice", "withdraw 1")
    letters.reply(challenge, "Sure!")

    assert "no longer open; it is withdrawn" in said(letters.last("bob"))


def test_nobody_accepts_for_the_other(letters: Correspondence) -> None:
    """Neither who has offered it, nor somebody in their name."""
    letters.reply(letters.last("alice"), "yes")
    (question,) = letters.reply(letters.last("bob"), "Yes, gladly!", to="games@pbem.example")
    assert letters.rows(STATES) == ["offered", "offered"]
    letters.reply(question, "yes")

    assert letters.rows(STATES) == ["running", "offered"]
