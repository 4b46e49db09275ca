"""What happened in a match, and why something can't: what the functions of `lifecycle` return and raise."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, StrEnum

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


class Obstacle(Enum):
    NOT_STARTED = "the offer is not accepted yet"
    NEVER_STARTED = "the offer was declined or withdrawn"
    OVER = "the match is over"
    NOT_A_PLAYER = "the player doesn't play in the match"
    NOT_YOUR_TURN = "it is the opponent's turn"
    MOVED_ON = "the turn was read on a position that is not the present one"
    UNFINISHED = "the turn is not complete"
    COMPLETE = "the turn is complete"
    TOO_LONG = "the match has as many turns as a match can have"
    NO_PART = "no turn of the player is begun"
    NOT_ON_OFFER = "the match is not on offer any more"
    OWN_OFFER = "the challenger can't answer their own offer"
    OFFERED_TO_YOU = "only the challenger can withdraw an offer"
    YOURSELF = "nobody plays against themselves"
    TOO_MANY_OFFERS = "too many offers of the player wait for an answer"
    INVITED_ALREADY = "the player has invited that address already"
    ALREADY_OFFERED = "the player's offer of that kind is open"
    OFFERED_IN_VAIN = "the player's offer of that kind was closed since the last turn"
    OTHER_PAUSE_OFFERED = "the opponent has suggested another pause"
    PAUSE_IS_PAST = "the pause would be over already"
    UNDO_ASKED = "the opponent has asked to take turns back"
    NO_AGREED_DRAW = "the players can't agree on a draw in that game"
    NOTHING_TO_TAKE_BACK = "the player has played no turn"
    PAUSED = "the match is paused"
    NOT_PAUSED = "the match isn't paused"
    IN_TOURNAMENT = "others wait for the end of the match"
    MUTED = "the opponent wants no offers and notes in the match"
    NO_SUCH_OFFER = "no such offer is open"
    WHICH_OFFER = "the answer fits several offers"
    NO_LIMIT = "the match has no time control"
    TIME_GIVEN = "the player has given as much time in the match as one can"
    TIME_LEFT = "the opponent has time left, or isn't to move"
    TURN_MAY_WAIT = "a message that came before the time ran out isn't handled yet"
    OFFER_NOT_SEEN = "the answer is to a message from before the offer, or from before turns were taken back"


class NotPossible(Exception):
    """Something that can't be done: why, and in which match. The caller puts it into words."""

    def __init__(self, obstacle: Obstacle, match: Match | None = None) -> None:
        self.obstacle = obstacle
        self.match = match
        super().__init__(obstacle.value)
