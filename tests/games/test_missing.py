"""A match whose game isn't there: it stops, everything else goes on, and it goes on once the game is back."""

from datetime import timedelta
from typing import Any

import pytest
from pbem_noughts import NOUGHTS as PACK
from sqlmodel import Session

from pbem.matches.clock import timekeeping
from pbem.storage.models import Match
from tests.correspondence import Correspondence, text
from tests.games.conftest import WITH_TIME, Offered

PLAYERS = ["alice@mail.example", "bob@mail.example"]
MISSING = "This server doesn't have Noughts at present"


def begun(letters: Correspondence, *turns: str, challenge: str = WITH_TIME) -> None:
    """Let alice and bob play these turns of match #1."""
    letters.match(challenge)
    for number, turn in enumerate(turns):
        letters.reply(letters.last(("alice", "bob")[number % 2]), turn)


def stored(letters: Correspondence) -> Match:
    """Return match #1."""
    with Session(letters.server.engine) as session:
        return session.get_one(Match, 1)


def left(letters: Correspondence) -> timedelta | None:
    """Return how much time the player to move has."""
    match = stored(letters)
    clock = timekeeping.clock_of(match)
    assert clock is not None
    assert match.to_move is not None
    return clock.at(letters.clock()).left(1 if match.to_move else 0)


def said(mail: Any) -> str:
    """Return what a message says, in one line."""
    return " ".join(text(mail).split())


def test_both_players_are_told_once_when_it_stops_and_when_it_goes_on(
    letters: Correspondence, noughts: Offered
) -> None:
    begun(letters, "b2")
    noughts.remove()
    told = letters.wait(minutes=1)
    assert sorted(str(mail["To"]) for mail in told) == PLAYERS
    for mail in told:
        assert "stopped" in str(mail["Subject"])
        assert MISSING in said(mail)
    assert letters.wait(days=30) == []
    noughts.install(PACK)
    back = letters.wait(minutes=1)
    assert sorted(str(mail["To"]) for mail in back) == PLAYERS
    assert all("the match goes on" in said(mail) for mail in back)
    letters.reply(letters.last("bob"), "a1")
    assert "bob played a1" in text(letters.last("alice"))


def test_nobody_loses_time_while_it_has_stopped(letters: Correspondence, noughts: Offered) -> None:
    begun(letters, "b2")
    letters.run_for(hours=5)
    noughts.remove()
    letters.run_for(minutes=1)
    before = left(letters)
    letters.run_for(days=2)
    assert (stored(letters).due, stored(letters).remind) == (None, None)
    letters.run_for(days=5)
    noughts.install(PACK)
    letters.run_for(minutes=1)
    assert left(letters) == before
    assert stored(letters).due == letters.clock() + before if before is not None else None
    letters.run_for(days=3)
    assert "you can claim" in str(letters.last("alice")["Subject"])
    assert "0 problems" in letters.operate("check").stdout


def test_a_pause_that_ends_meanwhile_is_over_when_it_goes_on(letters: Correspondence, noughts: Offered) -> None:
    begun(letters, "b2")
    letters.reply(letters.last("alice"), "pause 3d")
    letters.reply(letters.last("bob"), "accept pause")
    before = left(letters)
    noughts.remove()
    letters.run_for(minutes=1)
    letters.run_for(days=6)
    assert left(letters) == before
    noughts.install(PACK)
    letters.run_for(minutes=1)
    assert left(letters) == before
    letters.run_for(hours=1)
    assert before is not None
    assert left(letters) == before - timedelta(hours=1)


@pytest.mark.parametrize(
    ("name", "line"),
    [("bob", line) for line in ("a1", "preview a1", "draw", "replay alice", "move a1\nresign")]
    + [("alice", "if a1 then a2"), ("alice", "show 1#0\npreview a1")],
)
def test_what_needs_the_game_is_refused_with_a_sentence(
    letters: Correspondence, noughts: Offered, name: str, line: str
) -> None:
    begun(letters, "b2")
    noughts.remove()
    letters.wait(minutes=1)
    (answer,) = letters.reply(letters.last(name), line)
    assert str(answer["To"]) == f"{name}@mail.example"
    assert "a match of Noughts, which this server doesn't have" in said(answer)
    assert "Nothing was done" in said(answer)
    assert len(letters.execute("select id from ply")) == 1


def test_a_message_in_which_nothing_is_read_hears_of_it_too(letters: Correspondence, noughts: Offered) -> None:
    begun(letters, "b2")
    noughts.remove()
    letters.wait(minutes=1)
    (answer,) = letters.reply(letters.last("bob"), "x9")
    assert "a match of Noughts, which this server doesn't have" in said(answer)


def test_what_needs_no_rules_still_works(letters: Correspondence, noughts: Offered) -> None:
    begun(letters, "b2")
    noughts.remove()
    letters.wait(minutes=1)
    letters.reply(letters.last("bob"), "show")
    assert "1  b2" in text(letters.last("bob"))
    assert "The board can't be shown" in said(letters.last("bob"))
    letters.reply(letters.last("bob"), "record")
    assert "1. alice: b2" in text(letters.last("bob"))
    letters.reply(letters.last("bob"), "say Hello there")
    assert "Hello there" in text(letters.last("alice"))
    letters.reply(letters.last("bob"), "games")
    assert "stopped" in text(letters.last("bob"))
    letters.resign("bob")
    assert "bob resigned" in text(letters.last("alice"))
    assert stored(letters).missing is None
    noughts.install(PACK)
    assert letters.wait(days=1) == []
    letters.reply(letters.last("alice"), "show")
    assert "X" in text(letters.last("alice"))


@pytest.mark.parametrize("face", ["text", "html"])
def test_a_message_that_waits_goes_out_without_the_board(letters: Correspondence, noughts: Offered, face: str) -> None:
    begun(letters)
    letters.reply(letters.last("alice"), "b2")
    letters.execute(
        "update outgoing set state = 'owed', sent = null, attempts = 0"
        " where template = 'turn' and player = (select id from player where name = 'bob')"
    )
    noughts.remove()
    again = [mail for mail in letters.wait(minutes=1) if str(mail["To"]) == "bob@mail.example"]
    *_, first = (mail for mail in again if "stopped" not in str(mail["Subject"]))
    body = first.get_body(("plain" if face == "text" else face,))
    assert body is not None
    assert "alice played" in " ".join(body.get_content().split())
    assert "be shown while the game" in body.get_content()
    assert letters.execute("select template, address, attempts, due, error from outgoing where state = 'owed'") == []
