"""Time-outs: the matches in which a player's time has run out are over, or can be claimed from then on.

Each match has a transaction of its own that locks it, so only one of several daemons acts on it.
"""

from collections.abc import Callable
from datetime import datetime

import structlog
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, select

from pbem import failpoints
from pbem.config import ServerSettings
from pbem.failpoints import Step
from pbem.matches import queries, timeouts
from pbem.players import announcements
from pbem.storage.database import read_only, transaction
from pbem.storage.models import Match

log = structlog.get_logger()

AT_ONCE = 200
"""How many matches are looked at in one go."""


def expire(engine: Engine, server: ServerSettings, now: datetime, stopped: Callable[[], bool] = lambda: False) -> int:
    """Do what follows in the matches in which time has run out. Return in how many something happened."""
    with read_only(engine) as session:
        numbers = queries.due(session, now, AT_ONCE)
    expired = 0
    for number in numbers:
        if stopped():
            break
        try:
            with transaction(engine) as session:
                has_expired = _expire(session, server, number, now)
                if has_expired:
                    failpoints.reach(Step.DUE)
            expired += has_expired
        except DBAPIError:
            raise
        except Exception:  # a bug: the other matches must not wait for this one
            log.exception("not expired", match=number)
    return expired


def _expire(session: Session, server: ServerSettings, number: int, now: datetime) -> bool:
    """Do what follows in a match. Return whether anything does."""
    match = session.exec(select(Match).where(Match.id == number).with_for_update(skip_locked=True)).first()
    if match is None:  # another daemon is at it
        return False
    events = timeouts.expire(session, match, now)
    announcements.announce(session, server, now, events)
    if events:
        log.info("out of time", match=number, over=match.to_move is None)
    return bool(events)
