"""A message parses its turn once and replays its match at most once, or never if stored columns suffice."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest

from notation import NOTATIONS, record
from pbem.server import worker
from tests.correspondence import Correspondence, text

pytestmark = pytest.mark.own_database
TURN = "b7b5 i2i4 1 b5b4 i4i5"


PARSE = type(NOTATIONS["quadraphages"]).parse


@contextmanager
def calls(of: Callable[..., object], argument: str = "record") -> Iterator[list[Any]]:
    """Collect that argument of every call while messages are processed, but not while they are rendered."""
    found: list[Any] = []
    handling = [0]

    def watch(frame: FrameType, event: str, _argument: Any) -> None:
        if frame.f_code is worker.handle.__code__:
            handling[0] += {"call": 1, "return": -1}.get(event, 0)
        if event == "call" and frame.f_code is of.__code__ and handling[0]:
            found.append(frame.f_locals[argument])

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        yield found
    finally:
        sys.setprofile(before)


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("words", "number"),
    [
        (TURN, 1),
        ("b7b5 i2i4", 1),
        ("a1a9 1", 1),
        ("games", 0),
        ("say hello", 0),
        ("resign", 0),
        ("undo", 0),
    ],
)
def test_a_handled_message_replays_its_match_at_most_once(letters: Correspondence, words: str, number: int) -> None:
    mail = letters.last("alice")
    with calls(record.replay) as replays:
        letters.reply(mail, words)
    assert len(replays) == number


@pytest.mark.slow
def test_a_turn_that_was_played_already_is_found_in_the_same_replay(letters: Correspondence) -> None:
    mail = letters.last("alice")
    letters.reply(mail, TURN)
    with calls(record.replay) as replays:
        (answer,) = letters.reply(mail, TURN)
    assert "has already been played" in " ".join(text(answer).split())
    assert len(replays) == 1


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "words",
    [
        TURN,
        f"Hi Bob,\n\n{TURN}\n\nGood luck!",
        f"#1 {TURN}",
        f"move 1 {TURN}",
        f"quadraphages move 1 alice swordfish {TURN}",
        f"{TURN} #3",
        "b7b5 i2i4 1",
    ],
    ids=["turn", "greeting", "number", "move", "Rognlie", "tied", "part"],
)
def test_a_turn_is_parsed_once_in_its_message(letters: Correspondence, words: str) -> None:
    """Other texts are parsed too: the turns of the match, when it is replayed, and the lines of the message."""
    turn = next(line for line in words.splitlines() if "b7b5" in line)
    turn = turn[turn.index("b7b5") :].removesuffix(" #3")

    with calls(PARSE, "text") as texts:
        mails = letters.reply(letters.last("alice"), words)

    assert not any("Nothing was done" in text(mail) for mail in mails)
    assert texts.count(turn) == 1
