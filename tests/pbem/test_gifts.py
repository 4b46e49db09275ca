"""Time that a player gives the opponent."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.correspondence import Correspondence, correspondence, text

ALICE, BOB = "alice@mail.example", "bob@mail.example"


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    with correspondence(tmp_path) as letters:
        yield letters


def begin(letters: Correspondence, terms: str) -> None:
    """Let both have moved, and it be bob's turn."""
    letters.match(f"challenge bob quadrature {terms}")
    for name, turn in (("alice", "e3f4"), ("bob", "e9f8"), ("alice", "b3b4")):
        letters.reply(letters.last(name), turn)


def said(letters: Correspondence, name: str) -> str:
    return " ".join(text(letters.last(name)).split())


def given(letters: Correspondence) -> list[tuple[object, ...]]:
    return letters.execute("select seat, taken from clockevent where kind = 'given'")


@pytest.mark.sql
@pytest.mark.parametrize(
    ("terms", "before", "after"),
    [
        ("time=5d", "bob 5 days", "bob 7 days"),
        ("time=3d/move", "bob 3 days", "bob 5 days"),
        ("time=9d,3d/move", "bob 3 days", "bob 5 days"),
        ("time=5d+1d<=6d", "bob 6 days", "bob 8 days"),
    ],
)
def test_both_are_told_of_the_time_and_it_counts(letters: Correspondence, terms: str, before: str, after: str) -> None:
    begin(letters, terms)
    assert before in said(letters, "alice")

    told = letters.reply(letters.last("alice"), "give 2d\n\nGet well soon!")

    assert sorted(str(mail["To"]) for mail in told) == [ALICE, BOB]
    assert after in said(letters, "alice")
    assert "You gave bob 2 days." in said(letters, "alice")
    assert "alice gave you 2 days." in said(letters, "bob")
    assert "Get well soon!" in said(letters, "bob")
    assert "time given" in str(letters.last("bob")["Subject"])
    assert given(letters) == [(1, 2 * 86400)]
    assert letters.operate("check").exit_code == 0
    assert letters.run_for(days=4, hours=23) == [] or "reminder" in str(letters.last("bob")["Subject"])
    letters.reply(letters.last("bob"), "b9b8")
    assert letters.execute("select plies from match") == [(4,)]


def test_time_for_one_turn_is_not_kept_for_the_next(letters: Correspondence) -> None:
    begin(letters, "time=3d/move")
    letters.reply(letters.last("alice"), "give a day")
    letters.reply(letters.last("bob"), "b9b8")
    letters.reply(letters.last("alice"), "c3c4")

    assert "you have 3 days, alice 3 days" in said(letters, "bob")


@pytest.mark.parametrize("terms", ["time=3d/move", "time=3d"])
def test_who_has_run_out_of_time_goes_on_with_what_they_are_given(letters: Correspondence, terms: str) -> None:
    begin(letters, terms)
    letters.run_for(days=5)
    assert "bob has run out of time" in said(letters, "alice")

    letters.reply(letters.last("alice"), "give him 2 days")

    assert "you have 2 days" in said(letters, "bob")
    letters.reply(letters.last("alice"), "claim")
    assert "hasn't run out of time" in said(letters, "alice")
    letters.run_for(days=2)
    assert "bob has run out of time" in said(letters, "alice")
    letters.reply(letters.last("alice"), "claim")
    assert letters.execute("select termination from match") == [("timeout",)]
    assert letters.operate("check").exit_code == 0


@pytest.mark.parametrize(
    ("terms", "line", "sentence"),
    [
        ("time=none", "give 2d", "Match #1 has no time limit."),
        ("time=nag=2d", "give 2d", "Match #1 has no time limit."),
        ("time=5d", "give 8d", '"8d" is too much. Give from 1 hour to 7 days, as in "give 2d".'),
        ("time=5d", "give 999999w", "is too long"),
        ("time=5d", "give 0d", '"0d" is too little.'),
        ("time=5d", "give 30m", '"30m" is too little.'),
        ("time=5d", "give 2y", '"y" is no unit of time; use w, d, h, m.'),
        ("time=5d", "give", "give [NUMBER] 2d"),
    ],
)
def test_what_can_not_be_given_changes_nothing(letters: Correspondence, terms: str, line: str, sentence: str) -> None:
    begin(letters, terms)
    before = letters.execute("select * from match")
    (refused,) = letters.reply(letters.last("alice"), line)

    assert sentence in " ".join(text(refused).split())
    assert letters.execute("select * from match") == before
    assert given(letters) == []


def test_no_more_can_be_given_in_a_match_than_the_cap(letters: Correspondence) -> None:
    begin(letters, "time=5d")
    for _ in range(4):
        letters.reply(letters.last("alice"), "give 1w")
    (refused,) = letters.reply(letters.last("alice"), "give 1h")

    assert "You can give at most 28 days in a match, and that would be more in #1." in " ".join(text(refused).split())
    assert len(given(letters)) == 4
    letters.reply(letters.last("bob"), "give 7d")
    assert len(given(letters)) == 5, "the cap is each player's own"


def test_giving_up_is_no_gift(letters: Correspondence) -> None:
    begin(letters, "time=5d")
    (asked,) = letters.reply(letters.last("alice"), "give up")

    assert "resign" in " ".join(text(asked).split())
    assert given(letters) == []
