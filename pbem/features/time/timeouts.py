"""Time-outs: the matches in which a player's time has run out are over, or can be claimed from then on.

Clocks that are ahead, because the server's was when a turn came, go on from now: else nobody's time would run for long.

Each match has a transaction of its own that locks it, so only one of several daemons acts on it.
"""

from collections.abc import Callable
from datetime import datetime
from functools import partial

import structlog
from sqlalchemy import Engine, exists
from sqlmodel import Session, col

from pbem.config import ServerSettings
from pbem.matches import queries, timeouts
from pbem.matches.clock import timekeeping
from pbem.players import announcements
from pbem.storage.database import lock_if_free, read_only
from pbem.storage.due import NOW, Due, act_on, each_row
from pbem.storage.models import Match

log = structlog.get_logger()


def _expire(session: Session, match: Match, server: ServerSettings, now: datetime) -> bool:
    """Do what follows in a match. Return whether anything does."""
    events = timeouts.expire(session, match, now)
    announcements.announce(session, server, now, events)
    if events:
        log.info("out of time", match=match.id, over=match.to_move is None)
    return bool(events)


def right(engine: Engine, now: datetime, stopped: Callable[[], bool]) -> int:
    """Let the clocks that are ahead go on from now, all of them. Return how many were."""
    with read_only(engine) as session:
        numbers = timekeeping.ahead(session, now)
    return act_on(engine, numbers, partial(_right, now=now), stopped, now, doing="clocks that are ahead")


def _right(session: Session, number: int, now: datetime) -> bool:
    match = lock_if_free(session, Match, number)
    if match is None or not timekeeping.right(session, match, now):
        return False
    log.warning("clock righted", match=match.id)
    return True


expire = each_row(Match, partial(queries.reached, time=Match.due), _expire, doing="time-outs")
"""Does what follows in the matches in which time has run out, and returns in how many something happened."""
ARE_DUE = exists().where(col(Match.due) <= NOW)
DUE = (Due(name="timeouts.expire", when=ARE_DUE, act=expire, waits_for_clock=True),)
