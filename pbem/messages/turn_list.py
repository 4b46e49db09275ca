"""The last turns of a match as lines of text, in two columns where they fit."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from engines.core import Seat
from pbem.matches.events import Cause
from pbem.messages.said.sections import PlayedByItself
from pbem.messages.templating import WIDTH

WHY = {Cause.PREPARED.value: ", as you had prepared", Cause.FORCED.value: ", your only legal turn"}
"""What to say of a turn that was played for its player."""
MARK, BETWEEN = "| ", "    "
"""Before each line, so that a quoted one isn't read as a turn, and between the columns."""


@dataclass(frozen=True, slots=True)
class Played:
    number: int
    seat: int
    by: str
    text: str


def in_words(turns: Sequence[Played], reader: Seat | None, by_itself: Sequence[PlayedByItself]) -> tuple[str, ...]:
    why = {each.text: WHY[each.why] for each in by_itself if each.text}
    return tuple(
        f"You played {turn.text}{why.get(turn.text, '')}" if turn.seat == reader else f"{turn.by} played {turn.text}"
        for turn in turns
    )


def in_columns(turns: Sequence[Played], names: tuple[str, str], first: int) -> str:
    """Return the turns with a column for each player, or one below the other if that would be too broad.

    The column of the seat that moved first in the match is on the left.

    >>> turns = [Played(2, 1, "bob", "b9b8"), Played(3, 0, "alice", "f3f4")]
    >>> print(in_columns(turns, ("alice", "bob"), first=0))
    |    alice       bob
    |             2  b9b8
    | 3  f3f4
    >>> print(in_columns([Played(3, 0, "alice", "f3f4 " * 13)], ("alice", "bob"), first=0)[:16])
    | 3  alice: f3f4
    """
    digits = len(str(max((turn.number for turn in turns), default=0)))
    in_pairs = any(one.number == other.number for one, other in pairwise(turns))
    rows = [[f"{'':{digits}}  {names[first]}", names[1 - first] if in_pairs else f"{'':{digits}}  {names[1 - first]}"]]
    for turn in turns:
        if len(rows) == 1 or turn.seat == first or rows[-1][1]:
            rows.append(["", ""])
        is_numbered = turn.seat == first or not in_pairs
        rows[-1][turn.seat != first] = f"{turn.number:>{digits}}  {turn.text}" if is_numbered else turn.text
    left, right = (max(len(row[column]) for row in rows) for column in (0, 1))
    if len(MARK) + left + len(BETWEEN) + right > WIDTH:
        return "\n".join(f"{MARK}{turn.number:>{digits}}  {turn.by}: {turn.text}" for turn in turns)
    return "\n".join(f"{MARK}{before:{left}}{BETWEEN}{after}".rstrip() for before, after in rows)
