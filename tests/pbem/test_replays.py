"""A match is replayed once for each message that is handled, and not at all where the stored columns tell enough."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest

from notation import record
from pbem.server import worker
from tests.correspondence import Correspondence, text

pytestmark = pytest.mark.own_database
TURN = "b7b5 i2i4 1 b5b4 i4i5"


@contextmanager
def counted() -> Iterator[list[str]]:
    """Collect the name of the caller at every replay, while messages are handled; rendering them is left out."""
    replays: list[str] = []
    handling = [0]

    def watch(frame: FrameType, event: str, _argument: Any) -> None:
        if frame.f_code is worker.handle.__code__:
            handling[0] += {"call": 1, "return": -1}.get(event, 0)
        if event == "call" and frame.f_code is record.replay.__code__ and handling[0]:
            replays.append(frame.f_back.f_code.co_name if frame.f_back else "")

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        yield replays
    finally:
        sys.setprofile(before)


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
    with counted() as replays:
        letters.reply(mail, words)
    assert len(replays) == number


def test_a_turn_that_was_played_already_is_found_in_the_same_replay(letters: Correspondence) -> None:
    mail = letters.last("alice")
    letters.reply(mail, TURN)
    with counted() as replays:
        (answer,) = letters.reply(mail, TURN)
    assert "has already been played" in " ".join(text(answer).split())
    assert len(replays) == 1
