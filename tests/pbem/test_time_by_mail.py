"""Time controls by mail: how they are agreed on, what players are told, and what is stored."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.correspondence import Correspondence, correspondence, text

ALICE, BOB, CAROL = "alice@mail.example", "bob@mail.example", "carol@mail.example"
IN_WORDS = "14 days each, plus 1 day for each turn, up to 14 days"


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    """Let alice and bob join."""
    with correspondence(tmp_path) as letters:
        letters.join("alice")
        letters.join("bob")
        yield letters


def challenge(letters: Correspondence, words: str) -> None:
    letters.reply(letters.received[ALICE][1], f"challenge {words}")


def controls(letters: Correspondence) -> list[object]:
    return [time for (time,) in letters.execute("select time from match order by id")]


@pytest.mark.parametrize(
    ("words", "stored"),
    [
        ("time=14d+1d", "14d+1d"),
        ("TIME=2w+1D<=3w", "14d+1d<=21d"),
        ("time=90d/20", "90d/20"),
        ("time=none", None),
        ("", None),
        ("--totaltime=365 --forfeittime=21 --nagtime=7", "365d,21d/move,nag=7d"),
        ("--forfeittime=0", None),
        ("time=3d/move,auto", "3d/move,auto"),
    ],
)
def test_a_challenge_has_a_time_control(letters: Correspondence, words: str, stored: str | None) -> None:
    challenge(letters, f"bob quadrature {words} begin=you")

    assert controls(letters) == [stored]
    assert ("Time:" in text(letters.last("bob"))) == (stored is not None)


def test_both_players_read_it_before_it_is_accepted(letters: Correspondence) -> None:
    challenge(letters, "bob quadrature time=14d+1d")

    for name in ("alice", "bob"):
        told = letters.last(name)
        html = told.get_body(("html",))
        assert IN_WORDS in text(told)
        assert html is not None
        assert IN_WORDS in html.get_content()


def test_who_is_invited_reads_it_before_accepting(letters: Correspondence) -> None:
    challenge(letters, f"{CAROL} quadrature time=14d+1d")

    assert f"There is a limit: {IN_WORDS}." in " ".join(text(letters.last("carol")).split())


def test_a_rematch_has_the_same(letters: Correspondence) -> None:
    challenge(letters, "bob quadrature time=14d+1d")
    letters.reply(letters.last("bob"), "accept")
    letters.resign("alice")
    letters.reply(letters.last("alice"), "rematch")

    assert controls(letters) == ["14d+1d", "14d+1d"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("time=14y", '"y" is no unit of time; use w, d, h, m.'),
        ("time=soon", '"soon" is no time. For example "14d+1d", "3d/move", "90d/20" or "none".'),
        ("time=5m", "5m is out of range: 1h to 3650d."),
        ("time=auto", '"auto" needs a limit. For example'),
        ("time=3d/move --forfeittime=3", '"time=3d/move" and "--forfeittime" say the same; use one of them.'),
        ("--nagtime=soon", '"--nagtime=soon" needs a number of days.'),
    ],
)
def test_what_is_no_time_control_changes_nothing(letters: Correspondence, words: str, told: str) -> None:
    challenge(letters, f"bob quadrature {words}")

    assert controls(letters) == []
    assert told in " ".join(text(letters.last("alice")).split())


def test_the_configuration_can_have_another_default(tmp_path: Path) -> None:
    with correspondence(tmp_path, server='time = "2w/move"') as letters:
        letters.join("alice")
        letters.join("bob")
        challenge(letters, "bob quadrature")
        challenge(letters, "bob quadrature time=none")

        assert controls(letters) == ["14d/move", None]
