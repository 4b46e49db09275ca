"""What spectators are shown of a match, and what they are told of what they watch."""

from typing import ClassVar

from pbem.storage.payloads import News, Part, Section


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
    message: tuple[str, ...] = ()
    """Always empty: nothing that players write to each other is shown. A digest asks all news for their words."""
    is_long: ClassVar = True


class WatchedMatch(Part):
    number: int
    title: str
    player: str
    opponent: str
    hidden: bool = False
    """Whether its players don't let others see it now."""


class Watching(Section, template="watching"):
    begun: WatchedMatch | None = None
    late: bool = False
    """Whether a match that they watch now is shown to them a turn late."""
    known: bool = False
    """Whether they have watched it before."""
    ended: WatchedMatch | None = None
    all_ended: int | None = None
    """How many matches were all that they have watched, and don't any more."""
    rows: tuple[WatchedMatch, ...] = ()
    lists: bool = False
    """Whether they asked for the list."""
