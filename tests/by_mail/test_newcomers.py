"""First mails and first turns of people who haven't read anything: they always get an answer, and it helps."""

import pytest

from notation.games import GAMES
from pbem.storage.facts_when_queued import FIRST_TURNS
from tests import scenes
from tests.correspondence import Correspondence, said, text, to

CAROL = "carol@mail.example"
ASKED = "Please confirm"
INTRODUCED = "Hello! Here you can play board games by email."
WHICH_NAME = "What name would you like to play under?"
BASICS = "diagonally forward or sideways"


FIRST_MAILS = (
    # Subject, text, what is in the answer
    ("", "", INTRODUCED),
    ("join", "", WHICH_NAME),
    ("", "join carol", ASKED),
    ("", "Hello,\n\nplease register me as Carol.\n\nThank you!", ASKED),
    ("Help!", "", "Write each command on a line of its own"),
    ("", "challenge bob kvadratik", INTRODUCED),
    ("", "rules quadrupel", "QUADRUPEL"),
    ("", "unsubscribe", "this address only gets answers"),
)


@scenes.after(scenes.two_players)
def test_a_first_mail_gets_an_answer_that_helps(letters: Correspondence) -> None:
    for number, (subject, body, expected) in enumerate(FIRST_MAILS):
        (answer,) = letters.write(f"carol{number}@host{number}.example", body, subject)

        assert expected in f"{answer['Subject']} {said(answer)}"
        assert "bob" not in text(answer) or "bob" in body
        assert len(answer.as_bytes()) < 8_000
        assert [part.get_content_type() for part in answer.walk()] == ["text/plain"]


@scenes.after(scenes.two_players)
def test_what_a_newcomer_writes_beside_join_waits_for_their_yes(letters: Correspondence) -> None:
    (question,) = letters.write(CAROL, "challenge bob kvadratik\njoin carol\n\nHello Bob!")
    assert "kvadratik" not in text(question)
    assert "along with the rest of your message" in said(question)
    assert letters.rows("select count(*) from match") == [0]

    mails = letters.reply(question, "yes")

    (challenge,) = to(mails, "bob")
    assert "| Hello Bob!" in text(challenge)
    assert len(to(mails, "carol")) == 1
    assert letters.rows("select game, state from match") == [("kvadratik", "offered")]


@pytest.mark.slow
@scenes.after(scenes.two_players)
def test_a_guest_is_told_of_the_invitation_and_a_yes_accepts_it(letters: Correspondence) -> None:
    """Their new message proves nothing, so it does nothing; a yes to the reply, which goes to that address, accepts."""
    letters.say("bob", "challenge nora@mail.example kvadratik")

    (told,) = letters.write("nora@mail.example", "accept")
    assert "bob's invitation to play Kvadratik is waiting for you" in said(told)
    assert letters.rows("select state from match") == ["offered"]

    letters.reply(told, "yes")
    assert letters.rows("select state from match") == ["running"]


@scenes.after(scenes.match, "challenge bob quadrature")
def test_the_first_turns_of_a_first_match_are_explained(letters: Correspondence) -> None:
    assert GAMES["quadrature"].game.summary.lower() in said(letters.last("alice")).lower()
    assert BASICS in said(letters.last("alice"))

    for number, turn in enumerate(("b3b4", "i9i8", "b4b5", "i8i7", "b5b6", "i7i6")[:FIRST_TURNS]):
        letters.reply(letters.last(("alice", "bob")[number % 2]), turn)
        assert number or BASICS in said(letters.last("bob"))
    assert BASICS not in said(letters.last(("bob", "alice")[(FIRST_TURNS - 1) % 2]))
