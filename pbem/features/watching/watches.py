"""Which matches players watch. Whether they may see one is decided elsewhere (see players.watching_rights)."""

from collections.abc import Sequence
from datetime import datetime

from sqlmodel import Session, col, delete, func, select

from pbem.matches.queries import version
from pbem.storage.models import Match, Player, Watch
from pbem.storage.retention import change

MOST, MOST_SPECTATORS = 30, 25  # how many matches a player can watch, and how many players can watch the same match


def find(session: Session, player: Player, match: Match) -> Watch | None:
    return session.get(Watch, (player.id, match.id))


def begin(session: Session, player: Player, match: Match, now: datetime) -> bool:
    if find(session, player, match) is not None:
        return False
    mark(session, match)
    session.add(Watch(player=player.id or 0, match=match.id or 0, created=now))
    session.flush()
    return True


def end(session: Session, player: Player, match: Match) -> bool:
    row = find(session, player, match)
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


def spectators(session: Session, match: Match) -> Sequence[int]:
    return session.exec(select(Watch.player).where(Watch.match == match.id).order_by(col(Watch.player))).all()


def mark(session: Session, match: Match) -> None:
    """Mark a match, which is locked, as watched from now on, if it isn't yet."""
    if match.shown is None:
        match.shown = version(match)
        session.flush()
