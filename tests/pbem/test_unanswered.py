"""Challenges that nobody answers: they end after two weeks, and their challengers are told."""

import pytest

from pbem.matches.lifecycle import OFFER_OPEN
from tests import scenes
from tests.correspondence import Correspondence, said


def two_offers(letters: Correspondence) -> None:
    """Let alice challenge bob, and invite somebody."""
    scenes.two_players(letters)
    letters.say("alice", "challenge bob quadrature")
    letters.say("alice", "challenge carol@mail.example kvadratik")


pytestmark = scenes.after(two_offers)
STATES = "select state from match order by id"


def test_it_ends_and_only_the_challenger_is_told_once(letters: Correspondence) -> None:
    for name in ("bob", "carol"):
        assert f"stands for {OFFER_OPEN.days} days" in said(letters.last(name))
    assert letters.run_for(days=13, hours=23) == []
    assert letters.rows(STATES) == ["offered", "offered"]

    first, second = letters.run_for(hours=1)

    assert letters.rows(STATES) == ["withdrawn", "withdrawn"]
    assert {str(mail["To"]) for mail in (first, second)} == {"alice@mail.example"}
    assert "[pbem #1, unanswered]" in str(first["Subject"])
    assert "bob hasn't answered challenge #1 (Quadrature) in 14 days, so it has ended." in said(first)
    assert "carol@mail.example hasn't answered challenge #2" in said(second)
    assert letters.run_for(days=30) == []
    letters.reply(letters.last("bob"), "accept")
    assert letters.rows(STATES) == ["withdrawn", "withdrawn"]
    assert "Match #1 is no longer open" in said(letters.last("bob"))


def test_an_answer_that_waits_to_be_handled_counts(letters: Correspondence, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as busy:
        busy.setattr(type(letters.server), "handle_waiting", lambda *_, **__: 0)
        letters.reply(letters.last("bob"), "accept")
        letters.run_for(days=15)
    assert letters.rows(STATES) == ["offered", "withdrawn"]

    letters.wait()

    assert letters.rows(STATES) == ["running", "withdrawn"]


def test_news_that_a_player_collects_tell_of_it_too(letters: Correspondence) -> None:
    letters.say("alice", "set mail daily")
    letters.run_for(days=14)
    (digest,) = letters.run_for(days=1)

    assert "bob hasn't answered the challenge in 14 days, so it has ended." in said(digest)
