"""How a match ended, by the rules or otherwise, and how records say so."""

import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, replace
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
    PROVEN = "proven"
    """It was shown that one side wins by force, or neither."""


WITHOUT_RESULT = frozenset({Termination.CANCELLED, Termination.ABANDONED})
"""What leaves a match without a result."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a match ended, and the seat this concerns: that of the player who resigned, left or ran out of time.

    If a win was proven, it is the winner's. `line` are the turns that show what was proven.
    """

    termination: Termination
    seat: Seat | None = None
    line: str = ""


WORDS = {
    Termination.RULES: "the rules ended it",
    Termination.RESIGNATION: "{name} resigned",
    Termination.LEFT: "{name} left",
    Termination.TIMEOUT: "{name} ran out of time",
    Termination.AGREEMENT: "by agreement",
    Termination.CANCELLED: "cancelled",
    Termination.ABANDONED: "abandoned",
    Termination.ADJUDICATED: "adjudicated",
    Termination.PROVEN: "{name} wins by force",
}
"""What records and the operator's commands say; mails have templates."""
DRAWN = "drawn by force"
"""The same of a match that was proven to be drawn."""
_LINE = re.compile(r"[>\s]*Ended: (?P<words>\S.*?)\s*")
_SHOWN = re.compile(r"[>\s]*Shown by: (?P<turns>\S.*?)\s*")
WIDTH = 68
"""How long a line of a record is that tells the ending."""


def in_words(ending: Ending, names: tuple[str, str]) -> str:
    """Return the ending in a few words.

    >>> in_words(Ending(Termination.LEFT, 1), ("alice", "bob"))
    'bob left'
    """
    if ending.termination is Termination.PROVEN and ending.seat is None:
        return DRAWN
    return WORDS[ending.termination].format(name=names[ending.seat] if ending.seat is not None else "somebody")


def told(ending: Ending, names: tuple[str, str]) -> str:
    """Return the ending in a few words, and the turns that show what was proven.

    >>> told(Ending(Termination.PROVEN, 1, "a1a2, h8h7"), ("alice", "bob"))
    'bob wins by force: a1a2, h8h7'
    """
    return f"{in_words(ending, names)}: {ending.line}" if ending.line else in_words(ending, names)


def written(ending: Ending, sides: tuple[str, str]) -> tuple[str, ...]:
    """Return the lines of a record that tell the ending; the sides are those of the game.

    >>> written(Ending(Termination.LEFT, 1), ("X", "O")), written(Ending(Termination.AGREEMENT), ("X", "O"))
    (('Ended: O left',), ('Ended: by agreement',))
    >>> written(Ending(Termination.PROVEN, None, "a1a2, h8h7"), ("X", "O"))
    ('Ended: drawn by force', 'Shown by: a1a2, h8h7')
    """
    shown = textwrap.wrap(ending.line, WIDTH, break_long_words=False, break_on_hyphens=False)
    return (f"Ended: {in_words(ending, sides)}", *(f"Shown by: {turns}" for turns in shown))


def read(lines: Iterable[str], sides: tuple[str, str]) -> Ending | None:
    possible = [Ending(termination, seat) for termination in Termination for seat in (*SEATS, None)]
    known = {in_words(ending, sides).casefold(): ending for ending in reversed(possible)}
    every = tuple(lines)
    shown = " ".join(found["turns"] for line in every if (found := _SHOWN.fullmatch(line)))
    for line in every:
        words = found["words"] if (found := _LINE.fullmatch(line)) else ""
        what, _, turns = words.partition(": ")
        proven = known.get(what.casefold())
        if proven is not None and proven.termination is Termination.PROVEN:
            return replace(proven, line=turns or shown)
        if ending := known.get(words.casefold()):
            return ending if "{name}" in WORDS[ending.termination] else Ending(ending.termination)
    return None
