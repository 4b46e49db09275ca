"""Conditional moves by mail: who learns of them, and what a message about them says."""

import pytest

from tests import scenes
from tests.correspondence import Correspondence, said, text, to

TREE = "if e9f8 then f3g4 then if f9g8 then g4h5\nelse b3b4"


def prepared(letters: Correspondence) -> None:
    """Begin a match of Quadrature in which alice has played and prepared turns, and it's bob's turn."""
    letters.match("challenge bob quadrature")
    letters.reply(letters.last("alice"), f"e3f4\n{TREE}")


pytestmark = scenes.after(prepared)


def test_each_side_gets_one_message_about_all_turns(letters: Correspondence) -> None:
    sent = letters.reply(letters.last("bob"), "e9f8\nif f3g4 then f9g8\n\nHello!")

    (hers,), (his,) = to(sent, "alice"), to(sent, "bob")
    assert letters.played == ["e3f4", "e9f8", "f3g4", "f9g8", "g4h5"]
    assert "* You played f3g4, as you had prepared" in text(hers)
    assert "bob played f9g8" in said(hers)
    assert "Hello!" in text(hers)
    assert "prepared" not in text(his).replace("You played f9g8, as you had prepared", "")
    assert (his["X-PBeM-Number"], hers["X-PBeM-Number"]) == ("5", "5")
    assert str(his["Subject"]).startswith("[pbem #1, your turn]")


@pytest.mark.slow
def test_nobody_but_the_author_learns_of_it(letters: Correspondence) -> None:
    """The opponent gets no message about it, and none of theirs tells of it."""
    turn = letters.last("bob")
    assert "g4h5" not in turn.as_string()

    for line in ("conditions", "show", "games alice"):
        (answer,) = letters.reply(turn, line)
        assert "g4h5" not in answer.as_string(), line


@pytest.mark.slow
def test_a_resignation_is_played_after_the_turn_that_was_named(letters: Correspondence) -> None:
    (question,) = letters.say("alice", "#1 cancel conditions\n#1 if e9f8 then resign")
    letters.reply(question, "yes")

    told = letters.reply(letters.last("bob"), "e9f8")

    assert letters.rows("select termination, termination_seat, winner, plies from match") == [("resignation", 0, 1, 2)]
    assert letters.execute("select * from prepared") == []
    (hers,), (his,) = to(told, "alice"), to(told, "bob")
    assert "bob played e9f8. The match is over: you resigned. You resigned, as you had prepared." in said(hers)
    assert "You played e9f8. The match is over: alice resigned." in said(his)
    assert "prepared" not in said(his)
