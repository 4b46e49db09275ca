"""Different times for the two players: who has which is said in words, and stays with them."""

from dataclasses import replace

import pytest

from notation import time_control
from notation.time_control import parse
from tests import scenes
from tests.correspondence import Correspondence, said


def by_name(letters: Correspondence) -> list[dict[str, str]]:
    """Return how much time each player has in each match as the row of the match says it."""
    names = dict(letters.execute("select id, name from player"))
    found = []
    for seat0, seat1, time in letters.execute("select seat0, seat1, time from match order by id"):
        control = parse(str(time))
        sides = (replace(control, second=None), control.of(1))
        written = map(time_control.format_control, sides)
        found.append(dict(zip((names[seat0], names[seat1]), written, strict=True)))
    return found


@pytest.mark.parametrize("begin", ["me", "you"])
def test_the_first_is_the_challenger_s_whoever_begins(letters: Correspondence, begin: str) -> None:
    letters.match(f"challenge bob quadrature time=10d/3d begin={begin}")

    words = "alice: 10 days for the whole match; bob: 3 days for the whole match"
    other_way = "bob: 3 days for the whole match; alice: 10 days for the whole match"
    for name in ("alice", "bob"):
        told = said(letters.received[f"{name}@mail.example"][2])
        assert words in told or other_way in told
    assert by_name(letters) == [{"alice": "10d", "bob": "3d"}]
    assert "you have 10 days, bob 3 days" in said(letters.last("alice"))
    assert "you have 3 days, alice 10 days" in said(letters.last("bob"))
    letters.resign("alice")
    letters.reply(letters.last("bob"), "rematch")
    assert by_name(letters) == [{"alice": "10d", "bob": "3d"}] * 2


@scenes.after(scenes.bob_to_move, "time=9d/3d/move")
def test_each_clock_runs_by_its_own_time(letters: Correspondence) -> None:
    letters.run_for(days=3)
    assert "bob has run out of time" in said(letters.last("alice"))
    letters.reply(letters.last("bob"), "b9b8")
    letters.run_for(days=4)
    letters.say("alice", "#1 b4b5")

    assert letters.played[-1] == "b4b5"
    assert letters.operate("check").exit_code == 0
