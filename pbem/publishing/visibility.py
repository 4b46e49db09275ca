"""What the site shows: a match if both of its players allow it, and each under the name that they chose.

A match that began at a position of another one has its turns, so it is shown only if that one is.

Nobody is shown who hasn't asked for it. The house always is. Somebody who left has no choice stored any
more, so the next publication is without them.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import DateTime, func, or_, type_coerce
from sqlmodel import Session, col, select

from pbem.messages.preferences import PUBLIC
from pbem.publishing import fingerprints
from pbem.storage.models import HOUSE, Match, MatchState, Player

NOBODY = "a player"
"""What stands in place of a name that isn't shown."""
SHOWN = (MatchState.RUNNING, MatchState.OVER)
BLOCK = 100
"""How many numbers of matches have a fingerprint together."""


class PublicChoice(StrEnum):
    ON = "on"
    ANONYMOUS = "anonymous"
    OFF = "off"


@dataclass(frozen=True, slots=True)
class Shown:
    player: int
    name: str = NOBODY
    has_page: bool = False


class Listed(NamedTuple):
    """A match on the site: everything by which its page can change, and when it ended, or began."""

    number: int
    game: str
    state: str
    plies: int
    shift: int
    winner: int | None
    termination: str | None
    tournament: int | None
    seats: tuple[int, int]
    """The numbers of both players; 0 for one who has no page."""
    day: datetime
    """In UTC."""

    @property
    def is_over(self) -> bool:
        return self.state == MatchState.OVER


def people(session: Session) -> dict[int, Shown]:
    choice = col(Player.settings)[PUBLIC].as_string()  # by the database: to parse the settings of all takes longer
    chosen: Any = select(Player.id, Player.name, Player.address, choice)
    chosen = chosen.where(or_(choice.is_not(None), col(Player.address) == HOUSE), col(Player.deleted).is_(None))
    found = {}
    for number, name, address, told in session.exec(chosen):
        if name is not None and (told == PublicChoice.ON or address == HOUSE):
            found[number] = Shown(number, name, has_page=True)
        elif told == PublicChoice.ANONYMOUS:
            found[number] = Shown(number)
    return found


def matches(
    session: Session, shown: Mapping[int, Shown], numbers: range, is_shown: Callable[[int], bool]
) -> list[Listed]:
    """Return the matches with these numbers that are shown, in their order; `is_shown` knows about earlier ones."""
    moment = func.coalesce(col(Match.ended), col(Match.created))
    columns: Any = (
        *(Match.id, Match.game, Match.state, Match.plies, Match.shift, Match.winner, Match.termination),
        *(Match.tournament, Match.seat0, Match.seat1, Match.begun_from),
        type_coerce(moment, DateTime(timezone=True)),  # not Utc, which takes as long as all the rest
    )
    among = (col(Match.id) >= numbers.start, col(Match.id) < numbers.stop, col(Match.state).in_(SHOWN))
    rows: Any = session.execute(select(*columns).where(*among).order_by(col(Match.id)))
    found: list[Listed] = []
    earlier: set[int] = set()
    for *told, first, second, source, when in rows:
        if first not in shown or second not in shown:
            continue
        if source is None or source in earlier or (source < numbers.start and is_shown(source)):
            earlier.add(told[0])
            seats = (first if shown[first].has_page else 0, second if shown[second].has_page else 0)
            found.append(Listed._make((*told, seats, _in_utc(when))))
    return found


def blocks(session: Session) -> dict[int, int]:
    """Return the fingerprint of each block of matches that have begun, by its number."""
    seats = (col(Match.seat0), col(Match.seat1))
    lengths = (func.coalesce(func.length(col(Match.termination)), 0), func.length(col(Match.game)))
    result = (func.coalesce(col(Match.winner), 2), *lengths)
    block = (col(Match.id) // BLOCK).label("block")
    tournament = func.coalesce(col(Match.tournament), 0)
    told = fingerprints.of(col(Match.id), col(Match.plies), col(Match.shift), *seats, *result, tournament)
    rows: Any = session.execute(select(block, told).where(col(Match.state).in_(SHOWN)).group_by(block))
    return dict(map(tuple, rows))


def blocks_of(session: Session, players: Collection[int]) -> set[int]:
    block = col(Match.id) // BLOCK
    found: set[int] = set()
    for seat in (Match.seat0, Match.seat1):
        found |= set(session.scalars(select(block).where(col(seat).in_(players)).distinct()))
    return found


def begun_from(session: Session) -> dict[int, list[int]]:
    """Return the matches that began at a position of another one, by the number of that one."""
    found: dict[int, list[int]] = {}
    for number, source in session.exec(select(Match.id, Match.begun_from).where(col(Match.begun_from).is_not(None))):
        found.setdefault(source or 0, []).append(number or 0)
    return found


def _in_utc(moment: datetime) -> datetime:
    """Return a time as the database has it, with or without a time zone."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
