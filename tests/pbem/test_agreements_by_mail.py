"""Offers in a running match, by mail: what was taken back, and what an answer means."""

from collections.abc import Callable
from email.message import EmailMessage

import pytest
from sqlmodel import Session

from pbem.matches import stored_offers
from pbem.storage.models import Match
from tests import scenes
from tests.correspondence import ADDRESS, Correspondence, said, text

pytestmark = scenes.after(scenes.match, "challenge bob quadrature")


def last_about(letters: Correspondence, name: str) -> EmailMessage:
    """Return the newest message of which a reply can act in match 1."""
    kinds = ("turn", "undo", "over", "offer")
    mails = letters.received[f"{name}@mail.example"]
    return next(mail for mail in reversed(mails) if mail["X-PBeM-Match"] == "1" and mail["X-PBeM-Event"] in kinds)


def shown_with_others(letters: Correspondence) -> EmailMessage:
    """Return a message that shows this match and another one."""
    letters.say("alice", "challenge bob hexaphages begin=me")
    letters.reply(letters.last("bob"), "accept")
    (shown,) = letters.say("alice", "show 1\nshow 2")
    return shown


def suggested(letters: Correspondence) -> EmailMessage:
    (suggestion,) = letters.reply(letters.last("alice"), "3f4g")
    return suggestion


def held(letters: Correspondence) -> EmailMessage:
    """Return the question about a turn in the thread, which names the position too, although it proves nothing."""
    (question,) = letters.reply(letters.last("alice"), "f3g4", to=ADDRESS)
    return question


@pytest.mark.parametrize(
    ("seen", "answer"),
    [
        (lambda letters: letters.last("alice"), "f3g4"),
        (shown_with_others, "#1 f3g4"),
        (suggested, "yes"),
        (held, "yes"),
    ],
    ids=["a turn", "several matches", "a suggestion", "a question"],
)
def test_an_answer_to_a_position_that_was_taken_back_plays_on_no_other(
    letters: Correspondence, seen: Callable[[Correspondence], EmailMessage], answer: str
) -> None:
    letters.reply(letters.last("alice"), "e3f4")
    letters.reply(letters.last("bob"), "e9f8")
    undone = seen(letters)
    for name, words in (("alice", "undo"), ("bob", "accept undo"), ("alice", "b3b4"), ("bob", "h9h8")):
        letters.reply(last_about(letters, name), words)

    (told,) = letters.reply(undone, answer)

    assert "the match has moved on" in said(told)
    assert letters.played == ["b3b4", "h9h8"]
    letters.reply(told, "#1 f3g4")
    assert letters.played == ["b3b4", "h9h8", "f3g4"]


def test_a_held_acceptance_is_not_of_another_offer(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), "pause")
    (question,) = letters.reply(letters.last("bob"), "accept", to=ADDRESS)
    letters.reply(letters.last("alice"), "withdraw\ncancel")

    (answer,) = letters.reply(question, "yes")

    assert "more than one offer" in text(answer)
    assert letters.rows("select state, paused from match") == [("running", None)]


@pytest.mark.parametrize(
    ("words", "state", "is_open"),
    [("Yes, gladly!", "over", False), ("No thanks.", "running", False), ("Nice weather", "running", True)],
)
def test_a_plain_yes_or_no_answers_an_offer(letters: Correspondence, words: str, state: str, is_open: bool) -> None:
    letters.reply(letters.last("alice"), "draw")

    told = letters.reply(letters.last("bob"), words)
    if "Are you sure?" in text(told[-1]):
        letters.reply(told[-1], "yes")

    with Session(letters.server.engine) as session:
        match = session.get_one(Match, 1)
        assert (match.state, bool(list(stored_offers.open_offers(match)))) == (state, is_open)
