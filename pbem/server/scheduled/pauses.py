"""Pauses that end by themselves, as the players of a match agreed, each in a transaction that locks the match."""

from collections.abc import Callable
from datetime import datetime

import structlog
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, select

from pbem.config import ServerSettings
from pbem.matches import agreements, queries
from pbem.players import announcements
from pbem.storage.database import read_only, transaction
from pbem.storage.models import Match

log = structlog.get_logger()

AT_ONCE = 200
"""How many matches are looked at in one go."""


def end(engine: Engine, server: ServerSettings, now: datetime, stopped: Callable[[], bool] = lambda: False) -> int:
    """End the pauses that are over, and tell both players. Return how many those are."""
    with read_only(engine) as session:
        numbers = queries.to_resume(session, now, AT_ONCE)
    ended = 0
    for number in numbers:
        if stopped():
            break
        try:
            with transaction(engine) as session:
                ended += _end(session, server, number, now)
        except DBAPIError:
            raise
        except Exception:  # a bug: the other matches must not wait for this one
            log.exception("not resumed", match=number)
    return ended


def _end(session: Session, server: ServerSettings, number: int, now: datetime) -> bool:
    """End the pause of a match. Return whether it had one that is over."""
    match = session.exec(select(Match).where(Match.id == number).with_for_update(skip_locked=True)).first()
    if match is None:  # another daemon is at it
        return False
    events = agreements.resume_by_itself(session, match, now)
    announcements.announce(session, server, now, events)
    return bool(events)
