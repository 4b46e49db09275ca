"""Mails that say "pass" or "swap": turns in a game that has them, and nothing in all others."""

from pathlib import Path

import pytest

from notation.games import GAMES, GamePack
from pbem.matches.condition_parsing import seems_meant
from tests.correspondence import Correspondence, said, text
from tests.special_turns import NOTATION, ROW


@pytest.fixture
def row(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Offer the toy game."""
    (tmp_path / "row.md").write_text("# Row\n\nFill a row.\n", encoding="utf-8")
    monkeypatch.setitem(GAMES.packs, "row", GamePack(game=ROW, notation=NOTATION, rules=tmp_path))


def begin(letters: Correspondence) -> None:
    """Let alice place the first stone of a match of the toy."""
    letters.match("challenge bob row")
    letters.reply(letters.last("alice"), "c1")


@pytest.mark.usefixtures("row")
def test_a_match_is_played_with_both(letters: Correspondence) -> None:
    begin(letters)
    offered = text(letters.last("bob"))
    letters.reply(letters.last("bob"), "Swap!")
    swapped = said(letters.last("alice"))
    letters.reply(letters.last("alice"), "swap")
    refused = said(letters.last("alice"))
    letters.reply(letters.last("alice"), "#1 move pass")
    letters.reply(letters.last("bob"), "row move 1 bob secret pass")

    assert "\n* swap" in offered.replace("\r", "")
    assert "bob played swap." in swapped
    assert "You can swap only in the second turn" in refused
    assert "1 to 0" in said(letters.last("alice"))


@pytest.mark.usefixtures("row")
def test_pass_in_reply_to_an_offer_of_a_draw_is_the_turn(letters: Correspondence) -> None:
    begin(letters)
    letters.reply(letters.last("alice"), "draw")
    letters.reply(letters.last("bob"), "pass")

    assert "bob played pass." in said(letters.last("alice"))


@pytest.mark.parametrize("word", ["pass", "Swap!"])
def test_such_a_word_is_refused_in_a_game_without_it(letters: Correspondence, word: str) -> None:
    letters.match()
    before = said(letters.last("bob"))
    letters.reply(letters.last("alice"), word)

    assert "That isn't a turn of Quadraphages." in said(letters.last("alice"))
    assert said(letters.last("bob")) == before


def test_a_condition_can_be_such_a_word_and_prose_with_it_is_none() -> None:
    assert seems_meant("if swap then c1c4")
    assert seems_meant("if pass then pass")
    assert not seems_meant("if you pass the salt")
