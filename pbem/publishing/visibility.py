"""What the site shows: a match if both of its players allow it, and each under the name that they chose.

A match that began at a position of another one has its turns, so it is shown only if that one is.

Nobody is shown who hasn't asked for it. The house always is. Somebody who left has no choice stored any more.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Any, NamedTuple

from sqlalchemy import DateTime, and_, func, or_, type_coerce
from sqlmodel import Session, col, select

from pbem.messages.general_preferences import PUBLIC
from pbem.storage.models import HOUSE, Match, MatchState, Player
from pbem.storage.preference_definition import OFF, ON

NOBODY = "a player"  # what stands in place of a name that isn't shown
SHOWN = (MatchState.RUNNING, MatchState.OVER)
AT_ONCE = 200  # the rows of a list that are read in one go: it ends when there is enough that is shown
_CHOICE: Any = func.coalesce(col(Player.settings)[PUBLIC].as_string(), OFF)
"""Found out by the database: to parse the settings of all takes longer."""
_BY_NAME = and_(col(Player.name).is_not(None), or_(_CHOICE == ON, col(Player.address) == HOUSE))
_MOMENT = type_coerce(func.coalesce(col(Match.ended), col(Match.created)), DateTime(timezone=True))
"""When a match ended, or began. Not as Utc, which takes as long as all the rest."""


@dataclass(frozen=True, slots=True)
class PublicPlayer:
    player: int
    name: str = NOBODY
    has_page: bool = False


class PublicMatch(NamedTuple):
    """A match on the site: everything by which its page can change, and when it ended, or began."""

    number: int
    game: str
    state: str
    plies: int
    shift: int
    winner: int | None
    termination: str | None
    tournament: int | None
    seats: tuple[int, int]  # the numbers of both players; 0 for one who has no page
    day: datetime  # in UTC

    @property
    def is_over(self) -> bool:
        return self.state == MatchState.OVER


def people(session: Session, numbers: Collection[int]) -> dict[int, PublicPlayer]:
    """Return those of these players who are shown."""
    rows = session.execute(_allow(Player.id, Player.name, _BY_NAME).where(col(Player.id).in_(numbers)))
    return {
        number: PublicPlayer(number, name, has_page=True) if by_name else PublicPlayer(number)
        for number, name, by_name in rows
    }


def _allow(*columns: Any) -> Any:
    """Return the statement that selects columns of those who allow that they're shown."""
    return select(*columns).where(or_(_BY_NAME, _CHOICE == "anonymous"), col(Player.deleted).is_(None))


def names(session: Session, first: int, size: int) -> list[str]:
    """Return the names of the players with a page, of so many by number."""
    number = col(Player.id)
    chosen = (number >= first, number < first + size, _BY_NAME, col(Player.deleted).is_(None))
    return sorted(each for each in session.exec(select(Player.name).where(*chosen)) if each)


def last_player(session: Session) -> int:
    return session.exec(select(func.max(Player.id))).one() or 0


def player(session: Session, name: str) -> PublicPlayer | None:
    """Return the player with that name, if they have a page."""
    number = session.exec(select(Player.id).where(Player.name == name)).first()
    player = None if number is None else people(session, [number]).get(number)
    return player if player is not None and player.has_page else None


def match(session: Session, number: int) -> PublicMatch | None:
    return next(iter(matches(session, col(Match.id) == number)), None)


def matches(session: Session, *which: Any, order: Sequence[Any] = (), most: int | None = None) -> list[PublicMatch]:
    """Return the matches that are shown, of those that fulfil these conditions, in that order."""
    columns: Any = (
        *(Match.id, Match.game, Match.state, Match.plies, Match.shift, Match.winner, Match.termination),
        *(Match.tournament, Match.seat0, Match.seat1, Match.begun_from, _MOMENT),
    )
    statement = select(*columns).where(*which).order_by(*order)
    with closing(session.execute(statement, execution_options={"yield_per": AT_ONCE})) as rows:
        return list(islice(_shown(session, rows.partitions()), most))


class Span(NamedTuple):
    folder: int
    matches: int
    first: str  # the day on which the first of them ended, or began
    last: str


def spans(session: Session, size: int) -> list[Span]:
    """Return what each folder of that many numbers has. This looks at all matches, but the database counts most."""
    block, allow = col(Match.id) // size, _allow(Player.id)
    columns: Any = (block, func.count(), func.min(_MOMENT, type_=_MOMENT.type), func.max(_MOMENT, type_=_MOMENT.type))
    usual = (col(Match.state).in_(SHOWN), col(Match.begun_from).is_(None))
    both = (col(Match.seat0).in_(allow), col(Match.seat1).in_(allow))
    counted: Any = session.execute(select(*columns).where(*usual, *both).group_by(block)).all()
    folders = {number: (count, _in_utc(first), _in_utc(last)) for number, count, first, last in counted}
    for listed in matches(session, col(Match.begun_from).is_not(None)):
        count, first, last = folders.get(listed.number // size, (0, listed.day, listed.day))
        folders[listed.number // size] = count + 1, min(first, listed.day), max(last, listed.day)
    return [
        Span(folder, count, f"{first:%Y-%m-%d}", f"{last:%Y-%m-%d}")
        for folder, (count, first, last) in sorted(folders.items())
    ]


def _shown(session: Session, parts: Iterable[Sequence[Any]]) -> Iterator[PublicMatch]:
    players: dict[int, PublicPlayer] = {}
    looked_up: set[int] = set()
    for rows in parts:
        new = {seat for row in rows for seat in row[8:10]} - looked_up
        players |= people(session, new) if new else {}
        looked_up |= new
        for *columns, first, second, source, when in rows:
            if first not in players or second not in players:
                continue
            if columns[2] in SHOWN and _can_be_followed(session, source):
                seats = (first if players[first].has_page else 0, second if players[second].has_page else 0)
                yield PublicMatch._make((*columns, seats, _in_utc(when)))


def _can_be_followed(session: Session, source: int | None) -> bool:
    """Return whether the matches are shown from whose positions a match began, back to one that began as usual."""
    while source is not None:
        columns: Any = (Match.state, Match.seat0, Match.seat1, Match.begun_from)
        row: Any = session.execute(select(*columns).where(col(Match.id) == source)).first()
        if row is None or row[0] not in SHOWN or len(people(session, {row[1], row[2]})) < len({row[1], row[2]}):
            return False
        source = row[3]
    return True


def _in_utc(moment: datetime) -> datetime:
    """Return a time as the database has it, with or without a time zone."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
