"""Tournaments in messages: sections of an answer, and messages about rounds and the end."""

from typing import ClassVar

from pbem.messages.said.sections import Crosstable
from pbem.storage.payloads import Listing, Part, Payload, Section


class TournamentLine(Part):
    number: int
    title: str
    """One line of letters, digits and a few marks, which its host has chosen."""
    kind: str
    game: str
    options: str = ""
    time: str = ""
    state: str
    """The value of tournaments.entries.TournamentState."""
    entrants: int
    places: int
    closes: str = ""
    """The day until which players can enter."""
    round: int = 0
    rounds: int = 0
    entered: bool = False
    """Whether the reader is in it."""
    can_enter: bool = False
    """Whether the reader can enter it."""
    reach: int = 0
    """On a ladder, how many rungs above one's own a challenge can go."""
    season: int = 0
    """Of a tournament that comes again, which season it is."""
    every: str = ""
    """How often it comes again."""
    reopens: str = ""
    """The day on which the next season opens."""


class Meeting(Part):
    player: str
    opponent: str = ""
    """Empty for a bye."""
    result: str = ""
    """As "1-0"; empty while they play."""
    ended: int = 0
    lost_on_time: int = 0
    """Of the player's last matches, while entrants are listed: how many have ended, and were lost on time or left."""


class Rung(Part):
    rung: int
    player: str
    matches: int = 0
    """How many matches on the ladder they play."""
    own: bool = False
    can_challenge: bool = False
    """Whether the reader can challenge them."""


class RoundShown(Part):
    round: int
    meetings: tuple[Meeting, ...]


class TournamentList(Listing, template="tournaments"):
    rows: tuple[TournamentLine, ...]


class TournamentShown(Listing, template="tournament"):
    """A tournament: who has entered or, once it has begun, its crosstable and the pairings of the last round.

    Of a ladder it has a page of the rungs.
    """

    line: TournamentLine
    players: tuple[Meeting, ...] = ()
    """Who has entered, while it is open; each has only a name."""
    table: Crosstable | None = None
    last_round: RoundShown | None = None
    rungs: tuple[Rung, ...] = ()
    own_rung: int = 0
    """The reader's; 0 for somebody who isn't on the ladder."""


class TournamentEntered(Section, template="entered"):
    line: TournamentLine
    rung: int = 0
    """Theirs, on a ladder."""


class TournamentWithdrawn(Section, template="withdrawn"):
    number: int
    title: str
    running: tuple[int, ...] = ()
    """Their matches in it that go on."""
    begun: bool = False
    is_ladder: bool = False


class TournamentOpened(Section, template="hosted"):
    line: TournamentLine


class TournamentLast(Section, template="hosted_last"):
    number: int
    title: str


class RungChanged(Payload, template="rung"):
    number: int
    title: str
    opponent: str
    rung: int = 0
    """Where they stand now; 0 for somebody who is off the ladder."""
    won: bool = False
    """Whether they have won that rung."""


class RoundWithoutMatch(Payload, template="round"):
    number: int
    title: str
    round: int
    rounds: int
    why: str
    """bye, or forfeit if the opponent has withdrawn."""
    opponent: str = ""
    table: Crosstable | None = None


class TournamentEnded(Payload, template="tournament_over"):
    line: TournamentLine
    place: int = 0
    """The reader's; 0 if they have none."""
    winners: tuple[Meeting, ...] = ()
    """Who has the first place; each has only a name."""
    table: Crosstable | None = None
    rungs: tuple[Rung, ...] = ()
    """The top of a ladder, and the reader's rung."""
    is_long: ClassVar = True
