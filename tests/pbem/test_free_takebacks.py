"""Turns that are taken back without asking, as both agreed or as the opponent allows, until they are answered."""

from collections.abc import Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

from pbem.matches import agreements
from pbem.server import daemon
from pbem.storage.database import transaction
from pbem.storage.models import Match
from tests.correspondence import Correspondence, correspondence, text

ALICE, BOB = "alice@mail.example", "bob@mail.example"


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    """Begin a match with undo=free in which alice has played e3f4, and it's bob's turn."""
    with correspondence(tmp_path) as letters:
        begin(letters, "undo=free")
        yield letters


def begin(letters: Correspondence, terms: str) -> None:
    letters.match(f"challenge bob quadrature {terms}")
    letters.reply(letters.last("alice"), "e3f4")


def said(letters: Correspondence, name: str) -> str:
    return " ".join(text(letters.last(name)).split())


def turns(letters: Correspondence) -> list[object]:
    assert letters.operate("check").exit_code == 0
    return [turn for (turn,) in letters.execute("select text from ply order by number")]


def test_both_read_of_it_in_the_challenge_and_when_the_match_begins(letters: Correspondence) -> None:
    challenge, *_, begun = (" ".join(text(mail).split()) for mail in letters.received[BOB][2:4])
    for told in (challenge, begun):
        assert "Either of you can take a turn back until it is answered" in told
        assert "undo=free" in told


@pytest.mark.sql
def test_the_last_turn_is_taken_back_and_both_see_the_board_as_it_is(letters: Correspondence) -> None:
    stale = letters.last("bob")
    told = letters.reply(letters.last("alice"), "undo")

    assert turns(letters) == []
    assert sorted(str(mail["To"]) for mail in told) == [ALICE, BOB]
    assert "Taken back, as agreed: e3f4." in said(letters, "alice")
    assert "Taken back, as agreed: e3f4." in said(letters, "bob")
    letters.reply(stale, "e9f8")
    assert "You replied to an older message, and the match has moved on." in said(letters, "bob")
    letters.reply(letters.last("alice"), "b3b4")
    letters.reply(letters.last("bob"), "e9f8")
    assert turns(letters) == ["b3b4", "e9f8"]


@pytest.mark.parametrize(
    ("time", "left"), [("5d+1d", "5 days"), ("5d+1d<=9d", "5 days"), ("5d/1", "5 days"), ("3d/move", "3 days")]
)
def test_nobody_gains_or_loses_time_by_it(tmp_path: Path, time: str, left: str) -> None:
    with correspondence(tmp_path) as letters:
        begin(letters, f"undo=free time={time}")
        letters.run_for(days=2)
        letters.reply(letters.last("alice"), "undo")

        assert f"you have {left}, bob {left}" in said(letters, "alice")
        assert turns(letters) == []


def test_each_turn_once_after_that_the_opponent_is_asked(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), "undo")
    letters.reply(letters.last("alice"), "b3b4")
    letters.reply(letters.last("alice"), "undo")

    assert turns(letters) == ["b3b4"]
    assert "alice has asked to take back b3b4" in said(letters, "bob")


@pytest.mark.parametrize("answer", ["say Hm!", "draw", "show", "if b3b4 then b9b8"])
def test_once_the_opponent_has_written_about_the_match_they_are_asked(letters: Correspondence, answer: str) -> None:
    letters.reply(letters.last("bob"), answer)
    letters.reply(letters.last("alice"), "undo")

    assert turns(letters) == ["e3f4"]
    assert "alice has asked to take back e3f4" in said(letters, "bob")


def test_an_undo_that_crosses_the_answer_is_refused(letters: Correspondence) -> None:
    before = letters.last("alice")
    letters.reply(letters.last("bob"), "e9f8")
    letters.reply(before, "undo")

    assert turns(letters) == ["e3f4", "e9f8"]
    assert "Bob has answered your turn, so it isn't taken back." in said(letters, "alice")
    letters.reply(letters.last("alice"), "undo")
    assert "alice has asked to take back e3f4, e9f8" in said(letters, "bob")


def test_an_answer_that_waits_to_be_handled_counts(letters: Correspondence) -> None:
    """Another thread or daemon may handle it; what comes after the slip was taken back doesn't."""
    before = letters.clock()
    letters.clock.advance(minutes=1)
    with patch.object(daemon.Server, "handle_waiting", return_value=0):
        letters.reply(letters.last("bob"), "e9f8")
    with transaction(letters.server.engine) as session:
        match = session.get_one(Match, 1)
        assert not agreements.may_take_back(session, match, 0, letters.clock())
        assert agreements.may_take_back(session, match, 0, before)


def test_a_turn_that_was_answered_by_itself_is_answered(letters: Correspondence) -> None:
    letters.reply(letters.last("bob"), "e9f8")
    letters.reply(letters.last("bob"), "if b3b4 then b9b8")
    letters.reply(letters.last("alice"), "b3b4")
    letters.reply(letters.last("alice"), "undo")

    assert len(turns(letters)) == 4


@pytest.mark.parametrize(("choice", "left"), [("unanswered", []), ("asked", ["e3f4"])])
def test_a_player_can_allow_it_in_all_matches(tmp_path: Path, choice: str, left: list[str]) -> None:
    with correspondence(tmp_path) as letters:
        begin(letters, "")
        letters.write(BOB, f"set undo {choice}", to=str(letters.received[BOB][1]["Reply-To"]))
        letters.reply(letters.last("alice"), "undo")

        assert turns(letters) == left


def test_what_one_allows_oneself_is_nothing(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters:
        begin(letters, "")
        letters.write(ALICE, "set undo unanswered", to=str(letters.received[ALICE][1]["Reply-To"]))
        letters.reply(letters.received[ALICE][-2], "undo")

        assert turns(letters) == ["e3f4"]


def test_a_rematch_and_a_seek_have_it_too(letters: Correspondence) -> None:
    letters.resign("alice")
    letters.reply(letters.last("bob"), "rematch")
    letters.write(ALICE, "seek kvadratik undo=free", to=str(letters.received[ALICE][1]["Reply-To"]))
    assert "undo=free" in said(letters, "alice")
    letters.write(BOB, "take 1", to=str(letters.received[BOB][1]["Reply-To"]))

    assert letters.execute("select free_undo from match") == [(1,), (1,), (1,)]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("challenge bob quadrature undo=never", "Undo=never is not a choice; use undo=free or undo=asked."),
        ("play quadrature undo=free", "The house agrees to every takeback."),
        ("replay 1#1 bob undo=free", "In a replay, you ask before you take a turn back."),
    ],
)
def test_what_makes_no_sense_is_refused(letters: Correspondence, line: str, sentence: str) -> None:
    letters.write(ALICE, line, to=str(letters.received[ALICE][1]["Reply-To"]))

    assert sentence in said(letters, "alice")
    assert letters.execute("select id from match") == [(1,)]
