"""What is said of other players."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from pbem.messages.said.welcome import OpenSeek
from pbem.storage.payloads import Section


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedPlayer:
    """A line in the list of players."""

    player: str
    seen: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerList(Section):
    """A page of the players who agreed to be listed."""

    rows: tuple[ListedPlayer, ...]
    page: int
    next_page: str | None = None
    is_listed: bool
    """Whether the reader is."""
    template: Literal["who"] = "who"
    heading: ClassVar = "Players"


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """How matches in a game ended for somebody."""

    title: str
    won: int
    lost: int
    drawn: int
    rating: str | None = None
    """Rounded, with a question mark while it is provisional."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerProfile(Section):
    """What everybody may know of a player."""

    player: str
    own: bool
    since: str
    running: int
    ended: int = 0
    lost_on_time: int = 0
    """How many of their last matches have ended, and were lost on time or left."""
    results: tuple[Results, ...]
    pace: str = ""
    """How long they usually take for a turn; empty if nobody knows."""
    seeks: tuple[OpenSeek, ...] = ()
    away: str = ""
    """Until what day they are on vacation, if they are."""
    blocked: bool = False
    """Whether the reader has blocked them."""
    template: Literal["whois"] = "whois"
    heading: ClassVar = "About {0.player}"


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseProfile(Section):
    """What to know of the house, and how the reader's matches against it have ended."""

    player: str
    levels: int
    total: Results
    weak: bool = False
    """Whether there are games of which it knows only the rules."""
    template: Literal["whois_house"] = "whois_house"
    heading: ClassVar = "About {0.player}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedMatch:
    """A line in a history."""

    number: int
    title: str
    opponent: str
    result: str
    day: str


@dataclass(frozen=True, slots=True, kw_only=True)
class History(Section):
    """A page of the matches of a player that are over, or of those of two players with each other."""

    player: str
    opponent: str = ""
    """Empty if it is about all opponents."""
    own: bool
    total: Results
    rows: tuple[FinishedMatch, ...]
    page: int
    more: bool = False
    """Whether there is another page. How to ask for it holds names, so it isn't stored."""
    template: Literal["history"] = "history"

    @property
    def heading(self) -> str:
        """What the Subject says."""
        return f"{self.player} - {self.opponent}" if self.opponent else f"Matches of {self.player}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocked(Section):
    """The reader has blocked somebody, or doesn't any more."""

    player: str
    blocked: bool
    numbers: tuple[int, ...] = ()
    """The matches between the two that go on."""
    template: Literal["blocked"] = "blocked"
    heading: ClassVar = "About {0.player}"
