"""What is said of matches that are looked at."""

from dataclasses import dataclass
from typing import Literal

from pbem.messages.said.shown import ClockShown, TurnTakenBack, TurnTimeShown
from pbem.storage.payloads import Section


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedMatch:
    """A line in a list of matches."""

    number: int
    title: str
    opponent: str
    state: str
    has_board: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchList(Section):
    """The matches of a player."""

    player: str
    own: bool
    rows: tuple[ListedMatch, ...]
    more: int = 0
    """How many follow these."""
    page: int = 1
    next_page: str | None = None
    """How to ask for those that follow."""
    template: Literal["games"] = "games"

    @property
    def heading(self) -> str:
        """What the Subject says."""
        return "Your matches" if self.own else f"Matches of {self.player}"


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchRecord(Section):
    """The record of a match, up to some turn."""

    match: int
    ply: int
    taken_back: tuple[TurnTakenBack, ...] | None = None
    """The turns that were taken back, for a reader who wants them too."""
    times: tuple[TurnTimeShown, ...] = ()
    """When each turn was received, for the same reader."""
    clock: tuple[ClockShown, ...] = ()
    """What else happened to the clock, for a player of the match who wants all that."""
    template: Literal["record"] = "record"


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnNote(Section):
    """What the reader has noted for themselves about a match."""

    match: int
    change: str
    """What became of it: kept, shown or deleted."""
    lines: tuple[str, ...]
    """What it says, or said before it was deleted."""
    template: Literal["own_note"] = "own_note"


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchShown(Section):
    """A match as it stands."""

    match: int
    ply: int
    part: str | None = None
    """The unfinished turn, for the player who began it."""
    own: bool
    """Whether it is the reader's turn."""
    clock: tuple[ClockShown, ...] = ()
    """What has happened to the clock since the last turn, for a player of the match."""
    template: Literal["shown"] = "shown"
