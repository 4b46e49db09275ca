"""Matches against the house, as its opponents see them: by mail."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.correspondence import Correspondence, correspondence, text

ALICE = "alice@mail.example"


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    with correspondence(tmp_path) as letters:
        yield letters


def challenge(letters: Correspondence, words: str = "challenge house kvadratik level=1") -> None:
    personal = letters.join("alice")
    letters.write(ALICE, words, to=personal)


def turns(letters: Correspondence) -> list[tuple[object, ...]]:
    return letters.execute("select seat, text from ply order by match, number")


def test_a_challenge_is_accepted_at_once(letters: Correspondence) -> None:
    letters.play(challenge)

    assert letters.execute("select state, level, to_move, time from match") == [("running", 1, 0, None)]
    assert "The match has begun. You move first." in text(letters.last("alice"))


def test_the_house_answers_a_turn(letters: Correspondence) -> None:
    letters.play(challenge)

    letters.reply(letters.last("alice"), "setup +x+x")

    assert [seat for seat, _ in turns(letters)] == [0, 1]
    assert "house played" in text(letters.last("alice"))
