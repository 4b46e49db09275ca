"""What players watch: a match, the matches of a player, or those of a tournament; and who watches a match.

Nothing is said here of whether they may see it, which their players can change at any time (see sight).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, or_
from sqlmodel import Session, col, delete, func, select

from pbem.matches import watched
from pbem.matches.naming import name
from pbem.storage.models import Entry, Match, Player, Tournament, Watch
from pbem.storage.retention import change

MOST = 30
"""How many things a player can watch."""
MOST_SPECTATORS = 25
"""How many players can watch the same thing."""
AFTER = timedelta(hours=1)
Subject = Match | Player | Tournament
"""What can be watched."""


@dataclass(slots=True)
class Spectator:
    players: set[int] = field(default_factory=set)
    """Which of its players they watch."""
    tournament: int | None = None
    left_out: bool = False


def _is(subject: Subject) -> tuple[str, int]:
    match subject:
        case Match():
            return "match", subject.id or 0
        case Player():
            return "whom", subject.id or 0
        case Tournament():
            return "tournament", subject.id or 0


def find(session: Session, player: Player, subject: Subject) -> Watch | None:
    """Return what the player has noted about a subject; also that they don't want to see it."""
    column, number = _is(subject)
    return session.exec(select(Watch).where(Watch.player == player.id, getattr(Watch, column) == number)).first()


def begin(session: Session, player: Player, subject: Subject, now: datetime) -> bool:
    row = find(session, player, subject)
    if row is not None and not row.left_out:
        return False
    column, number = _is(subject)
    row = row or Watch(player=player.id or 0, created=now)
    setattr(row, column, number)
    row.left_out = False
    if isinstance(subject, Match):
        watched.mark(session, subject)
        row.noticed = now
    session.add(row)
    session.flush()
    return True


def end(session: Session, player: Player, subject: Subject, now: datetime) -> bool:
    """Let the player see nothing of the subject any more. Return whether they did.

    A match that they see because they watch a player or a tournament is left out from now on.
    """
    row = find(session, player, subject)
    if row is not None and row.left_out:
        return False
    if isinstance(subject, Match):
        why = spectators(session, subject).get(player.id or 0, Spectator())
        if why.players or why.tournament is not None:
            row = row or Watch(player=player.id or 0, match=subject.id, created=now, noticed=now)
            row.left_out = True
            session.add(row)
            session.flush()
            return True
    if row is not None:
        session.delete(row)
        session.flush()
    return row is not None


def end_all(session: Session, player: Player) -> int:
    found = number(session, player)
    change(session, delete(Watch).where(col(Watch.player) == player.id))
    return found


def number(session: Session, player: Player) -> int:
    return session.exec(select(func.count()).select_from(Watch).where(Watch.player == player.id)).one()


def number_of_spectators(session: Session, subject: Subject) -> int:
    column, number = _is(subject)
    return session.exec(select(func.count()).select_from(Watch).where(getattr(Watch, column) == number)).one()


def of_player(session: Session, player: Player) -> Sequence[Watch]:
    return session.exec(select(Watch).where(Watch.player == player.id).order_by(col(Watch.id))).all()


def spectators(session: Session, match: Match) -> dict[int, Spectator]:
    found: dict[int, Spectator] = {}
    ways = [col(Watch.match) == match.id, col(Watch.whom).in_((match.seat0, match.seat1))]
    if match.tournament is not None:
        ways.append(col(Watch.tournament) == match.tournament)
    rows = select(Watch.player, Watch.whom, Watch.tournament, Watch.left_out).where(or_(*ways))
    for player, whom, tournament, left_out in session.exec(rows):
        why = found.setdefault(player, Spectator())
        why.left_out |= left_out
        why.players |= set() if whom is None else {whom}
        why.tournament = why.tournament or tournament
    return {player: why for player, why in sorted(found.items()) if not why.left_out}


def are_of(tournament: Tournament) -> tuple[ColumnElement[bool], ...]:
    entered = select(Entry.player).where(Entry.tournament == tournament.id)
    return col(Match.seat0).in_(entered), col(Match.tournament) == tournament.id


def unnoticed(session: Session, most: int) -> list[int]:
    rows = select(Watch.id).where(col(Watch.noticed).is_(None)).order_by(col(Watch.id)).limit(most)
    return [number or 0 for number in session.exec(rows)]


def close(session: Session, match: Match) -> None:
    change(session, delete(Watch).where(col(Watch.match) == match.id))


def tidy(session: Session, player: Player, now: datetime) -> None:
    """Forget that the player watches tournaments that were over an hour ago: their last matches are shown by then."""
    for row in of_player(session, player):
        tournament = session.get_one(Tournament, row.tournament) if row.tournament is not None else None
        if tournament is not None and tournament.ended is not None and tournament.ended < now - AFTER:
            session.delete(row)
    session.flush()


def forget(session: Session, player: Player, addresses: Collection[str], now: datetime) -> None:
    change(session, delete(Watch).where(or_(col(Watch.player) == player.id, col(Watch.whom) == player.id)))


def export(session: Session, player: Player) -> dict[str, Any]:
    return {"watches": [_as_facts(session, row) for row in of_player(session, player)]}


def _as_facts(session: Session, row: Watch) -> dict[str, Any]:
    whom = session.get_one(Player, row.whom) if row.whom is not None else None
    return {
        "match": row.match,
        "player": None if whom is None else name(whom),
        "tournament": row.tournament,
        "left_out": row.left_out,
        "since": row.created,
    }
