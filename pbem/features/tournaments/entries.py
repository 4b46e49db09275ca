"""Who has entered a tournament, and who withdrew.

Whoever enters has locked the tournament's row, so that nobody gets a place that is taken, or comes after the beginning.
"""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import delete, exists, update
from sqlmodel import Session, and_, col, func, or_, select

from pbem.features.tournaments.openings import number_of
from pbem.storage import retention
from pbem.storage.models import Entry, Match, Player, Tournament

MOST_ENTERED = 10  # of one player, not counting those that are over


def enter(session: Session, tournament: Tournament, player: Player, now: datetime) -> None:
    """Let the player enter. If theirs was the last place, the tournament begins with the next look at the clock."""
    session.add(Entry(tournament=tournament.id or 0, player=player.id or 0, entered=now))
    session.flush()
    if number_of(session, tournament) >= tournament.places:
        tournament.closes = now
        session.flush()


def entry_of(session: Session, tournament: Tournament, player: Player) -> Entry | None:
    return session.get(Entry, (tournament.id, player.id))


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
