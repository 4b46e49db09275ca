"""A server with many games: its messages stay short, and a turn is found without trying them all."""

from pathlib import Path

import pytest

from notation.core import BadNotation
from pbem.conversation.syntax.mail import Reader
from pbem.features.all import FEATURES
from tests import toys
from tests.correspondence import Correspondence, said, text

ALICE = "alice@mail.example"
LONGEST = 16_000
"""How many bytes of text any answer may have: as much as the longest help on a server with our own games."""


@pytest.fixture(autouse=True)
def games(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Offer 275 games beside our own."""
    toys.offer(monkeypatch, *toys.many(tmp_path, 275))


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("help", '"help games" lists them all'),
        ("help games", "40"),
        ("help toy7", "how many stones you take"),
        ("rules chess", '"help games" lists them all'),
        ("standings", "Nobody has a rating yet."),
        ("challenge bob chess", '"help games" lists them all'),
        ("play toy40", "Your turn against house"),
    ],
)
def test_an_answer_is_short_and_no_line_too_long(letters: Correspondence, line: str, told: str) -> None:
    (answer,) = letters.write(ALICE, line, to=letters.join("alice"))

    words = text(answer)
    assert told.lower() in " ".join(words.split()).lower()
    assert len(words.encode()) < LONGEST
    assert max(len(each.rstrip("\r")) for each in words.split("\n")) <= 72 or "@" in words
    assert len(answer.as_bytes()) < 6 * LONGEST


def test_a_stranger_and_a_newcomer_are_told_of_a_few(letters: Correspondence) -> None:
    (introduction,) = letters.write("stranger@mail.example", "hello")
    letters.join("alice")

    for message in (introduction, letters.last("alice")):
        assert 'more: "help games" lists them all.' in said(message)
        assert len(message.as_bytes()) < 2 * LONGEST


def test_few_games_are_tried_where_nothing_says_which(letters: Correspondence, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stranger's lines are read as turns of a handful of games at most, however many there are."""
    tried: list[str] = []

    def parse(_: toys.HeapNotation, text: str) -> int:
        tried.append(text)
        raise BadNotation(text, 0, "anything else")

    monkeypatch.setattr(toys.HeapNotation, "parse", parse)
    Reader(FEATURES.commands, lambda _: None, None).read("", ["a1 is a fine square c3d4 e5f3"])

    assert tried
    assert len(tried) < 40
