"""What players are told about being away: an answer to the one who is, news for their opponents."""

from datetime import datetime
from typing import ClassVar

from pbem.storage.payloads import News, Part, Section


class DaysLeft(Part):
    year: int
    days: int


class VacationShown(Section, template="vacation"):
    change: str
    """What became of it: taken, ended, called off; empty if it is only shown."""
    begins: str = ""
    ends: str = ""
    """When it begins and ends, in words; empty where there is none."""
    is_away: bool
    left: tuple[DaysLeft, ...]
    is_automatic: bool
    """Whether one begins when the reader would run out of time."""
    heading: ClassVar = "Your vacation"


class Away(News, template="away"):
    """Tells a player that their opponent is on vacation, or that a vacation of their own has begun by itself."""

    match: int
    ply: int
    by: str
    """Who is away."""
    until: datetime
    is_own: bool = False
    message: tuple[str, ...] = ()
    """Always empty: a digest asks all news for their words."""
