"""Time that a player gives the opponent."""

import pytest

from tests import scenes
from tests.correspondence import Correspondence, said


def moved(letters: Correspondence, terms: str) -> None:
    """Let both have moved in a match on these terms, and it be bob's turn."""
    letters.match(f"challenge bob quadrature {terms}")
    for name, turn in (("alice", "e3f4"), ("bob", "e9f8"), ("alice", "b3b4")):
        letters.reply(letters.last(name), turn)


def given(letters: Correspondence) -> list[tuple[object, ...]]:
    return letters.rows("select seat, taken from clockevent where kind = 'given'")


@pytest.mark.parametrize(
    ("terms", "before", "after"),
    [
        ("time=5d", "bob 5 days", "bob 7 days"),
        ("time=9d,3d/move", "bob 3 days", "bob 5 days"),
        ("time=5d+1d<=6d", "bob 6 days", "bob 8 days"),
    ],
)
def test_the_time_counts(letters: Correspondence, terms: str, before: str, after: str) -> None:
    letters.play(moved, terms)
    assert before in said(letters.last("alice"))

    letters.reply(letters.last("alice"), "give 2d")

    assert after in said(letters.last("alice"))
    assert given(letters) == [(1, 2 * 86400)]
    assert letters.operate("check").exit_code == 0
    assert letters.run_for(days=4, hours=23) == [] or "reminder" in str(letters.last("bob")["Subject"])
    letters.reply(letters.last("bob"), "b9b8")
    assert letters.rows("select plies from match") == [4]


@pytest.mark.parametrize("terms", ["time=3d/move", "time=3d"])
def test_who_has_run_out_of_time_goes_on_with_what_they_are_given(letters: Correspondence, terms: str) -> None:
    letters.play(moved, terms)
    letters.run_for(days=5)
    assert "bob has run out of time" in said(letters.last("alice"))

    letters.reply(letters.last("alice"), "give 2d")

    assert "you have 2 days" in said(letters.last("bob"))
    letters.reply(letters.last("alice"), "claim")
    assert "hasn't run out of time" in said(letters.last("alice"))
    letters.run_for(days=2)
    assert "bob has run out of time" in said(letters.last("alice"))
    letters.reply(letters.last("alice"), "claim")
    assert letters.rows("select termination from match") == ["timeout"]
    assert letters.operate("check").exit_code == 0


@scenes.after(moved, "time=5d")
def test_no_more_can_be_given_in_a_match_than_the_cap(letters: Correspondence) -> None:
    for _ in range(4):
        letters.reply(letters.last("alice"), "give 1w")
    (refused,) = letters.reply(letters.last("alice"), "give 1h")

    assert "You can give at most 28 days in a match, and that would be more in #1." in said(refused)
    assert len(given(letters)) == 4
    letters.reply(letters.last("bob"), "give 7d")
    assert len(given(letters)) == 5, "the cap is each player's own"
