"""What spectators are shown of a match, and what they are told of what they watch."""

from typing import ClassVar, Literal

from pbem.storage.payloads import News, Part, Section


class WatchedPlayer(Part):
    player: str


class WatchedTurn(News, template="watched"):
    """Shows a spectator how a match stands after a turn, or after turns were taken back, or at its end."""

    match: int
    ply: int
    since: int | None = None
    """The number of the first turn that is news; None if none is."""
    taken_back: tuple[str, ...] = ()
    """The turns that the reader has seen and that were taken back."""
    late: bool = False
    """Whether the reader sees the match without its last turn, as its players wish."""
    players: tuple[WatchedPlayer, ...] = ()
    """Those of its players that the reader watches."""
    tournament: int | None = None
    """Its tournament, if the reader watches that."""
    message: tuple[str, ...] = ()
    """Always empty: nothing that players write to each other is shown. A digest asks all news for their words."""
    is_long: ClassVar = True


class WatchedThing(Part):
    kind: Literal["match", "player", "tournament"]
    number: int | None = None
    title: str = ""
    """The game of a match, the title of a tournament."""
    player: str = ""
    opponent: str = ""
    left_out: bool = False
    """Whether it is a match that they don't want to see, though they watch a player or a tournament."""
    hidden: bool = False
    """Whether its players don't let others see it now."""


class Watching(Section, template="watching"):
    begun: WatchedThing | None = None
    late: bool = False
    """Whether a match that they watch now is shown to them a turn late."""
    known: bool = False
    """Whether they have watched it before."""
    ended: WatchedThing | None = None
    all_ended: int | None = None
    """How many things were all that they have watched, and don't any more."""
    matches: tuple[int, ...] = ()
    """The running matches that they see of what they watch now, if it is a player or a tournament."""
    narrow: bool = False
    """Whether a player lets others watch their matches in tournaments only."""
    rows: tuple[WatchedThing, ...] = ()
    lists: bool = False
    """Whether they asked for the list."""
    heading: ClassVar = "What you watch"
