"""Scenes with the house, and matches that it looks at."""

from dataclasses import replace
from pathlib import Path

from pbem.features.house.searcher import Searcher
from pbem.storage.database import transaction
from pbem.storage.models import Match
from tests.contests import play
from tests.correspondence import Correspondence

_PLAYED = Path(__file__).parent.parent / "playthroughs" / "quadrupel.txt"
TURNS = tuple(line[8:] for line in _PLAYED.read_text(encoding="utf-8").splitlines() if line.startswith("played: "))
"""A match of Quadrupel that the second player wins."""
WON, OPEN = 29, 30
"""After how many turns of it the second player wins by force, and after how many nothing is certain."""


def challenged(letters: Correspondence, words: str = "challenge house kvadratik level=1") -> None:
    """Let alice join and begin a match with the house."""
    letters.join("alice")
    letters.say("alice", words)


def begun(letters: Correspondence) -> None:
    """Let alice and the house set up."""
    letters.play(challenged)
    letters.reply(letters.last("alice"), "setup +x+x")


def over(letters: Correspondence) -> None:
    """Let alice and bob play four turns; then alice resigns."""
    letters.match("challenge bob kvadratik")
    for name, turn in (("alice", "setup +x+x"), ("bob", "setup ++++"), ("alice", "a4a3"), ("bob", "b1b2")):
        letters.reply(letters.last(name), turn)
    letters.resign("alice")


def proofs(letters: Correspondence, turns: str = str(WON)) -> None:
    """Let alice and bob agree on proofs, and play that many turns; bob is the second player."""
    letters.match("challenge bob quadrupel proofs=on")
    with transaction(letters.server.engine) as session:
        for turn in TURNS[: int(turns)]:
            play(session, session.get_one(Match, 1), turn, letters.clock())


def searching(letters: Correspondence, searcher: Searcher) -> None:
    """Let the server search with that searcher."""
    letters.server = replace(letters.server, thinker=replace(letters.server.thinker, searcher=searcher))
