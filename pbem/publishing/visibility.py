"""What the site shows: a match if both of its players allow it, and each under the name that they chose.

A match that began at a position of another one has its turns, so it is shown only if that one is.

Nobody is shown who hasn't asked for it. The house always is. Somebody who left, or whose account was merged, has no
choice stored any more, so the next publication is without them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import String, cast, or_
from sqlmodel import Session, col, select

from pbem.players.preferences import PUBLIC
from pbem.storage.models import HOUSE, Match, MatchState, Player

NOBODY = "a player"
"""What stands in place of a name that isn't shown."""
SHOWN = (MatchState.RUNNING, MatchState.OVER)


class Choice(StrEnum):
    """What a player allows."""

    ON = "on"
    ANONYMOUS = "anonymous"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Shown:
    """A player on the site: the number in the database, the name, and whether they have a page."""

    player: int
    name: str = NOBODY
    has_page: bool = False


@dataclass(frozen=True, slots=True)
class Listed:
    """A match on the site, with everything by which its page can change."""

    number: int
    game: str
    state: str
    plies: int
    seats: tuple[int, int]
    tournament: int | None
    winner: int | None
    termination: str | None
    day: datetime
    """When it ended, or began."""
    stamp: str


def people(session: Session) -> dict[int, Shown]:
    """Return all who allow something, by their numbers."""
    has_chosen = cast(col(Player.settings), String).contains(f'"{PUBLIC}"')
    chosen: Any = select(Player.id, Player.name, Player.address, Player.settings)
    chosen = chosen.where(or_(has_chosen, col(Player.address) == HOUSE), col(Player.deleted).is_(None))
    found = {}
    for number, name, address, settings in session.exec(chosen):
        choice = Choice.ON if address == HOUSE else Choice(settings.get(PUBLIC, Choice.OFF))
        if choice is Choice.ON and name is not None:
            found[number] = Shown(number, name, has_page=True)
        elif choice is Choice.ANONYMOUS:
            found[number] = Shown(number)
    return found


def matches(session: Session, shown: Mapping[int, Shown]) -> Iterator[Listed]:
    """Yield the matches that are shown, in the order of their numbers."""
    columns = (Match.id, Match.game, Match.state, Match.plies, Match.shift, Match.seat0, Match.seat1)
    rest = (Match.tournament, Match.winner, Match.termination, Match.begun_from, Match.created, Match.ended)
    rows: Any = session.execute(
        select(*map(col, (*columns, *rest))).where(col(Match.state).in_(SHOWN)).order_by(col(Match.id))
    )
    earlier: set[int] = set()
    for number, game, state, plies, shift, seat0, seat1, tournament, winner, why, source, created, ended in rows:
        first, second = shown.get(seat0), shown.get(seat1)
        if first is None or second is None or (source is not None and source not in earlier):
            continue
        earlier.add(number)
        told = (state, plies, shift, first.name, second.name, first.has_page, second.has_page, winner, why)
        stamp, seats, day = ",".join(map(str, told)), (seat0, seat1), ended or created
        yield Listed(number, game, state, plies, seats, tournament, winner, why, day, stamp)
