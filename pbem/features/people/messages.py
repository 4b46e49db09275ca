"""What is said of other players."""

from pbem.messages.said.messages import OpenSeek
from pbem.storage.payloads import Listing, Part, Section


class ListedPlayer(Part):
    player: str
    seen: str


class PlayerList(Listing, template="who"):
    rows: tuple[ListedPlayer, ...]
    is_listed: bool
    """Whether the reader is."""


class Results(Part):
    title: str
    won: int
    lost: int
    drawn: int
    rating: str | None = None
    """Rounded, with a question mark while it is provisional."""


class PlayerProfile(Section, template="whois"):
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


class HouseProfile(Section, template="whois_house"):
    player: str
    levels: int
    total: Results
    weak: bool = False
    """Whether there are games of which it knows only the rules."""


class FinishedMatch(Part):
    number: int
    title: str
    opponent: str
    result: str
    day: str


class History(Section, template="history"):
    player: str
    opponent: str = ""
    """Empty if it is about all opponents."""
    own: bool
    total: Results
    rows: tuple[FinishedMatch, ...]
    page: int
    more: bool = False
    """Whether there is another page. How to ask for it holds names, so it isn't stored."""


class Blocked(Section, template="blocked"):
    player: str
    blocked: bool
    numbers: tuple[int, ...] = ()
    """The matches between the two that go on."""
