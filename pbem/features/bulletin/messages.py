"""The weekly bulletin."""

from typing import ClassVar

from pbem.features.ratings.messages import PlaceListed
from pbem.messages.said.welcome import OpenSeek
from pbem.storage.payloads import Part, Payload


class BulletinMatch(Part):
    number: int
    title: str
    player: str
    opponent: str
    who: str = ""
    """The winner; empty if nobody has won."""
    result: str = ""
    """How it ended, unless the rules say who has won."""


class Leaders(Part):
    title: str
    rows: tuple[PlaceListed, ...]


class WeeklyBulletin(Payload, template="bulletin"):
    matches: tuple[BulletinMatch, ...] = ()
    more: bool = False
    """Whether more matches have ended."""
    seeks: tuple[OpenSeek, ...] = ()
    leaders: tuple[Leaders, ...] = ()
    is_long: ClassVar = True
    heading: ClassVar = "The last week"
