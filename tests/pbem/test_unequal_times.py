"""Different times for the two players: who has which is said in words, and stays with them."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from notation import time_control
from notation.time_control import BadTime, parse
from tests.correspondence import Correspondence, correspondence, text

ALICE, BOB = "alice@mail.example", "bob@mail.example"


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    with correspondence(tmp_path) as letters:
        yield letters


def said(letters: Correspondence, name: str) -> str:
    return " ".join(text(letters.last(name)).split())


def write(letters: Correspondence, address: str, line: str) -> None:
    letters.write(address, line, to=str(letters.received[address][1]["Reply-To"]))


def by_name(letters: Correspondence) -> list[dict[str, str]]:
    """Return how much time each player has in each match as the row of the match says it."""
    rows = letters.execute("select seat0, seat1, time from match order by id")
    names = {seat: str(name) for seat, name in letters.execute("select id, name from player")}
    return [
        {names[seat]: time_control.format_control(side) for seat, side in zip(seats, both(str(time)), strict=True)}
        for *seats, time in rows
    ]


def both(time: str) -> tuple[time_control.TimeControl, time_control.TimeControl]:
    control = parse(time)
    return replace(control, second=None), control.of(1)


@pytest.mark.sql
@pytest.mark.parametrize("begin", ["me", "you"])
def test_the_first_is_the_challenger_s_whoever_begins(letters: Correspondence, begin: str) -> None:
    letters.match(f"challenge bob quadrature time=10d/3d begin={begin}")

    words = "alice: 10 days for the whole match; bob: 3 days for the whole match"
    other_way = "bob: 3 days for the whole match; alice: 10 days for the whole match"
    challenge, answer = letters.received[BOB][2], letters.received[ALICE][2]
    for mail in (challenge, answer):
        told = " ".join(text(mail).split())
        assert words in told or other_way in told
    assert by_name(letters) == [{"alice": "10d", "bob": "3d"}]
    assert "you have 10 days, bob 3 days" in said(letters, "alice")
    assert "you have 3 days, alice 10 days" in said(letters, "bob")
    assert letters.operate("check").exit_code == 0


def test_each_clock_runs_by_its_own_time(letters: Correspondence) -> None:
    letters.match("challenge bob quadrature time=9d/3d/move")
    letters.reply(letters.last("alice"), "e3f4")
    letters.reply(letters.last("bob"), "e9f8")
    letters.run_for(days=4)
    letters.reply(letters.received[ALICE][-1], "b3b4")
    assert letters.execute("select plies from match") == [(3,)]
    letters.run_for(days=3)

    assert "bob has run out of time" in said(letters, "alice")
    assert letters.operate("check").exit_code == 0


def test_a_rematch_keeps_each_player_s_time(letters: Correspondence) -> None:
    letters.match("challenge bob quadrature time=10d+1d/3d")
    letters.resign("alice")
    letters.reply(letters.last("bob"), "rematch")

    assert by_name(letters) == [{"alice": "10d+1d", "bob": "3d"}] * 2


@pytest.mark.parametrize("begin", ["me", "you"])
def test_of_a_seek_the_first_is_the_seeker_s(letters: Correspondence, begin: str) -> None:
    letters.match("challenge bob quadrature time=10d")
    write(letters, BOB, f"seek kvadratik time=10d/3d begin={begin}")
    write(letters, ALICE, "seeks")
    assert "the one who offers it: 10 days for the whole match; the other: 3 days" in said(letters, "alice")
    write(letters, ALICE, "take 1")

    assert by_name(letters)[1] == {"bob": "10d", "alice": "3d"}


@pytest.mark.parametrize("begin", ["me", "you"])
def test_of_a_replay_the_first_is_the_challenger_s(letters: Correspondence, begin: str) -> None:
    letters.match("challenge bob quadrature")
    letters.reply(letters.last("alice"), "e3f4")
    write(letters, BOB, f"replay 1#1 alice time=10d/3d begin={begin}")

    assert by_name(letters)[1] == {"bob": "10d", "alice": "3d"}


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("challenge bob quadrature time=10d/0d", "0m is out of range: 1h to 3650d."),
        ("challenge bob quadrature time=0d/3d", "0m is out of range: 1h to 3650d."),
        ("challenge bob quadrature time=10d/3y", 'we expected "move", a number of turns or a time, not "3y".'),
        ("challenge bob quadrature time=10d/3d/2d", "we expected"),
    ],
)
def test_times_that_make_no_sense_are_refused(letters: Correspondence, line: str, sentence: str) -> None:
    letters.join("alice")
    letters.join("bob")
    write(letters, ALICE, line)

    assert sentence in said(letters, "alice")
    assert letters.execute("select id from match") == []


@pytest.mark.parametrize(
    "text_", ["10d/3d", "14d+1d<=21d/7d", "90d/30d/20", "3d/1d/move", "60d/30d,7d/2d/move,nag=1d,auto"]
)
def test_what_is_written_reads_as_the_same(text_: str) -> None:
    control = parse(text_)

    assert time_control.format_control(control) == text_
    assert control.swapped.swapped == control
    assert parse(time_control.format_control(control.swapped)) == control.swapped


def test_limits_of_different_kinds_are_no_time_control() -> None:
    with pytest.raises(BadTime):
        parse("10d/3d/1d")
