"""The weekly bulletin."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from pbem.features.ratings.messages import PlaceListed
from pbem.messages.said.welcome import OpenSeek
from pbem.storage.payloads import Payload


@dataclass(frozen=True, slots=True, kw_only=True)
class BulletinMatch:
    """A match that has ended."""

    number: int
    title: str
    player: str
    opponent: str
    who: str = ""
    """The winner; empty if nobody has won."""
    result: str = ""
    """How it ended, unless the rules say who has won."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Leaders:
    """The first players of a game."""

    title: str
    rows: tuple[PlaceListed, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class WeeklyBulletin(Payload):
    """Tells what was played in the last week, who seeks a match, and who leads."""

    matches: tuple[BulletinMatch, ...] = ()
    more: bool = False
    """Whether more matches have ended."""
    seeks: tuple[OpenSeek, ...] = ()
    leaders: tuple[Leaders, ...] = ()
    template: Literal["bulletin"] = "bulletin"
    is_long: ClassVar = True
    heading: ClassVar = "The last week"
