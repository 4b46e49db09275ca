"""What players look up changes nothing: their matches, a board of now or then, a turn before it's played, help."""

import pytest

from notation.board import format_board
from notation.record import Record, diagrams
from tests import scenes
from tests.correspondence import Correspondence, said, text, to

pytestmark = scenes.after(scenes.two_turns)
TURNS = ("1 a7b7 i3i2", "c1d1 g9h9 2 d1f1 h9h7", "b7d7 i2g2 1 d7d6 g2g1")


def board(*turns: str, lit: bool = True) -> str:
    """Return the board of Quadraphages after these turns; if not lit, as records print it."""
    diagram = diagrams(Record("quadraphages", {}, ("Jx", "Bo"), turns))[-1]
    return " ".join(format_board(diagram, lit=lit, notes=lit).split())


def test_a_preview_shows_the_board_after_a_turn_and_how_to_play_it(letters: Correspondence) -> None:
    (mail,) = letters.reply(letters.last("alice"), f"preview {TURNS[2].upper()}")

    assert "Nothing has been played. This is match #1" in said(mail)
    assert board(*TURNS) in said(mail)
    assert "Then it would be bob's turn." in said(mail)
    assert f'* Play {TURNS[2]}: reply "{TURNS[2]}"' in said(mail)
    assert len(letters.played) == 2
    assert len(letters.reply(mail, TURNS[2])) == 2


@pytest.mark.slow
def test_a_turn_out_of_turn_may_be_previewed_but_is_not_offered(letters: Correspondence) -> None:
    (mail,) = letters.reply(letters.last("bob"), f"preview {TURNS[2]}")

    assert board(*TURNS) in said(mail)
    assert "* Play" not in said(mail)


@pytest.mark.slow
def test_a_match_and_its_record_are_shown_as_they_were(letters: Correspondence) -> None:
    (now,) = letters.say("alice", "show 1")
    (then,) = letters.say("alice", "show 1#1")
    (record,) = letters.say("alice", "record 1#1")

    assert board(*TURNS[:2]) in said(now)
    assert board(*TURNS[:1]) in said(then)
    assert "after turn 1 of 2" in said(then)
    assert board(*TURNS[:1], lit=False) in said(record)


def test_games_and_help_are_answered(letters: Correspondence) -> None:
    (games,) = letters.write("alice@mail.example", "games")
    (explained,) = letters.write("alice@mail.example", "help challenge\nrules quadraphages")

    assert "* #1  Quadraphages  bob  your turn" in " ".join(text(games).split(" ")).replace("   ", "  ")
    assert "challenge" in text(explained)
    assert "QUADRAPHAGES" in text(explained)
    assert to([games, explained], "alice") == [games, explained]
