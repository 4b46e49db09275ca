"""Plain sentences in place of commands: what they mean is suggested, and nothing takes effect."""

import pytest

from tests import scenes
from tests.correspondence import Correspondence, said

pytestmark = scenes.after(scenes.match, "challenge bob quadrupel begin=me")
SECOND = "select {} from match where id = 2"


def told(letters: Correspondence, name: str = "alice") -> str:
    return said(letters.last(name))


@pytest.mark.parametrize("sentence", ["I resign", "Abmelden", "delete my account"])
def test_a_sentence_does_nothing_and_says_what_would(letters: Correspondence, sentence: str) -> None:
    letters.reply(letters.last("alice"), sentence)

    assert "You want to" in told(letters)
    nothing = ("Nothing was done.", "Nothing happens until then.", "nothing has been done.")
    assert any(each in told(letters) for each in nothing)
    assert letters.rows("select state from match") == ["running"]
    assert letters.rows("select count(*) from player where confirmed is not null and stopped is null") == [2]


def test_giving_up_in_a_sentence_takes_one_yes(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), "OK, I give up!")
    assert "You're about to resign match #1" in told(letters)
    letters.reply(letters.last("alice"), "yes")
    assert letters.execute("select state, termination from match") == [("over", "resignation")]


@pytest.mark.parametrize(
    ("sentence", "state"), [("No thanks, not my thing.", "declined"), ("Sure, sounds fun!", "running")]
)
def test_whoever_is_invited_answers_in_a_sentence(letters: Correspondence, sentence: str, state: str) -> None:
    letters.say("alice", "challenge zoe@mail.example quadrupel")
    letters.reply(letters.last("zoe"), sentence)
    letters.reply(letters.last("zoe"), "yes")
    assert letters.rows(SECOND.format("state")) == [state]


def test_accept_alone_takes_the_only_challenge(letters: Correspondence) -> None:
    letters.say("alice", "challenge bob quadrature")
    letters.say("bob", "accept")
    assert letters.rows(SECOND.format("state")) == ["running"]

    letters.say("alice", "challenge bob hexaphages\nchallenge bob kvadratik")
    letters.say("bob", "accept")
    assert "Which match?" in told(letters, "bob")
    assert letters.rows("select state from match where id > 2") == ["offered", "offered"]
