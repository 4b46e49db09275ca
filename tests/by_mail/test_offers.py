"""Offers in a match, by mail: with a turn, of a draw and a rematch, and turns taken back."""

import pytest

from tests import scenes
from tests.correspondence import Correspondence, said, text, to


@pytest.mark.slow
@scenes.after(scenes.match, "challenge bob quadrature")
@pytest.mark.parametrize("words", ["draw\ne3f4", "e3f4\ndraw"])
def test_an_offer_goes_in_one_message_with_its_turn(letters: Correspondence, words: str) -> None:
    sent = letters.reply(letters.last("alice"), words)

    (told,) = to(sent, "bob")
    assert "alice played e3f4." in text(told)
    assert "alice has offered a draw." in text(told)
    assert 'Reply "accept draw" or "reject draw"' in text(told)
    assert len(to(sent, "alice")) == 1

    (question,) = letters.reply(told, "accept draw")
    letters.reply(question, "yes")
    assert letters.rows("select termination from match") == ["agreement"]


@scenes.after(scenes.match, "challenge bob quadrature")
def test_an_offer_with_a_turn_that_is_refused_is_not_made(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), "draw\ne3f9")

    assert letters.rows("select offers from match")[0] in ("{}", {})
    assert letters.played == []


@scenes.after(scenes.match, "challenge bob quadrature")
def test_a_rematch_that_both_offer_begins_once_with_the_seats_exchanged(letters: Correspondence) -> None:
    letters.resign("alice")
    over = letters.last("bob")
    letters.reply(over, "rematch")
    (again,) = letters.reply(over, "rematch")
    assert "already offered a rematch: match #2" in said(again)

    letters.reply(letters.received["alice@mail.example"][-2], "rematch")

    first, second = letters.rows("select seat0, seat1, game, state from match order by id")
    assert second == (first[1], first[0], "quadrature", "running")


@scenes.after(scenes.match, "challenge bob quadrature undo=free")
def test_the_last_turn_is_taken_back_as_agreed_and_an_answer_to_it_plays_nothing(letters: Correspondence) -> None:
    begun = letters.last("bob")
    assert "Either of you can take a turn back until it is answered" in said(begun)
    letters.reply(letters.last("alice"), "e3f4")
    stale = letters.last("bob")

    told = letters.reply(letters.last("alice"), "undo")

    assert letters.played == []
    for name in ("alice", "bob"):
        assert "Taken back, as agreed: e3f4." in said(*to(told, name))
    (refused,) = letters.reply(stale, "e9f8")
    assert "You replied to an older message, and the match has moved on." in said(refused)
    assert letters.played == []


@scenes.after(scenes.match, "challenge bob quadrature time=3d/move")
def test_both_are_told_of_time_that_one_gives(letters: Correspondence) -> None:
    for name, turn in (("alice", "e3f4"), ("bob", "e9f8"), ("alice", "b3b4")):
        letters.reply(letters.last(name), turn)

    told = letters.reply(letters.last("alice"), "give 2d\n\nGet well soon!")

    (hers,), (his,) = to(told, "alice"), to(told, "bob")
    assert "bob 5 days" in said(hers)
    assert "You gave bob 2 days." in said(hers)
    assert "alice gave you 2 days." in said(his)
    assert "Get well soon!" in said(his)
    assert "time given" in str(his["Subject"])
