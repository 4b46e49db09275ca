"""What happened in a match: values that the functions of `lifecycle` return, for others to tell people."""

from dataclasses import dataclass

from engines.core import Seat
from notation.ending import Ending
from pbem.storage.models import Match


@dataclass(frozen=True, slots=True)
class MatchOffered:
    """A player challenged another, or invited somebody by address."""

    match: Match


@dataclass(frozen=True, slots=True)
class MatchStarted:
    """The challenged player accepted."""

    match: Match


@dataclass(frozen=True, slots=True)
class OfferDeclined:
    """The challenged player declined; `left` where they left the server instead."""

    match: Match
    left: bool = False


@dataclass(frozen=True, slots=True)
class OfferWithdrawn:
    """The challenger took the offer back; `left` where they left the server instead."""

    match: Match
    left: bool = False


@dataclass(frozen=True, slots=True)
class TurnPlayed:
    """A complete turn was stored; its number counts from 1."""

    match: Match
    seat: Seat
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class PartKept:
    """The beginning of a turn was stored, in its canonical text."""

    match: Match
    seat: Seat
    part: str


@dataclass(frozen=True, slots=True)
class PartTakenBack:
    """The beginning of a turn was dropped."""

    match: Match
    seat: Seat
    part: str


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """The match is over; the winner is None in a draw, and where nobody won or lost."""

    match: Match
    ending: Ending
    winner: Seat | None


Event = (
    MatchOffered | MatchStarted | OfferDeclined | OfferWithdrawn | TurnPlayed | PartKept | PartTakenBack | MatchEnded
)
Events = tuple[Event, ...]
