"""Time-outs: the matches in which a player's time has run out are over, or can be claimed from then on.

Each match has a transaction of its own that locks it, so only one of several daemons acts on it.
"""

from datetime import datetime
from functools import partial

import structlog
from sqlalchemy import exists
from sqlmodel import Session, col

from pbem.config import ServerSettings
from pbem.matches import queries, timeouts
from pbem.players import announcements
from pbem.storage.due import NOW, Due, each_row
from pbem.storage.models import Match

log = structlog.get_logger()


def _expire(session: Session, match: Match, server: ServerSettings, now: datetime) -> bool:
    events = timeouts.expire(session, match, now)
    announcements.announce(session, server, now, events)
    if events:
        log.info("out of time", match=match.id, over=match.to_move is None)
    return bool(events)


expire = each_row(Match, partial(queries.reached, time=Match.due), _expire, doing="time-outs")
"""Does what follows in the matches in which time has run out, and returns in how many something happened."""
ARE_DUE = exists().where(col(Match.due) <= NOW)
DUE = (Due(name="timeouts.expire", when=ARE_DUE, act=expire),)
