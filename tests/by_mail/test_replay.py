"""`replay 42#7 bob`: a new match that begins at a position of another one."""

import re

import pytest

from notation import record
from pbem.matches import integrity
from pbem.storage.database import transaction
from pbem.storage.models import Match
from tests import scenes
from tests.correspondence import Correspondence, said, text

pytestmark = scenes.after(scenes.two_turns)
TURNS = ["1 a7b7 i3i2", "c1d1 g9h9 2 d1f1 h9h7"]


def turns(letters: Correspondence) -> list[object]:
    return letters.rows("select text from ply where match = 2 order by number")


def test_it_is_offered_and_accepted_like_any_challenge(letters: Correspondence) -> None:
    letters.say("alice", "replay 1#1 bob")
    challenge = said(letters.last("bob"))
    assert challenge.startswith(
        "alice challenges you to Quadraphages Match #2, first=x, begins after turn 1 of match #1"
    )
    assert re.search(r"\bx\b", challenge.partition("alice moves first.")[2])  # a mark on a7, which the turn left

    letters.reply(letters.last("bob"), "accept")

    columns = "state, plies, begun_from, begun_after, to_move, rated, player.name"
    found = letters.execute(f"select {columns} from match join player on player.id = seat1 where match.id = 2")
    assert found == [("running", 1, 1, 1, 1, 0, "alice")]
    assert turns(letters) == TURNS[:1]
    letters.reply(letters.last("alice"), TURNS[1])
    assert turns(letters) == TURNS
    with transaction(letters.server.engine) as session:
        assert list(integrity.faults(session, [session.get_one(Match, 2)])) == [[]]


@pytest.mark.slow
def test_the_position_cannot_be_taken_back(letters: Correspondence) -> None:
    letters.say("alice", "replay 1 bob")
    letters.reply(letters.last("bob"), "accept")
    for name in ("alice", "bob"):
        (answer,) = letters.reply(letters.last(name), "undo")
        assert "haven't played" in text(answer) or "no turn" in text(answer), text(answer)
    assert turns(letters) == TURNS
    (shown,) = letters.reply(letters.last("alice"), "record 2")
    assert "Began: after turn 2 of match #1" in text(shown)
    (file,) = (part for part in shown.iter_attachments() if part.get_content_type() == "text/plain")
    assert record.loads(str(file.get_content())).began == "after turn 2 of match #1"


@pytest.mark.slow
def test_from_turn_0_it_is_a_match_from_the_beginning(letters: Correspondence) -> None:
    letters.execute("update match set state = 'over', termination = 'resignation', winner = 0, to_move = null")
    letters.say("bob", "replay 1#0 alice begin=you")
    letters.reply(letters.last("alice"), "accept")

    columns = "plies, begun_from, begun_after, to_move, player.name"
    found = letters.execute(f"select {columns} from match join player on player.id = seat0 where match.id = 2")
    assert found == [(0, None, 0, 0, "alice")]
