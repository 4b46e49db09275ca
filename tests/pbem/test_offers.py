"""What people write in reply to a challenge or an invitation: a plain yes or no is enough."""

import pytest

from tests import scenes
from tests.correspondence import Correspondence, said, text

ALICE, BOB, NORA = (f"{name}@mail.example" for name in ("alice", "bob", "nora"))


def offered(letters: Correspondence) -> None:
    personal = letters.join("alice")
    letters.join("bob")
    letters.write(ALICE, f"challenge bob kvadratik\nchallenge {NORA} quadrupel", to=personal)


pytestmark = scenes.after(offered)


def states(letters: Correspondence) -> list[str]:
    return [str(state) for (state,) in letters.execute("select state from match order by id")]


@pytest.mark.parametrize("words", ["sure", "Yes, gladly!", "I accept!", "Yes please, Good luck!"])
def test_a_yes_accepts_a_challenge(letters: Correspondence, words: str) -> None:
    letters.reply(letters.last("bob"), words)

    assert states(letters)[0] == ("offered" if "luck" in words else "running")


@pytest.mark.parametrize("words", ["No, thank you.", "Sorry, not interested."])
def test_a_no_declines_a_challenge(letters: Correspondence, words: str) -> None:
    letters.reply(letters.last("bob"), words)

    assert states(letters)[0] == "declined"


@pytest.mark.parametrize("words", ["Yes?", "yes but who are you", "thanks"])
def test_what_says_something_else_does_neither(letters: Correspondence, words: str) -> None:
    (answer,) = letters.reply(letters.last("bob"), words)

    assert states(letters)[0] == "offered"
    assert 'Reply "accept" or "decline"' in said(answer)


def test_a_yes_accepts_an_invitation_and_makes_its_guest_a_player(letters: Correspondence) -> None:
    letters.reply(letters.last("nora"), "Yes, gladly!\n\nI have never played this.")

    assert states(letters)[1] == "running"
    assert "| I have never played this." in text(letters.last("alice"))


def test_a_yes_and_the_first_turn_below_it_are_both_carried_out(letters: Correspondence) -> None:
    letters.execute("update match set seat0 = seat1, seat1 = seat0 where id = 1")
    letters.reply(letters.last("bob"), "Ok!\nsetup +x+x")

    assert letters.execute("select plies from match where id = 1") == [(1,)]


def test_a_yes_comes_too_late_for_a_challenge_that_was_withdrawn(letters: Correspondence) -> None:
    challenge = letters.last("bob")
    letters.say("alice", "withdraw 1")
    letters.reply(challenge, "Sure!")

    assert "no longer open; it is withdrawn" in said(letters.last("bob"))


def test_who_offers_does_not_accept_for_the_other(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), "yes")

    assert states(letters) == ["offered", "offered"]


def test_a_yes_without_proof_is_asked_about(letters: Correspondence) -> None:
    challenge = letters.last("bob")
    (question,) = letters.reply(challenge, "Yes, gladly!", to="games@pbem.example")
    assert states(letters)[0] == "offered"
    letters.reply(question, "yes")

    assert states(letters)[0] == "running"
