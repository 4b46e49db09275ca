"""What newcomers are told: what this is, and the welcome."""

from typing import ClassVar

from notation.games import GAMES
from pbem.storage.payloads import Part, Payload, Section

LISTED = 12
"""How many games a list shows that isn't about the games."""


class OpenSeek(Part):
    number: int
    title: str
    player: str
    options: str = ""
    begin: str = "me"
    """Who begins, as the player of the seek wrote it: me, you or random. In words it may hold their name."""
    time: str = ""
    own: bool = False
    """Whether it is the reader's."""
    ended: int = 0
    lost_on_time: int = 0
    """How many of the last matches of its player have ended, and were lost on time or left."""
    running: int = 0


class GameTitle(Part):
    key: str
    title: str
    summary: str = ""


class Introduction(Section, template="introduction"):
    """What this is and how to join, for somebody whose message asked for nothing that a stranger can have."""

    name: str | None = None
    """The name that a `yes` takes, made from the address; None where none can be."""
    wants_name: bool = False
    """Whether they want to join, but under no name that a player can have."""
    keeps: bool = False
    """Whether the message asked for something else as well, which waits for the name."""
    house: bool = False
    """Whether the house takes matches."""
    games: tuple[GameTitle, ...]
    heading: ClassVar = "How to play board games by email"


class InvitationWaiting(Section, template="waiting"):
    match: int
    heading: ClassVar = "Your invitation"


class Welcome(Payload, Section, template="welcome"):
    games: tuple[GameTitle, ...] = ()
    board: tuple[str, ...] = ()
    """A board as our messages draw it, so that they know what to expect."""
    seeks: tuple[OpenSeek, ...] = ()
    """Some open seeks."""
    house: bool = False
    """Whether the house takes matches."""
    plays: bool = False
    """Whether the player has a match already, which stands above it."""
    stands_alone: ClassVar = True
    heading: ClassVar = "Welcome"


def titles(most: int | None = LISTED) -> tuple[GameTitle, ...]:
    return tuple(GameTitle(key=each.key, title=each.title, summary=each.summary) for each in GAMES.games()[:most])
