"""The account of the house: a player that is never written to, under a name that no person has or can take."""

import re
from datetime import datetime
from itertools import chain, count

from sqlmodel import Session, select

from pbem.storage.database import exclude_others
from pbem.storage.models import HOUSE, Player

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
