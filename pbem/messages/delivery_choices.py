"""Which kinds of messages can be chosen apart, and how each reaches its player: that is decided here alone."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pbem.storage.preference_definition import OFF, ON, Preference

MAIL, SAME, WEEKLY = "mail", "same", "weekly"
OWN = Preference(
    MAIL,
    ("each", "batch", "daily"),
    "when news comes: at once, every few minutes, or once a day; your time doesn't wait for it; "
    '"for 42" behind it is about that match alone',
)
SPECTATING = Preference(
    "spectating",
    (SAME, "each", "batch", "daily", WEEKLY, OFF),
    'when you get news of matches that you watch; "same" is as "mail" says',
)
TOURNAMENTS = Preference(
    "tournaments", (ON, OFF), "whether you get news of tournaments besides that of your matches in them"
)


@dataclass(frozen=True, slots=True)
class Kind:
    stop: str  # what the player writes to get no more of it
    templates: frozenset[str] = frozenset()


MATCHES = Kind("stop")  # whatever is of no other kind
WATCHED = Kind("stop spectating", frozenset({"watched"}))
OF_TOURNAMENTS = Kind("stop tournaments", frozenset({"round", "rung", "tournament_over"}))
KINDS = (MATCHES, WATCHED, OF_TOURNAMENTS)
"""A token of one click names a kind by its place here: new ones go to the end."""
_OF_MATCH = re.compile(rf"{MAIL} for ([0-9]+)")


def kind_of(template: str) -> Kind:
    return next((kind for kind in KINDS if template in kind.templates), MATCHES)


def for_match(match: int | None) -> str:
    return f"{MAIL} for {match}"


def matches_in(settings: Mapping[str, str]) -> dict[int, str]:
    """Return what the player has chosen for single matches, by their numbers."""
    return {int(match[1]): choice for name, choice in settings.items() if (match := _OF_MATCH.fullmatch(name))}


def way(settings: Mapping[str, str], template: str, match: int | None) -> str:
    """Return how a message reaches a player with those settings: each, batch, daily, weekly or off.

    >>> chosen = {"mail": "batch", "mail for 42": "daily", "spectating": "weekly"}
    >>> way(chosen, "turn", 42), way(chosen, "turn", 7), way(chosen, "watched", 42), way({}, "watched", 1)
    ('daily', 'batch', 'weekly', 'each')
    """
    kind = kind_of(template)
    if kind is WATCHED:
        chosen = SPECTATING.of(settings)
        return OWN.of(settings) if chosen == SAME else chosen
    if kind is OF_TOURNAMENTS and TOURNAMENTS.of(settings) == OFF:
        return OFF
    return settings.get(for_match(match), OWN.of(settings))
