"""Tournaments that come again: the next season opens each week or month, until the host or the operator ends that.

A season opens by the calendar, whether or not the one before is over. Each has a transaction of its own that locks the
one before, so only one of several daemons opens it.
"""

from datetime import datetime

import structlog
from sqlalchemy import exists
from sqlmodel import Session, col, select

from pbem.config import ServerSettings
from pbem.features.tournaments import entries
from pbem.storage.due import NOW, Due, each_row
from pbem.storage.models import Player, Tournament

log = structlog.get_logger()


def newest(session: Session, tournament: Tournament) -> Tournament:
    """Return the last season of a tournament that comes again, locked: the one after which another opens, if any."""
    found: Tournament | None = tournament
    while found is not None:
        tournament = found
        found = session.exec(select(Tournament).where(Tournament.previous == tournament.id)).first()
    return entries.locked(session, tournament.id or 0) or tournament


def stop(session: Session, tournament: Tournament) -> bool:
    """Let no season follow any more. Return whether one would have."""
    last = newest(session, tournament)
    is_on, last.reopens = last.reopens is not None, None
    session.flush()
    return is_on


def _opening(session: Session, now: datetime, most: int) -> list[int]:
    found = select(Tournament.id).where(col(Tournament.reopens) <= now).order_by(col(Tournament.reopens)).limit(most)
    return [number or 0 for number in session.exec(found)]


def _open(session: Session, before: Tournament, server: ServerSettings, now: datetime) -> bool:
    """Open the next season of a tournament, once where several were missed; none if its host may not host any more."""
    opens = before.reopens
    if opens is None or opens > now:
        return False
    before.reopens = None
    host = session.get(Player, before.host) if before.host is not None else None
    if host is not None and not _may_host(host, server):
        return True
    following = entries.open_next(session, before, now)
    while opens <= now:
        opens = entries.after(opens, before.every or entries.EVERY[0])
    following.reopens = opens
    log.info("tournament opened again", tournament=following.id, season=following.season)
    return True


def _may_host(host: Player, server: ServerSettings) -> bool:
    is_here = host.deleted is None and host.banned is None
    return is_here and (host.trusted is not None or server.is_admin(host.address))


open_again = each_row(Tournament, _opening, _open, doing="tournaments that come again")
"""Opens the seasons that are due, and returns how many were looked after."""
ARE_DUE = exists().where(col(Tournament.reopens) <= NOW)
DUE = (Due(name="tournaments.open_again", when=ARE_DUE, act=open_again),)
