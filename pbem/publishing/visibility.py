"""What the site shows: a match if both of its players allow it, and each under the name that they chose.

A match that began at a position of another one has its turns, so it is shown only if that one is.

Nobody is shown who hasn't asked for it. The house always is. Somebody who left, or whose account was merged, has no
choice stored any more, so the next publication is without them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, NamedTuple

from sqlalchemy import DateTime, func, or_, type_coerce
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
    moment: datetime
    """As the database has it: with or without a time zone, but it's always UTC."""

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self.state == MatchState.OVER

    @property
    def day(self) -> datetime:
        """When it ended, or began."""
        return self.moment.replace(tzinfo=UTC) if self.moment.tzinfo is None else self.moment.astimezone(UTC)


def people(session: Session) -> dict[int, Shown]:
    """Return all who allow something, by their numbers."""
    choice = col(Player.settings)[PUBLIC].as_string()  # by the database: to parse the settings of all takes longer
    chosen: Any = select(Player.id, Player.name, Player.address, choice)
    chosen = chosen.where(or_(choice.is_not(None), col(Player.address) == HOUSE), col(Player.deleted).is_(None))
    found = {}
    for number, name, address, told in session.exec(chosen):
        if name is not None and (told == Choice.ON or address == HOUSE):
            found[number] = Shown(number, name, has_page=True)
        elif told == Choice.ANONYMOUS:
            found[number] = Shown(number)
    return found


def matches(session: Session, shown: Mapping[int, Shown]) -> list[Listed]:
    """Return the matches that are shown, in the order of their numbers."""
    moment = func.coalesce(col(Match.ended), col(Match.created))
    columns: Any = (
        *(Match.id, Match.game, Match.state, Match.plies, Match.shift, Match.winner, Match.termination),
        *(Match.tournament, Match.seat0, Match.seat1, Match.begun_from),
        type_coerce(moment, DateTime(timezone=True)),  # not Utc, which takes as long as all the rest
    )
    rows: Any = session.execute(select(*columns).where(col(Match.state).in_(SHOWN)).order_by(col(Match.id)))
    found: list[Listed] = []
    earlier: set[int] = set()
    for *told, first, second, source, when in rows:
        if first in shown and second in shown and (source is None or source in earlier):
            earlier.add(told[0])
            found.append(Listed._make((*told, (first, second), when)))
    return found
