"""What happened in a match: what the functions of `lifecycle` return."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from engines.core import Seat
from notation.ending import Ending
from pbem.matches.stored_offers import OfferKind
from pbem.storage.models import Match


@dataclass(frozen=True, slots=True)
class MatchOffered:
    match: Match


@dataclass(frozen=True, slots=True)
class OnLadder:
    title: str
    rung: int  # the challenger's
    wanted: int  # that of the challenged player


@dataclass(frozen=True, slots=True)
class MatchStarted:
    """The challenged player accepted, somebody took a seek, or a tournament has begun the match."""

    match: Match
    seek: int | None = None
    ladder: OnLadder | None = None
    is_unrated: bool = False
    """Whether it doesn't count though they wanted it to: the two have begun enough rated ones lately."""


@dataclass(frozen=True, slots=True)
class OfferDeclined:
    """The challenged player declined; `left` where they left the server instead."""

    match: Match
    left: bool = False


@dataclass(frozen=True, slots=True)
class OfferWithdrawn:
    """The challenger took the offer back; `left` where they left the server, `unanswered` where it ended by itself."""

    match: Match
    left: bool = False
    unanswered: bool = False


class Cause(StrEnum):
    """Why a turn was played by itself, without a message of its player. The values are stored."""

    PREPARED = "prepared"
    FORCED = "forced"  # it was the only legal one, and its player wants such turns played at once


@dataclass(frozen=True, slots=True)
class TurnPlayed:
    """A complete turn was stored; its number counts from 1."""

    match: Match
    seat: Seat
    number: int
    text: str
    by_itself: Cause | None = None  # why it was played without a message; None where a message brought it


class Void(StrEnum):
    """Why what a player had prepared will not be played. The values are stored."""

    OTHER_TURN = "other turn"
    ILLEGAL = "illegal"
    OFFER = "offer"
    PAUSE = "pause"
    TAKEN_BACK = "taken back"


@dataclass(frozen=True, slots=True)
class PreparedVoid:
    """What that seat had prepared is void. Only the player in it may learn so."""

    match: Match
    seat: Seat
    why: Void


@dataclass(frozen=True, slots=True)
class PartKept:
    match: Match
    seat: Seat
    part: str


@dataclass(frozen=True, slots=True)
class PartTakenBack:
    match: Match
    seat: Seat
    part: str


class Change(StrEnum):
    """What became of an offer in a running match. The values are stored."""

    MADE = "made"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"
    RESUMED = "resumed"  # what was agreed on, a pause, was ended by one of them
    OVER = "over"  # it has ended by itself


@dataclass(frozen=True, slots=True)
class OfferChanged:
    match: Match
    kind: OfferKind
    change: Change
    seat: Seat


@dataclass(frozen=True, slots=True)
class TurnsTakenBack:
    """The opponent agreed that a player takes back their last turn and what followed; the player is to move again."""

    match: Match
    seat: Seat
    texts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TimeRanOut:
    match: Match
    seat: Seat


@dataclass(frozen=True, slots=True)
class TimeGivenTo:
    match: Match
    seat: Seat
    time: timedelta


@dataclass(frozen=True, slots=True)
class PlayerAway:
    match: Match
    seat: Seat
    until: datetime


@dataclass(frozen=True, slots=True)
class ReminderDue:
    match: Match
    seat: Seat


@dataclass(frozen=True, slots=True)
class MatchEnded:
    """The match is over; the winner is None in a draw, and where nobody won or lost."""

    match: Match
    ending: Ending
    winner: Seat | None


Event = (
    MatchOffered
    | MatchStarted
    | OfferDeclined
    | OfferWithdrawn
    | TurnPlayed
    | PreparedVoid
    | PartKept
    | PartTakenBack
    | OfferChanged
    | TurnsTakenBack
    | TimeRanOut
    | TimeGivenTo
    | PlayerAway
    | ReminderDue
    | MatchEnded
)
Events = tuple[Event, ...]
