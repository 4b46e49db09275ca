"""Sections and messages about other players: seeks, who plays here, how their matches ended, and blocks."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from pbem.storage.payloads import Payload, Section


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenSeek:
    """A line in a list of seeks."""

    number: int
    title: str
    player: str
    options: str = ""
    begin: str = "me"
    """Who begins, as the player of the seek wrote it: me, you or random. In words it may hold their name."""
    time: str = ""
    own: bool = False
    """Whether it is the reader's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeekList(Section):
    """A page of the open seeks."""

    rows: tuple[OpenSeek, ...]
    page: int
    next_page: str | None = None
    """How to ask for the next page; None on the last one."""
    narrowed: bool = False
    """Whether only some kind of seeks was asked for."""
    template: Literal["seeks"] = "seeks"
    heading: ClassVar = "Seeks"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeekOpened(Section):
    """A seek of the reader is open."""

    seek: OpenSeek
    repeat: int
    until: str
    narrowed: bool = False
    """Whether it is only for players with some ratings."""
    template: Literal["seek_opened"] = "seek_opened"
    heading: ClassVar = "Your seeks"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeekClosed(Section):
    """The reader has taken seeks back."""

    seeks: tuple[OpenSeek, ...]
    template: Literal["seek_closed"] = "seek_closed"
    heading: ClassVar = "Your seeks"


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedSeek:
    """A seek that nobody took in time, and how to put it up again."""

    number: int
    title: str
    again: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeeksEnded(Payload):
    """Tells a player which of their seeks have ended without anybody who took them."""

    seeks: tuple[EndedSeek, ...]
    template: Literal["seeks_ended"] = "seeks_ended"
    heading: ClassVar = "Your seeks have ended"


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
    results: tuple[Results, ...]
    pace: str | None = None
    """How long they usually take for a turn; None if nobody knows."""
    seeks: tuple[OpenSeek, ...] = ()
    away: str = ""
    """Until what day they are on vacation, if they are."""
    blocked: bool = False
    """Whether the reader has blocked them."""
    template: Literal["whois"] = "whois"

    @property
    def heading(self) -> str:
        """What the Subject says."""
        return f"About {self.player}"


@dataclass(frozen=True, slots=True, kw_only=True)
class HouseProfile(Section):
    """What to know of the house, and how the reader's matches against it have ended."""

    player: str
    levels: int
    total: Results
    template: Literal["whois_house"] = "whois_house"

    @property
    def heading(self) -> str:
        """What the Subject says."""
        return f"About {self.player}"


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

    @property
    def heading(self) -> str:
        """What the Subject says."""
        return f"About {self.player}"
