"""Pauses that end by themselves, as the players of a match agreed, each in a transaction that locks the match."""

from collections.abc import Callable
from datetime import datetime
from functools import partial

import structlog
from sqlalchemy import Engine, exists
from sqlmodel import Session, col

from pbem.config import ServerSettings
from pbem.matches import agreements, queries
from pbem.players import announcements
from pbem.server.scheduled.each import AT_ONCE, NOW, each
from pbem.storage.database import lock_if_free, read_only
from pbem.storage.models import Match

log = structlog.get_logger()

ARE_OVER = exists().where(col(Match.resumes) <= NOW)
"""Whether there are any."""


def end(engine: Engine, server: ServerSettings, now: datetime, stopped: Callable[[], bool] = lambda: False) -> int:
    """End the pauses that are over, and tell both players. Return how many those are."""
    with read_only(engine) as session:
        numbers = queries.reached(session, Match.resumes, now, AT_ONCE)
    return each(engine, numbers, partial(_end, server=server, now=now), stopped, now, doing="pauses")


def _end(session: Session, number: int, server: ServerSettings, now: datetime) -> bool:
    """End the pause of a match. Return whether it had one that is over."""
    match = lock_if_free(session, Match, number)
    if match is None:  # another daemon is at it
        return False
    events = agreements.resume_by_itself(session, match, now)
    announcements.announce(session, server, now, events)
    return bool(events)
