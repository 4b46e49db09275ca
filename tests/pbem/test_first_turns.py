"""How a game is played is explained to those who play it for the first time, and to whoever wants that."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from notation.games import GAMES
from pbem.storage.facts import FIRST_TURNS
from tests.correspondence import Correspondence, correspondence, text

GOAL, BASICS = GAMES["quadrature"].game.summary, "diagonally forward or sideways"
TURNS = ("b3b4", "i9i8", "b4b5", "i8i7", "b5b6", "i7i6")


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    with correspondence(tmp_path) as letters:
        letters.match("challenge bob quadrature")
        yield letters


def told(letters: Correspondence, name: str) -> str:
    return " ".join(text(letters.last(name)).split())


def play(letters: Correspondence, turns: tuple[str, ...], first: int = 0) -> None:
    for number, turn in enumerate(turns, start=first):
        letters.reply(letters.last(("alice", "bob")[number % 2]), turn)


def test_the_first_turns_of_a_first_match_are_explained(letters: Correspondence) -> None:
    assert GOAL.lower() in told(letters, "alice").lower()
    assert BASICS in told(letters, "alice")

    play(letters, TURNS[:1])
    assert BASICS in told(letters, "bob")
    play(letters, TURNS[1:FIRST_TURNS], first=1)
    assert BASICS not in told(letters, "alice")


def test_whoever_has_played_the_game_before_is_told_what_matters_now(letters: Correspondence) -> None:
    letters.resign("alice")
    letters.join("carol")
    welcome = letters.received["alice@mail.example"][1]
    letters.reply(welcome, "challenge carol quadrature begin=me")
    letters.reply(letters.last("carol"), "accept")

    assert "Your turn against carol" in told(letters, "alice")
    assert GOAL.lower() not in told(letters, "alice").lower()
    assert BASICS not in told(letters, "alice")
    letters.reply(letters.last("alice"), TURNS[0])
    assert BASICS in told(letters, "carol")


def test_whoever_wants_it_is_told_always(letters: Correspondence) -> None:
    board, welcome = letters.last("alice"), letters.received["alice@mail.example"][1]
    letters.reply(welcome, "set hints long")
    letters.reply(board, TURNS[0])
    play(letters, TURNS[1:FIRST_TURNS], first=1)

    assert BASICS in told(letters, "alice")
