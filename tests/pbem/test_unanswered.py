"""Challenges that nobody answers: they end after two weeks, and their challengers are told."""

from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

from pbem.matches.lifecycle import OFFER_OPEN
from pbem.server import daemon
from tests.correspondence import Correspondence, correspondence, text

ALICE, BOB, CAROL = "alice@mail.example", "bob@mail.example", "carol@mail.example"


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    """Let alice challenge bob, and invite somebody."""
    with correspondence(tmp_path) as letters:
        for name in ("alice", "bob"):
            letters.join(name)
        for opponent, game in (("bob", "quadrature"), (CAROL, "kvadratik")):
            letters.write(ALICE, f"challenge {opponent} {game}", to=personal(letters, ALICE))
        yield letters


def personal(letters: Correspondence, address: str) -> str:
    return str(letters.received[address][1]["Reply-To"])


def said(letters: Correspondence, name: str) -> str:
    return " ".join(text(letters.last(name)).split())


def states(letters: Correspondence) -> list[object]:
    return [state for (state,) in letters.execute("select state from match order by id")]


def test_it_ends_and_only_the_challenger_is_told_once(letters: Correspondence) -> None:
    assert f"stands for {OFFER_OPEN.days} days" in said(letters, "bob")
    assert f"stands for {OFFER_OPEN.days} days" in said(letters, "carol")
    assert letters.run_for(days=13, hours=23) == []
    assert states(letters) == ["offered", "offered"]

    told = letters.run_for(hours=1)

    assert states(letters) == ["withdrawn", "withdrawn"]
    assert [str(mail["To"]) for mail in told] == [ALICE, ALICE]
    assert "[pbem #1, unanswered]" in str(told[0]["Subject"])
    assert "bob hasn't answered challenge #1 (Quadrature) in 14 days, so it has ended." in " ".join(
        text(told[0]).split()
    )
    assert f"{CAROL} hasn't answered challenge #2" in " ".join(text(told[1]).split())
    assert letters.run_for(days=30) == []


def test_whoever_accepts_too_late_reads_that_it_is_not_on_offer(letters: Correspondence) -> None:
    letters.run_for(days=15)
    letters.reply(letters.last("bob"), "accept")

    assert states(letters) == ["withdrawn", "withdrawn"]
    assert "Match #1 is no longer open" in said(letters, "bob")


def test_an_answer_that_waits_to_be_handled_counts(letters: Correspondence) -> None:
    with patch.object(daemon.Server, "handle_waiting", return_value=0):
        letters.reply(letters.last("bob"), "accept")
        letters.run_for(days=15)
    assert states(letters) == ["offered", "withdrawn"]

    letters.wait()

    assert states(letters) == ["running", "withdrawn"]


def test_news_that_a_player_collects_tell_of_it_too(letters: Correspondence) -> None:
    letters.write(ALICE, "set mail daily", to=personal(letters, ALICE))
    letters.run_for(days=14)
    (digest,) = letters.run_for(days=1)

    assert "bob hasn't answered the challenge in 14 days, so it has ended." in " ".join(text(digest).split())
