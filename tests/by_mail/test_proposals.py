"""What we suggest is done after a yes, and what can't be undone is asked about once more."""

import pytest

from tests import scenes
from tests.correspondence import Correspondence, said, text, to

pytestmark = scenes.after(scenes.two_turns)

SLIP, MEANT = "b7d7 i2g2 1 7d6d g2g1", "b7d7 i2g2 1 d7d6 g2g1"


def test_a_slip_is_played_after_yes_and_not_before(letters: Correspondence) -> None:
    (answer,) = letters.reply(letters.last("alice"), SLIP)
    assert f'Did you mean "{MEANT}"? Reply "yes", and it\'s played.' in said(answer)
    assert len(letters.played) == 2

    mails = letters.reply(answer, "yes\n\nSorry!")

    assert letters.played[2:] == [MEANT]
    assert "| Sorry!" in text(*to(mails, "bob"))
    assert "it was done" in said(*letters.reply(answer, "Yes."))


def test_a_misspelt_command_is_done_after_yes_and_once(letters: Correspondence) -> None:
    (answer,) = letters.say("alice", "chalenge bob quadraphages first=o")
    assert 'Did you mean "challenge bob quadraphages first=o"? Reply "yes", and it\'s done.' in said(answer)

    letters.reply(answer, "ja, bitte")

    assert "it was done" in said(*letters.reply(answer, "yes"))
    assert letters.rows("select state from match order by id") == ["running", "offered"]


def test_what_reaches_beyond_the_match_takes_one_yes(letters: Correspondence) -> None:
    (question,) = letters.reply(letters.last("alice"), "I'll be away from 3 August till the 17th. My knee hurts.")
    assert "It only works for that match" in said(question)
    assert "You want to be away from" in said(question)
    assert 'The rest of your message goes to nobody: "My knee hurts."' in said(question)

    letters.reply(question, "yes")
    assert len(letters.rows("select id from vacation")) == 1


def test_resigning_asks_once_more_whatever_the_proof(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), "resign")
    (question,) = letters.say("alice", "#1 resign\n\nWell played!")
    assert "You're about to resign match #1" in said(question)
    assert letters.rows("select state from match") == ["running"]

    mails = letters.reply(question, "Yes")

    assert "The match is over: you resigned." in said(*to(mails, "alice"))
    assert "| Well played!" in text(*to(mails, "bob"))


@pytest.mark.slow
def test_a_no_and_a_maybe_do_not_resign(letters: Correspondence) -> None:
    (question,) = letters.reply(letters.last("alice"), "resign")
    (again,) = letters.reply(question, "What is this? I never wrote that!")
    assert "We can't tell whether your reply means yes" in said(again)

    assert "discarded" in said(*letters.reply(again, "No!"))
    assert "already dealt with that message" in said(*letters.reply(question, "yes"))
    assert letters.rows("select state from match") == ["running"]


def test_yes_where_nothing_was_suggested_is_explained(letters: Correspondence) -> None:
    (answer,) = letters.reply(letters.last("alice"), "yes")

    assert "suggests nothing" in said(answer)
    assert '"say TEXT"' in said(answer)
