"""A message plays no turn of its match again twice, or none at all if stored columns suffice.

One that is refused may be handled twice, and the second time all its positions are known.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest

from notation import record
from pbem.matches import snapshot
from pbem.matches.snapshot import RecentPositions
from pbem.server import worker
from tests import scenes
from tests.correspondence import Correspondence, text

pytestmark = [pytest.mark.own_database, scenes.after(scenes.two_turns)]
TURN = "b7b5 i2i4 1 b5b4 i4i5"


@contextmanager
def calls(of: Callable[..., object]) -> Iterator[list[dict[str, Any]]]:
    """Collect the arguments of every call while messages are processed, but not while they are rendered."""
    found: list[dict[str, Any]] = []
    handling = [0]

    def watch(frame: FrameType, event: str, _argument: Any) -> None:
        if frame.f_code is worker.handle.__code__:
            handling[0] += {"call": 1, "return": -1}.get(event, 0)
        if event == "call" and frame.f_code is of.__code__ and handling[0]:
            found.append(dict(frame.f_locals))

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        yield found
    finally:
        sys.setprofile(before)


@contextmanager
def replays_from_nothing(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, Any]]]:
    """Forget the positions of all matches, and collect the replays from then on."""
    monkeypatch.setattr(snapshot, "_RECENT", RecentPositions(most=5_000))
    with calls(record.replay) as replays:
        yield replays


def played_again(replays: list[dict[str, Any]]) -> list[int]:
    """Return how many turns each replay played, without those that played none."""
    turns = (len(each["record"].moves) + 1 - len(each["known"]) for each in replays)
    return [number for number in turns if number]


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
def test_a_handled_message_replays_its_match_at_most_once(
    letters: Correspondence, monkeypatch: pytest.MonkeyPatch, words: str, number: int
) -> None:
    mail = letters.last("alice")
    with replays_from_nothing(monkeypatch) as replays:
        letters.reply(mail, words)
    assert len(played_again(replays)) <= number


@pytest.mark.slow
def test_a_turn_that_was_played_already_is_found_in_the_same_replay(
    letters: Correspondence, monkeypatch: pytest.MonkeyPatch
) -> None:
    mail = letters.last("alice")
    letters.reply(mail, TURN)
    with replays_from_nothing(monkeypatch) as replays:
        (answer,) = letters.reply(mail, TURN)
    assert "has already been played" in " ".join(text(answer).split())
    assert len(played_again(replays)) == 1
