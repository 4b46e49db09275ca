"""Matches of Noughts."""

from sqlmodel import Session

from pbem.storage.models import Match
from tests.correspondence import Correspondence

LINE = ("b2", "a1", "b1", "a2")
"""After these turns, b3 completes a line of X."""
MISSING = "This server doesn't have Noughts at present"


def begun(letters: Correspondence, *turns: str) -> None:
    """Let alice and bob play these turns of match #1."""
    letters.match("challenge bob noughts time=3d")
    for number, turn in enumerate(turns):
        letters.reply(letters.last(("alice", "bob")[number % 2]), turn)


def over(letters: Correspondence) -> None:
    """Let alice and bob play a rated match to its end."""
    letters.match("challenge bob noughts rated")
    for number, turn in enumerate((*LINE, "b3")):
        letters.reply(letters.last(("alice", "bob")[number % 2]), turn)


def stored(letters: Correspondence) -> Match:
    """Return match #1."""
    with Session(letters.server.engine) as session:
        return session.get_one(Match, 1)
