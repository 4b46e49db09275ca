"""`replay 42#7 bob`: a new match that begins at a position of another one."""

import re

import pytest

from notation import record
from pbem.matches import integrity
from pbem.storage.database import transaction
from pbem.storage.models import Match
from tests import scenes
from tests.correspondence import Correspondence, said, text

pytestmark = [pytest.mark.sql, scenes.after(scenes.two_turns)]

ALICE, BOB = "alice@mail.example", "bob@mail.example"
TURNS = ["1 a7b7 i3i2", "c1d1 g9h9 2 d1f1 h9h7"]


def wrote(letters: Correspondence, name: str, words: str) -> str:
    """Let a player write to their personal address; return the reply to them."""
    address = f"{name}@mail.example"
    mails = letters.say(name, words)
    return "\n".join(text(mail) for mail in mails if mail["To"] == address)


def turns(letters: Correspondence, match: int) -> list[object]:
    return letters.rows(f"select text from ply where match = {match} order by number")


def rows(letters: Correspondence, match: int, columns: str) -> tuple[object, ...]:
    ((*found,),) = letters.execute(f"select {columns} from match where id = {match}")
    return tuple(found)


def test_it_is_offered_and_accepted_like_any_challenge(letters: Correspondence) -> None:
    wrote(letters, "alice", "replay 1#1 bob")
    challenge = said(letters.last("bob"))
    assert challenge.startswith(
        "alice challenges you to Quadraphages Match #2, first=x, begins after turn 1 of match #1"
    )
    assert "alice moves first" in challenge
    assert re.search(r"\bx\b", challenge.partition("moves first.")[2])  # a mark on a7, which the first turn left

    letters.reply(letters.last("bob"), "accept")

    assert rows(letters, 2, "state, plies, begun_from, begun_after, to_move, rated") == ("running", 1, 1, 1, 1, 0)
    assert turns(letters, 2) == TURNS[:1]
    assert rows(letters, 2, "seat1") == letters.execute("select id from player where name = 'alice'")[0]
    letters.reply(letters.last("alice"), TURNS[1])
    assert turns(letters, 2) == TURNS
    with transaction(letters.server.engine) as session:
        assert list(integrity.faults(session, [session.get_one(Match, 2)])) == [[]]


def test_the_position_cannot_be_taken_back(letters: Correspondence) -> None:
    wrote(letters, "alice", "replay 1 bob")
    letters.reply(letters.last("bob"), "accept")
    for name in ("alice", "bob"):
        (answer,) = letters.reply(letters.last(name), "undo")
        assert "haven't played" in text(answer) or "no turn" in text(answer), text(answer)
    assert turns(letters, 2) == TURNS
    (shown,) = letters.reply(letters.last("alice"), "record 2")
    assert "Began: after turn 2 of match #1" in text(shown)
    (file,) = (part for part in shown.iter_attachments() if part.get_content_type() == "text/plain")
    assert record.loads(str(file.get_content())).began == "after turn 2 of match #1"


def test_from_turn_0_it_is_a_match_from_the_beginning(letters: Correspondence) -> None:
    letters.execute("update match set state = 'over', termination = 'resignation', winner = 0, to_move = null")
    wrote(letters, "bob", "replay 1#0 alice begin=you")
    letters.reply(letters.last("alice"), "accept")
    assert rows(letters, 2, "plies, begun_from, begun_after, to_move") == (0, None, 0, 0)
    assert rows(letters, 2, "seat0") == letters.execute("select id from player where name = 'alice'")[0]
