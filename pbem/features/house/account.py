"""The house as a player: one account that is never written to, plays at several levels, and answers offers."""

import re
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, count

from sqlmodel import Session, col, select

from engines import search
from pbem.matches import agreements, offers
from pbem.matches.events import Events
from pbem.matches.offers import OfferKind
from pbem.matches.queries import seat_of
from pbem.storage.database import exclude_others
from pbem.storage.models import HOUSE, Match, MatchState, Player, Search, SearchKind

NAME = "house"  # the name that the house plays under, or one like it where a person had that before
LOOKS_LIKE = str.maketrans("01345", "olesa")
BESIDE = re.compile(r"^the|(?:bot|player|computer|ai)$")
"""What somebody might add to the name to be taken for the house."""


def is_house(player: Player) -> bool:
    return player.address == HOUSE


def find(session: Session) -> Player | None:
    return session.exec(select(Player).where(Player.address == HOUSE)).first()


def current_name(session: Session) -> str:
    house = find(session)
    for candidate in chain((NAME, f"{NAME}-bot"), (f"{NAME}-bot{number}" for number in count(2))):
        holder = session.exec(select(Player).where(Player.name == candidate)).first()
        if holder is None or (house is not None and holder.id == house.id):
            return candidate
    raise AssertionError("names don't run out")


def provide(session: Session, now: datetime) -> Player:
    """Return the house under its current name; add its row where there is none."""
    exclude_others(session.connection(), "the house")
    name = current_name(session)
    house = find(session) or Player(address=HOUSE, confirmed=now, created=now)
    if house.name != name:
        house.name = name
        session.add(house)
        session.flush()
    return house


def resembles(name: str) -> bool:
    """Return whether a name would be taken for that of the house.

    >>> [resembles(each) for each in ("house", "the-house", "House2", "h0use", "house-bot", "housewife")]
    [True, True, True, True, True, False]
    """
    plain = name.lower().rstrip("0123456789").translate(LOOKS_LIKE)
    return BESIDE.sub("", BESIDE.sub("", re.sub(r"[^a-z]", "", plain))) == NAME


@dataclass(frozen=True, slots=True)
class Level:
    number: int
    name: str
    description: str
    nodes: int  # how many moves it tries before it plays one


_NAMED = (
    ("Learner", "for children and first matches: mostly plays any turn, and says how it came to it"),
    ("Beginner", "sees little beyond your next turn, and often not even that"),
    ("Casual", "takes what you leave, and has no plan"),
    ("Regular", "punishes plain mistakes; a first win takes some practice"),
    ("Strong", "sees most short combinations before you do"),
    ("Stronger", "the best it can in a few seconds; no master of any game"),
    ("Strongest", "thinks for a minute or so about each turn"),
)
LEVELS = tuple(
    Level(level.number, name, description, level.nodes)
    for level, (name, description) in zip(search.LEVELS, _NAMED, strict=True)
)
DEFAULT = 2  # the level of a challenge that names none: a newcomer should have a chance


DRAW_AFTER = 20  # the number of turns, of both players, before which the house accepts no draw
EVEN = 0.0


def answer_offers(session: Session, match: Match, now: datetime) -> Events:
    """Answer what the opponent of the house has offered; nothing in a match between two people.

    It agrees to everything but to a draw in a match that it thinks it is winning. The caller has locked the match.
    """
    house = find(session) if match.level is not None else None
    seat = None if house is None else seat_of(match, house)
    events: Events = ()
    while seat is not None and match.state == MatchState.RUNNING:
        offer = next((offer for offer in offers.open_offers(match) if offer.seat != seat), None)
        if offer is None:
            break
        if offer.kind is OfferKind.DRAW and not _agrees_to_draw(session, match):
            events += agreements.reject(session, match, seat, offer.kind)
        else:
            events += agreements.accept(session, match, seat, offer.kind, now)
    return events


def _agrees_to_draw(session: Session, match: Match) -> bool:
    """Return whether the house, when it last looked for a turn, thought that it was no better than even."""
    if match.plies < DRAW_AFTER:
        return False
    of_turns = (Search.match == match.id, Search.kind == SearchKind.TURN, col(Search.done).is_not(None))
    values = select(Search.value).where(*of_turns).order_by(col(Search.version).desc())
    value = session.exec(values.limit(1)).first()
    return value is not None and value <= EVEN
