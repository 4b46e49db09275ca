"""The house as a player: one account that is never written to, plays at several levels, and answers offers."""

import re
from dataclasses import dataclass
from datetime import datetime
from itertools import chain, count

from sqlmodel import Session, select

from engines import search
from pbem.conversation.command import Decision, Request
from pbem.errors import Refused
from pbem.features.house import house_player
from pbem.matches import branching, lifecycle
from pbem.matches.queries import number_between
from pbem.matches.replayed_match import Snapshot
from pbem.players import invitations
from pbem.storage.database import exclude_others
from pbem.storage.models import HOUSE, Match, Player

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
MOST_MATCHES = 10


def level_of(request: Request, given: str | None) -> int:
    if given is None:
        return house_player.DEFAULT
    words = given.strip().lower()
    level = next((level for level in house_player.LEVELS if words in (str(level.number), level.name.lower())), None)
    if level is None:
        raise Refused(
            f"The house has no level {given[:20]}.",
            fits=f'Its levels are 0 to {len(house_player.LEVELS) - 1}; "help levels" explains them.',
        )
    return level.number


def start(
    request: Request,
    player: Player,
    terms: lifecycle.Terms,
    level: int,
    *,
    begins: bool,
    rematch_of: Match | None = None,
    replay_of: Snapshot | None = None,
) -> Decision:
    """Start a match of the player, who may move first, against the house, from the position of `replay_of` if any."""
    session, now = request.session, request.now
    if not request.house.enabled:
        raise Refused("The house takes no new matches at the moment.", fits="Challenge another player.")
    house = house_player.provide(session, now)
    if number_between(session, player, house) >= MOST_MATCHES:
        raise Refused(
            f"You're already playing as many matches against the house as a player can ({MOST_MATCHES}).",
            fits='Finish one of them first; "games" lists them.',
        )
    invitations.check_day(session, player, now)
    (offered,) = lifecycle.offer(
        *(session, player, house, terms, now),
        challenger_begins=begins,
        rematch_of=rematch_of,
        level=level,
    )
    if replay_of is not None:
        branching.copy(session, offered.match, replay_of, challenger_begins=begins)
    return Decision(events=lifecycle.accept(session, offered.match, house, now))
