"""What is said of matches that are looked at."""

from pbem.messages.said.sections import TurnTakenBack, TurnTimeShown
from pbem.storage.payloads import Listing, Part, Section


class ListedMatch(Part):
    number: int
    title: str
    opponent: str
    state: str
    has_board: bool = False


class MatchList(Listing, template="games"):
    player: str
    own: bool
    rows: tuple[ListedMatch, ...]
    more: int = 0
    """How many follow these."""


class MatchRecord(Section, template="record"):
    match: int
    ply: int
    taken_back: tuple[TurnTakenBack, ...] | None = None
    """The turns that were taken back, for a reader who wants them too."""
    times: tuple[TurnTimeShown, ...] = ()
    """When each turn was received, for the same reader."""


class OwnNote(Section, template="own_note"):
    match: int
    change: str
    """What became of it: kept, shown or deleted."""
    lines: tuple[str, ...]
    """What it says, or said before it was deleted."""


class MatchShown(Section, template="shown"):
    match: int
    ply: int
    part: str | None = None
    """The unfinished turn, for the player who began it."""
    own: bool
    """Whether it is the reader's turn."""
