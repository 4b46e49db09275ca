"""Telling the admin which players can't be reached, in one message per hour at most.

Only players count: addresses of people who never joined bounce all the time, since anyone can make us write there.
"""

from datetime import datetime, timedelta

from sqlalchemy import Engine, exists
from sqlmodel import Session, col, select

from pbem.config import ServerSettings
from pbem.matches.queries import name, of_player
from pbem.messages.said.messages import PlayerUnreachable
from pbem.storage.database import exclude_others, read_only, transaction
from pbem.storage.due import NOW
from pbem.storage.models import MatchState, Outgoing, Player
from pbem.storage.outbox import WITH_CONTENT, Mailer

TEMPLATE = "unreachable_admin"
AT_MOST_EVERY = timedelta(hours=1)
REMEMBERED = 200
"""The maximum number of players that a message records, so that others given up in that moment are still reported."""


_GONE = (col(Player.unreachable).is_not(None), col(Player.confirmed).is_not(None), col(Player.deleted).is_(None))
ARE_ANY = exists().where(*_GONE, col(Player.unreachable) <= NOW)
"""Whether any players can't be reached."""


def tell(engine: Engine, server: ServerSettings, now: datetime) -> bool:
    """Enqueue a message if more players can't be reached since the last one. Return whether there were any."""
    if server.admin is None:
        return False
    with read_only(engine) as session:
        if not _news(session, server.admin, now):
            return False
    with transaction(engine) as session:
        exclude_others(session.connection(), "unreachable")  # only one of several daemons tells
        players = _news(session, server.admin, now)
        if not players:
            return False
        first, *others = players
        waiting = of_player(session, first, (MatchState.RUNNING, MatchState.OFFERED))
        told = PlayerUnreachable(
            who=first.address,
            by=name(first),
            matches=tuple(match.id for match in waiting if match.id is not None),
            others=len(others),
            told=tuple(player.id or 0 for player in players[:REMEMBERED]),
        )
        Mailer(session, server, now).to_address(server.admin, told)
    return True


def _news(session: Session, admin: str, now: datetime) -> list[Player]:
    """Return the players who became unreachable since the admin was last told, if that was long enough ago."""
    newest = select(Outgoing).where(Outgoing.address == admin, Outgoing.template == TEMPLATE)
    last = session.exec(newest.order_by(col(Outgoing.created).desc()).limit(1).options(WITH_CONTENT)).first()
    if last is not None and abs(now - last.created) < AT_MOST_EVERY:
        return []
    gone = select(Player).where(*_GONE)
    if last is not None and last.created < now:
        gone = gone.where(col(Player.unreachable) >= last.created)
    told = last.payload.get("told", ()) if last is not None else ()
    found = session.exec(gone.order_by(col(Player.unreachable), col(Player.id))).all()
    return [player for player in found if last is None or player.unreachable != last.created or player.id not in told]
