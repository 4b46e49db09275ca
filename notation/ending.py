"""How a match ended, by the rules or otherwise, and how records say so."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from engines.core import Seat
from engines.seats import SEATS


class Termination(StrEnum):
    """What ended a match. The values are stored, and stand in headers and records."""

    RULES = "rules"
    RESIGNATION = "resignation"
    LEFT = "left"
    """A player left the server."""
    TIMEOUT = "timeout"
    AGREEMENT = "agreement"
    CANCELLED = "cancelled"
    ABANDONED = "abandoned"
    ADJUDICATED = "adjudicated"


WITHOUT_RESULT = frozenset({Termination.CANCELLED, Termination.ABANDONED})
"""What leaves a match without a result."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a match ended, and the seat this concerns: that of the player who resigned, left or ran out of time."""

    termination: Termination
    seat: Seat | None = None


WORDS = {
    Termination.RULES: "the rules ended it",
    Termination.RESIGNATION: "{name} resigned",
    Termination.LEFT: "{name} left",
    Termination.TIMEOUT: "{name} ran out of time",
    Termination.AGREEMENT: "by agreement",
    Termination.CANCELLED: "cancelled",
    Termination.ABANDONED: "abandoned",
    Termination.ADJUDICATED: "adjudicated",
}
"""What records and the operator's commands say; mails have templates."""
_LINE = re.compile(r"[>\s]*Ended: (?P<words>\S.*?)\s*")


def in_words(ending: Ending, names: tuple[str, str]) -> str:
    """Return the ending in a few words.

    >>> in_words(Ending(Termination.LEFT, 1), ("alice", "bob"))
    'bob left'
    """
    return WORDS[ending.termination].format(name=names[ending.seat] if ending.seat is not None else "somebody")


def written(ending: Ending, sides: tuple[str, str]) -> str:
    """Return the line of a record that tells the ending; the sides are those of the game.

    >>> written(Ending(Termination.LEFT, 1), ("X", "O")), written(Ending(Termination.AGREEMENT), ("X", "O"))
    ('Ended: O left', 'Ended: by agreement')
    """
    return f"Ended: {in_words(ending, sides)}"


def read(lines: Iterable[str], sides: tuple[str, str]) -> Ending | None:
    """Return the ending that one of the lines of a record tells; None where none does."""
    possible = [Ending(termination, seat) for termination in Termination for seat in (*SEATS, None)]
    known = {in_words(ending, sides).casefold(): ending for ending in reversed(possible)}
    for line in lines:
        found = _LINE.fullmatch(line)
        if found and found["words"].casefold() in known:
            ending = known[found["words"].casefold()]
            return ending if "{name}" in WORDS[ending.termination] else Ending(ending.termination)
    return None
