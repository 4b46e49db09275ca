"""Tournaments as they are opened: how large and long they can be, their state, and the next one where they come again.

The next season opens each week or month, by the calendar, whether or not the one before is over, until the host or the
operator ends that. It opens in a transaction of its own that locks the one before, so only one of several daemons
opens it.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from enum import StrEnum

import structlog
from sqlmodel import Session, col, func, or_, select

from pbem.config import ServerSettings
from pbem.features.tournaments.matchups import Format
from pbem.storage.database import exclude_others, lock
from pbem.storage.due_rows import due_rows
from pbem.storage.models import Entry, Player, Tournament

log = structlog.get_logger()

FEWEST = 3
MOST_PLACES = {Format.ROUND_ROBIN: 10, Format.SWISS: 64, Format.KNOCK_OUT: 64, Format.LADDER: 100}
"""In a round robin, each player meets all others."""
DEFAULT_DAYS, MOST_DAYS = 14, 90  # for how many days players can enter
MOST_ROUNDS = 15
MOST_HOSTED = 5  # of one host, not counting those that are over
LONGEST_TITLE = 40
TERMS = {"title", "kind", "game", "options", "time", "rated", "places", "host", "wanted_rounds", "every", "entry_days"}
"""The columns that stay the same from season to season."""


class TournamentState(StrEnum):
    OPEN = "open"
    RUNNING = "running"
    OVER = "over"
    CANCELLED = "called off"


EVERY = ("week", "month")
LAST_DAY = 28  # every month has it


def after(opened: datetime, every: str) -> datetime:
    """Return when the next season opens after one that opened then: on the same day of the week, or of the month.

    >>> after(datetime(2026, 12, 31, 8), "month").isoformat(), after(datetime(2026, 12, 31, 8), "week").isoformat()
    ('2027-01-28T08:00:00', '2027-01-07T08:00:00')
    """
    if every == EVERY[0]:
        return opened + timedelta(weeks=1)
    year, month = opened.year + opened.month // 12, opened.month % 12 + 1
    return opened.replace(year=year, month=month, day=min(opened.day, LAST_DAY))


def state_of(tournament: Tournament) -> TournamentState:
    if tournament.ended is None:
        return TournamentState.OPEN if tournament.started is None else TournamentState.RUNNING
    return TournamentState.CANCELLED if tournament.started is None else TournamentState.OVER


def open_(session: Session, tournament: Tournament, host: Player | None = None) -> Tournament:
    """Open a new tournament to everybody; `host_syntax.read` says what it is. A ladder begins with that."""
    tournament.id = _next_number(session)
    tournament.host = host.id if host is not None else None
    session.add(tournament)
    session.flush()
    return tournament


def open_next(session: Session, season: Tournament, now: datetime) -> Tournament:
    """Open the next season on the same terms; everybody enters anew."""
    was_all_at_once = season.at_once is None or season.at_once >= (season.rounds or 0)
    following = Tournament(
        **season.model_dump(include=TERMS),
        id=_next_number(session),
        at_once=None if was_all_at_once else season.at_once,
        previous=season.id,
        season=season.season + 1,
        closes=now + timedelta(days=season.entry_days or DEFAULT_DAYS),
        created=now,
    )
    session.add(following)
    session.flush()
    return following


def _next_number(session: Session) -> int:
    exclude_others(session.connection(), "the number of a tournament")
    return (session.exec(select(func.max(Tournament.id))).one() or 0) + 1


def hosted_by(session: Session, player: Player) -> int:
    goes_on = or_(col(Tournament.ended).is_(None), col(Tournament.reopens).is_not(None))
    theirs = (Tournament.host == player.id, goes_on)
    return session.exec(select(func.count()).select_from(Tournament).where(*theirs)).one()


def begin_now(session: Session, tournament: Tournament, now: datetime) -> None:
    tournament.closes = min(tournament.closes, now)
    session.flush()


def number_of(session: Session, tournament: Tournament) -> int:
    return numbers_of(session, [tournament])[tournament.id or 0]


def numbers_of(session: Session, tournaments: Sequence[Tournament]) -> dict[int, int]:
    """Return how many players have entered each of them; of a ladder, only those who are on it."""
    numbers = [tournament.id or 0 for tournament in tournaments]
    counts = or_(col(Entry.seed).is_not(None), col(Entry.withdrawn).is_(None))
    entrants = select(Entry.tournament, func.count()).where(col(Entry.tournament).in_(numbers), counts)
    rows = session.exec(entrants.group_by(col(Entry.tournament))).all() if numbers else ()
    return dict.fromkeys(numbers, 0) | dict(rows)


def listed(session: Session, most: int, page: int = 1) -> tuple[list[Tournament], bool]:
    """Return a page of the tournaments, the newest first, and whether more follow. Their numbers have no gaps."""
    last = (session.exec(select(func.max(Tournament.id))).one() or 0) - (page - 1) * most
    of_page = (col(Tournament.id) > last - most, col(Tournament.id) <= last)
    rows = session.exec(select(Tournament).where(*of_page).order_by(col(Tournament.id).desc())).all()
    return list(rows), last > most


def stop(session: Session, tournament: Tournament) -> bool:
    """Let no season follow the last one of a tournament. Return whether one would have."""
    season: Tournament | None = tournament
    while season is not None:
        tournament = season
        season = session.exec(select(Tournament).where(Tournament.previous == tournament.id)).first()
    last = lock(session, Tournament, tournament.id or 0) or tournament
    is_on, last.reopens = last.reopens is not None, None
    session.flush()
    return is_on


def _open(session: Session, before: Tournament, server: ServerSettings, now: datetime) -> bool:
    """Open the next season of a tournament, once where several were missed; none if its host may not host any more."""
    opens = before.reopens
    if opens is None or opens > now:
        return False
    before.reopens = None
    host = session.get(Player, before.host) if before.host is not None else None
    is_gone = host is not None and (host.deleted is not None or host.banned is not None)
    if host is not None and (is_gone or not (host.trusted is not None or server.is_admin(host.address))):
        return True
    following = open_next(session, before, now)
    while opens <= now:
        opens = after(opens, before.every or EVERY[0])
    following.reopens = opens
    log.info("tournament opened again", tournament=following.id, season=following.season)
    return True


OPEN_AGAIN = due_rows("tournaments that come again", Tournament, Tournament.reopens, _open)
