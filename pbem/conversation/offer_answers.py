"""A plain yes or no in reply to a challenge, an invitation, or an offer in a match: `accept` or `decline`."""

from collections.abc import Sequence

from sqlmodel import Session

from pbem.conversation.suggested_yes import YES, first_line
from pbem.matches.events import Change
from pbem.matches.queries import seat_of
from pbem.players.identity import Sender
from pbem.storage.models import Match, MatchState, Outgoing

OFFERS = ("challenge", "invitation")
"""The messages that offer a match."""
AGREEING = YES | {"accept", "accepted", "absolutely", "certainly", "definitely", "gladly", "course", "pleasure", "love"}
"""Each of these words says yes where nothing beside it says anything else."""
DECLINING = frozenset(
    {"n", "no", "nope", "nah", "decline", "declined", "reject", "pass", "not-interested", "rather-not"}
    | {"nein", "nee", "nej", "non", "nie", "não", "нет"}
)
"""Each of these says no."""
FILLING = frozenset(
    {
        "a",
        "all",
        "an",
        "and",
        "again",
        "be",
        "challenge",
        "count",
        "danke",
        "delighted",
        "for",
        "fun",
        "game",
        "glad",
        "go",
    }
    | {"great", "happy", "happily", "i", "i'd", "i'll", "i'm", "im", "in", "invitation", "it", "let's", "lets", "like"}
    | {
        "match",
        "me",
        "merci",
        "now",
        "of",
        "on",
        "play",
        "please",
        "ready",
        "sounds",
        "thank",
        "thanks",
        "that",
        "that's",
    }
    | {"the", "then", "this", "to", "today", "try", "very", "with", "would", "you", "your"}
)
"""Words that may stand beside a yes."""
REGRETTING = frozenset(
    {"a", "able", "afraid", "all", "at", "busy", "but", "can't", "cannot", "challenge", "danke", "do", "don't", "for"}
    | {
        "game",
        "i",
        "i'd",
        "i'll",
        "i'm",
        "im",
        "interested",
        "invitation",
        "it",
        "like",
        "match",
        "merci",
        "moment",
        "not",
    }
    | {
        "now",
        "offer",
        "play",
        "right",
        "sorry",
        "thank",
        "thanks",
        "that",
        "the",
        "this",
        "time",
        "to",
        "today",
        "very",
    }
    | {"want", "would", "you", "your"}
)
"""Words that may stand beside a no."""
MOST_WORDS = 8
"""A longer line says something else as well."""


def agrees(lines: Sequence[str]) -> bool:
    """Return whether the first line accepts, and says nothing else.

    >>> [agrees([line]) for line in ("Yes, gladly!", "I accept!", "ok", "Sure, I'd love to.", "Yes, but not now")]
    [True, True, True, True, False]
    """
    return _says(lines, AGREEING, FILLING)


def declines(lines: Sequence[str]) -> bool:
    """Return whether the first line declines, and says nothing else.

    >>> [declines([line]) for line in ("no thanks", "No, thank you.", "Sorry, not interested", "No idea what this is")]
    [True, True, True, False]
    """
    return _says(lines, DECLINING, REGRETTING)


def answered_with(session: Session, sender: Sender, answered: Outgoing | None, lines: Sequence[str]) -> str | None:
    """Return the command that such a reply stands for; None if nothing is offered to the sender, or it says more."""
    verb = answer(lines)
    if verb is None or (answered is not None and answered.proposal is not None):
        return None
    match = session.get(Match, sender.match) if sender.match else None
    if match is None or sender.player is None or seat_of(match, sender.player) is None:
        return None
    if answered is not None and answered.template == "offer" and answered.payload.get("change") == Change.MADE:
        return f"{verb} {answered.payload['kind']}"
    if match.challenger == sender.player.id:
        return None
    if match.state != MatchState.OFFERED and (answered is None or answered.template not in OFFERS):
        return None
    return verb


def answer(lines: Sequence[str]) -> str | None:
    """Return the command that the first line comes to if it accepts or declines something; None if it says more."""
    if agrees(lines):
        return "accept"
    return "decline" if declines(lines) else None


def _says(lines: Sequence[str], meaning: frozenset[str], beside: frozenset[str]) -> bool:
    line = first_line(lines).casefold().replace("\u2019", "'")
    line = line.replace("not interested", "not-interested").replace("rather not", "rather-not")
    words = [bare for word in line.split() if (bare := word.strip(".,;:!\"'*_`()"))]
    if not 0 < len(words) <= MOST_WORDS:
        return False
    return not meaning.isdisjoint(words) and meaning.union(beside).issuperset(words)
