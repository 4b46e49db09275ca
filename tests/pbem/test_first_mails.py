"""First mails as people write them who haven't read anything, and what each of them gets: never silence."""

import re

import pytest

from tests import scenes
from tests.correspondence import Correspondence, said, text

pytestmark = scenes.after(scenes.two_players)

CAROL = "carol@mail.example"
WHICH_NAME = "What name would you like to play under?"


@pytest.mark.parametrize("first", ["How does this work?", "help", "join", "challenge bob kvadratik"])
def test_two_mails_of_a_newcomer_s_own_lead_to_a_match(letters: Correspondence, first: str) -> None:
    (answer,) = letters.write(CAROL, first)
    letters.reply(answer, "join carol\nchallenge bob kvadratik begin=me\n\nHello Bob!")
    letters.reply(letters.last("bob"), "Yes, gladly!")
    letters.reply(letters.last("carol"), "setup +x+x")

    assert letters.rows("select plies from match") == [1]
    assert any("| Hello Bob!" in text(mail) for mail in letters.received["bob@mail.example"])


@pytest.mark.parametrize(("answer", "name"), [("yes", "carol"), ("Otto.", "otto"), ("My name is Hanna", "hanna")])
def test_what_a_first_mail_asked_for_is_done_with_the_name(letters: Correspondence, answer: str, name: str) -> None:
    (question,) = letters.write(CAROL, "I want to play quadrupel with Bob, please")
    assert WHICH_NAME in said(question)
    assert "Then we'll do the rest of your message" in said(question)
    assert "invite bob to Quadrupel" in said(question)
    letters.reply(question, answer)

    assert letters.rows("select game, state from match") == [("quadrupel", "offered")]
    assert letters.rows(f"select name from player where address = '{CAROL}'") == [name]


@pytest.mark.parametrize(
    ("first", "level"),
    [("join otto and play kvadratik", 2), ("I'm Otto and I'd like to play kvadratik, easy please", 1)],
)
def test_a_sentence_that_joins_and_plays_needs_one_yes(letters: Correspondence, first: str, level: int) -> None:
    (question,) = letters.write(CAROL, first)
    assert letters.rows("select count(*) from match") == [0]
    letters.reply(question, "yes")

    assert letters.rows("select game, level from match where state = 'running'") == [("kvadratik", level)]


def test_a_sentence_about_a_challenge_reaches_nobody_before_its_sender_has_agreed(letters: Correspondence) -> None:
    """Anybody can write in somebody else's name."""
    (answer,) = letters.write(CAROL, "My name is Otto, and I play quadrupel with dora@mail.example")

    assert answer["To"] == CAROL
    assert "invite dora@mail.example to Quadrupel" in said(answer)
    assert letters.rows("select count(*) from match") == [0]


def test_a_stranger_who_asks_for_two_things_is_told_that_one_was_answered(letters: Correspondence) -> None:
    (told,) = letters.write("nora@mail.example", "help\nrules quadrupel")

    assert "Until you've joined, we answer one at a time." in said(told)


def test_nothing_of_a_first_mail_comes_back(letters: Correspondence) -> None:
    for number, body in enumerate(("BUY PILLS", "join BUY PILLS", "register PILLS BUY CHEAP", "help PILLS", "PILLS")):
        for mail in letters.write(f"victim{number}@mail.example", body, "PILLS"):
            assert "pills" not in f"{mail['Subject']} {text(mail)}".lower()


@pytest.mark.parametrize("words", ["Accept!", "yes", "decline", "stop", "Hello, who are you?", "#1 accept"])
def test_whatever_a_guest_writes_they_are_told_of_the_invitation_once(letters: Correspondence, words: str) -> None:
    letters.say("bob", "challenge nora@mail.example kvadratik")

    (told,) = letters.write("nora@mail.example", words)

    assert "bob's invitation to play Kvadratik is waiting for you" in said(told)
    assert told["To"] == "nora@mail.example"
    assert letters.rows("select state, name from match, player order by player.id")[-1] == ("offered", None)
    assert letters.write("nora@mail.example", words) == []
    (other,) = letters.write("peter@mail.example", words)
    assert {"bob", "is waiting"}.isdisjoint(re.findall(r"is waiting|\w+", text(other)))
