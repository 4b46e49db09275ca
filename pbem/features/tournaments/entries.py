"""Entries: tournaments are opened, players enter and withdraw; with rows, until and beside what is paired.

Whoever enters has locked the tournament's row, so that nobody gets a place that is taken, or comes after the beginning.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy import delete, exists, update
from sqlmodel import Session, and_, col, func, or_, select

from pbem.features.tournaments.standings import Format
from pbem.storage import retention
from pbem.storage.database import exclude_others
from pbem.storage.models import Entry, Match, Player, Tournament

FEWEST = 3
MOST_PLACES: Mapping[Format, int] = {
    Format.ROUND_ROBIN: 10,
    Format.SWISS: 64,
    Format.KNOCK_OUT: 64,
    Format.LADDER: 100,
}
"""In a round robin, each player meets all others."""
DEFAULT_DAYS, MOST_DAYS = 14, 90  # for how many days players can enter
MOST_ROUNDS = 15
MOST_ENTERED = 10  # of one player, not counting those that are over
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
    """Open a new tournament to everybody; `host_command.read` says what it is. A ladder begins with that."""
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


def enter(session: Session, tournament: Tournament, player: Player, now: datetime) -> None:
    """Let the player enter. If theirs was the last place, the tournament begins with the next look at the clock."""
    session.add(Entry(tournament=tournament.id or 0, player=player.id or 0, entered=now))
    session.flush()
    if number_of(session, tournament) >= tournament.places:
        tournament.closes = now
        session.flush()


def begin_now(session: Session, tournament: Tournament, now: datetime) -> None:
    tournament.closes = min(tournament.closes, now)
    session.flush()


def entry_of(session: Session, tournament: Tournament, player: Player) -> Entry | None:
    return session.get(Entry, (tournament.id, player.id))


def number_of(session: Session, tournament: Tournament) -> int:
    return numbers_of(session, [tournament])[tournament.id or 0]


def numbers_of(session: Session, tournaments: Sequence[Tournament]) -> dict[int, int]:
    """Return how many players have entered each of them; of a ladder, only those who are on it."""
    numbers = [tournament.id or 0 for tournament in tournaments]
    counts = or_(col(Entry.seed).is_not(None), col(Entry.withdrawn).is_(None))
    entrants = select(Entry.tournament, func.count()).where(col(Entry.tournament).in_(numbers), counts)
    rows = session.exec(entrants.group_by(col(Entry.tournament))).all() if numbers else ()
    return dict.fromkeys(numbers, 0) | dict(rows)


def players_of(session: Session, tournament: Tournament) -> list[tuple[Entry, Player]]:
    entrants = select(Entry, Player).join(Player, col(Player.id) == col(Entry.player))
    rows = session.exec(entrants.where(Entry.tournament == tournament.id)).all()
    return sorted(rows, key=lambda row: (row[0].seed or 0, row[0].entered, row[0].player))


def locked_people(session: Session, numbers: Collection[int]) -> dict[int, Player]:
    """Return players, locked so that nobody is banned or deleted meanwhile, as everywhere by their numbers."""
    players = select(Player).where(col(Player.id).in_(numbers)).order_by(col(Player.id)).with_for_update(read=True)
    rows = session.exec(players.execution_options(populate_existing=True)).all() if numbers else ()
    return {player.id or 0: player for player in rows}


def running(session: Session, tournament: Tournament, player: Player) -> tuple[int, ...]:
    theirs = or_(Match.seat0 == player.id, Match.seat1 == player.id)
    matches = select(Match.id).where(Match.tournament == tournament.id, col(Match.to_move).is_not(None), theirs)
    return tuple(number or 0 for number in session.exec(matches.order_by(col(Match.id))))


def going_on(session: Session, player: Player) -> int:
    of_it = and_(col(Tournament.id) == col(Entry.tournament), col(Tournament.ended).is_(None))
    theirs = (Entry.player == player.id, col(Entry.withdrawn).is_(None))
    return session.exec(select(func.count()).select_from(Entry).join(Tournament, of_it).where(*theirs)).one()


def withdraw(session: Session, tournament: Tournament, player: Player, now: datetime) -> bool:
    """Pair the player no more; their matches go on, and count. Return whether it has begun, so that a row stays."""
    entry = session.get_one(Entry, (tournament.id, player.id), populate_existing=True)
    if tournament.started is None:
        session.delete(entry)
    else:
        entry.withdrawn = now
    session.flush()
    return tournament.started is not None


def forget(session: Session, player: Player, addresses: Collection[str], now: datetime) -> None:
    """Take a player whose account is closed or deleted out of all tournaments. The caller has locked the player."""
    theirs = col(Entry.player) == player.id
    of_it = (col(Tournament.id) == col(Entry.tournament), col(Tournament.ended).is_(None))
    is_open = exists().where(*of_it, col(Tournament.started).is_(None))
    retention.change(session, delete(Entry).where(theirs, is_open))
    present = (theirs, exists().where(*of_it), col(Entry.withdrawn).is_(None))
    retention.change(session, update(Entry).where(*present).values(withdrawn=now))


def listed(session: Session, most: int, page: int = 1) -> tuple[list[Tournament], bool]:
    """Return a page of the tournaments, the newest first, and whether more follow. Their numbers have no gaps."""
    last = (session.exec(select(func.max(Tournament.id))).one() or 0) - (page - 1) * most
    of_page = (col(Tournament.id) > last - most, col(Tournament.id) <= last)
    rows = session.exec(select(Tournament).where(*of_page).order_by(col(Tournament.id).desc())).all()
    return list(rows), last > most
