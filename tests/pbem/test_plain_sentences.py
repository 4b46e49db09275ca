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

    assert "It seems that" in told(letters)
    assert "Nothing was done." in told(letters)
    assert letters.rows("select state from match") == ["running"]
    assert letters.rows("select count(*) from player where confirmed is not null and stopped is null") == [2]


def test_a_yes_to_what_was_understood_asks_as_the_command_would(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), "OK, I give up!")
    letters.reply(letters.last("alice"), "yes")
    assert "You're about to resign match #1" in told(letters)
    letters.reply(letters.last("alice"), "yes")
    assert letters.execute("select state, termination from match") == [("over", "resignation")]


def test_kind_words_go_to_the_opponent_after_a_yes(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), "Thanks for the nice move!")
    assert "Thanks for the nice move!" not in told(letters, "bob")
    letters.reply(letters.last("alice"), "yes")
    assert "Thanks for the nice move!" in told(letters, "bob")


@pytest.mark.parametrize(
    ("sentence", "state"), [("No thanks, not my thing.", "declined"), ("Sure, sounds fun!", "running")]
)
def test_whoever_is_invited_answers_in_a_sentence(letters: Correspondence, sentence: str, state: str) -> None:
    letters.say("alice", "challenge zoe@mail.example quadrupel")
    letters.reply(letters.last("zoe"), sentence)
    letters.reply(letters.last("zoe"), "yes")
    assert letters.rows(SECOND.format("state")) == [state]


@pytest.mark.parametrize(
    ("words", "column", "value"),
    [
        ("play kvadratik at level 5", "level", 5),
        ("play kvadratik easy", "level", 1),
        ("play kvadratik hard vs. the house", "level", 4),
        ("play kvadratik please", "level", 2),
        ("challenge bob quadrature 3 days per move", "time", "3d/move"),
        ("challenge bob quadrature a week for each turn", "time", "7d/move"),
        ("challenge bob quadrature time: 60 days in all", "time", "60d"),
    ],
)
def test_levels_and_times_are_read_in_words(letters: Correspondence, words: str, column: str, value: object) -> None:
    letters.say("alice", words)
    assert letters.rows(SECOND.format(column)) == [value]


def test_accept_alone_takes_the_only_challenge(letters: Correspondence) -> None:
    letters.say("alice", "challenge bob quadrature")
    letters.say("bob", "accept")
    assert letters.rows(SECOND.format("state")) == ["running"]

    letters.say("alice", "challenge bob hexaphages\nchallenge bob kvadratik")
    letters.say("bob", "accept")
    assert "Which match?" in told(letters, "bob")
    assert letters.rows("select state from match where id > 2") == ["offered", "offered"]


@pytest.mark.parametrize("name", ["play", "enter", "tournament", "take"])
def test_a_command_alone_says_what_goes_with_it(letters: Correspondence, name: str) -> None:
    letters.say("alice", name)
    assert f'Write it like this: "{name} ' in told(letters)


@pytest.mark.parametrize("words", ["setup", "setup xxxxx", "setup please"])
def test_a_set_up_that_cannot_be_read_gets_an_example(letters: Correspondence, words: str) -> None:
    letters.say("alice", "challenge bob kvadratik begin=me")
    letters.reply(letters.last("bob"), "accept")
    letters.reply(letters.last("alice"), words)
    assert 'For example "setup ++++".' in told(letters)
    assert "Match #2, Kvadratik, as it stands now" in told(letters)


@pytest.mark.parametrize(
    ("sentence", "line"),
    [
        ("I'd like to play kvadratik", "play kvadratik"),
        ("Can I play hexaphages against bob?", "challenge bob hexaphages"),
    ],
)
def test_who_plays_here_can_ask_for_a_match_in_a_sentence(letters: Correspondence, sentence: str, line: str) -> None:
    (answer,) = letters.say("alice", sentence)
    assert f'Did you mean "{line}"?' in said(answer)
    assert letters.rows("select count(*) from match") == [1]
    letters.reply(answer, "yes")

    assert letters.rows("select count(*) from match") == [2]
