"""Turns that are taken back without asking, as both agreed or as the opponent allows, until they are answered."""

import pytest

from pbem.mail.transports.protocols import Arrival
from pbem.matches import agreements
from pbem.storage.database import transaction
from pbem.storage.models import Match
from tests import scenes
from tests.correspondence import Correspondence, said


def begun(letters: Correspondence, terms: str) -> None:
    """Begin a match on these terms, in which alice has played e3f4, and it's bob's turn."""
    letters.match(f"challenge bob quadrature {terms}")
    letters.reply(letters.last("alice"), "e3f4")


FREE, ASKED = scenes.after(begun, "undo=free"), scenes.after(begun, "")


def turns(letters: Correspondence) -> list[str]:
    assert letters.operate("check").exit_code == 0
    return letters.played


@pytest.mark.parametrize(
    ("time", "left"), [("5d+1d", "5 days"), ("5d+1d<=9d", "5 days"), ("5d/1", "5 days"), ("3d/move", "3 days")]
)
def test_nobody_gains_or_loses_time_by_it(letters: Correspondence, time: str, left: str) -> None:
    letters.play(begun, f"undo=free time={time}")
    letters.run_for(days=2)
    letters.reply(letters.last("alice"), "undo")

    assert f"you have {left}, bob {left}" in said(letters.last("alice"))
    assert turns(letters) == []


@FREE
def test_each_turn_once_after_that_the_opponent_is_asked(letters: Correspondence) -> None:
    for words in ("undo", "b3b4", "undo"):
        letters.reply(letters.last("alice"), words)

    assert turns(letters) == ["b3b4"]
    assert "alice has asked to take back b3b4" in said(letters.last("bob"))


@FREE
@pytest.mark.parametrize("answer", ["say Hm!", "draw", "show", "if b3b4 then b9b8"])
def test_once_the_opponent_has_written_about_the_match_they_are_asked(letters: Correspondence, answer: str) -> None:
    letters.reply(letters.last("bob"), answer)
    letters.reply(letters.last("alice"), "undo")

    assert turns(letters) == ["e3f4"]
    assert "alice has asked to take back e3f4" in said(letters.last("bob"))


@FREE
def test_an_undo_that_crosses_the_answer_is_refused(letters: Correspondence) -> None:
    before = letters.last("alice")
    letters.reply(letters.last("bob"), "e9f8")
    letters.reply(before, "undo")

    assert turns(letters) == ["e3f4", "e9f8"]
    assert "Bob has answered your turn, so it isn't taken back." in said(letters.last("alice"))
    letters.reply(letters.last("alice"), "undo")
    assert "alice has asked to take back e3f4, e9f8" in said(letters.last("bob"))


@FREE
def test_an_answer_that_waits_to_be_handled_counts(letters: Correspondence) -> None:
    """Another thread or daemon may handle it; what comes after the slip was taken back doesn't."""
    before, address = letters.clock(), letters.last("bob")["Reply-To"].addresses[0].addr_spec
    letters.clock.advance(minutes=1)
    raw = f"From: bob@mail.example\nTo: {address}\nMessage-ID: <1@mail.example>\n\ne9f8\n".encode()
    letters.server.take((Arrival(raw, "test", sender="", recipients=(address,)),))
    with transaction(letters.server.engine) as session:
        match = session.get_one(Match, 1)
        assert not agreements.may_take_back(session, match, 0, letters.clock())
        assert agreements.may_take_back(session, match, 0, before)
