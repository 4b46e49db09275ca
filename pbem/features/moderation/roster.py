"""The roster: all players, as the operator sees them."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any

from sqlmodel import Session, col, select

from pbem.errors import Refused
from pbem.storage.models import HOUSE, Player

LONGEST_NUMBER = 10


class AccountKind(StrEnum):
    ALL = "all"
    BANNED = "banned"
    STOPPED = "stopped"
    """Those who want no news."""
    UNREACHABLE = "unreachable"
    """Those whose mail comes back."""
    COMPLAINED = "complained"
    """Those whose mail provider reported our mail as spam."""
    GUESTS = "guests"
    """People who were invited, or have asked something, and haven't joined."""


_CONDITIONS: dict[AccountKind, tuple[Any, ...]] = {
    AccountKind.ALL: (col(Player.confirmed).is_not(None),),
    AccountKind.BANNED: (col(Player.banned).is_not(None),),
    AccountKind.STOPPED: (col(Player.confirmed).is_not(None), col(Player.stopped).is_not(None)),
    AccountKind.UNREACHABLE: (col(Player.unreachable).is_not(None),),
    AccountKind.COMPLAINED: (col(Player.complained).is_not(None),),
    AccountKind.GUESTS: (col(Player.confirmed).is_(None),),
}


def called(session: Session, wanted: str, *, guests: bool = False) -> Player:
    """Return the player, or with `guests` anybody, of that name, address or number; raise Refused."""
    is_number = wanted.isdecimal() and len(wanted) < LONGEST_NUMBER
    place = Player.address if "@" in wanted else Player.name
    found = session.exec(
        select(Player).where(Player.id == int(wanted) if is_number else place == wanted.lower())
    ).first()
    is_known = found is not None and found.address != HOUSE and found.deleted is None
    if found is None or not is_known or (found.confirmed is None and not guests):
        raise Refused(f"No player is called {wanted[:40]}.", fits='"players" lists all of them.')
    return found


def players(
    session: Session, most: int, page: int = 1, *, beginning: str = "", kind: AccountKind = AccountKind.ALL
) -> tuple[Sequence[Player], bool]:
    found = select(Player).where(col(Player.deleted).is_(None), *_CONDITIONS[kind])
    if kind is AccountKind.GUESTS:
        found = found.order_by(col(Player.id))
    else:  # the index of the names has them in order
        found = found.where(col(Player.name) >= beginning).order_by(col(Player.name))
    if beginning:
        found = found.where(col(Player.name).startswith(beginning, autoescape=True))
    rows = session.exec(found.offset((page - 1) * most).limit(most + 1)).all()
    return rows[:most], len(rows) > most


def states(player: Player) -> Iterator[str]:
    for since, word in ((player.banned, "banned"), (player.stopped, "no news"), (player.unreachable, "unreachable")):
        if since is not None:
            yield f"{word} since {since:%Y-%m-%d}"
