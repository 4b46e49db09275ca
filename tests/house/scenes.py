"""Scenes with the house, and matches that it looks at."""

from dataclasses import replace

from pbem.features.house.search_process import Searcher
from tests.correspondence import Correspondence


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


def searching(letters: Correspondence, searcher: Searcher) -> None:
    """Let the server search with that searcher."""
    letters.server = replace(letters.server, thinker=replace(letters.server.thinker, searcher=searcher))
