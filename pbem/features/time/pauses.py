"""Pauses that end by themselves, as the players of a match agreed, each in a transaction that locks the match."""

from collections.abc import Callable
from datetime import datetime
from functools import partial

from sqlalchemy import Engine, exists
from sqlmodel import Session, col

from pbem.config import ServerSettings
from pbem.matches import agreements, queries
from pbem.players import announcements
from pbem.storage.due import NOW, Due, act_on_rows
from pbem.storage.models import Match

ARE_OVER = exists().where(col(Match.resumes) <= NOW)
"""Whether there are any."""


def end(engine: Engine, server: ServerSettings, now: datetime, stopped: Callable[[], bool] = lambda: False) -> int:
    """End the pauses that are over, and tell both players. Return how many those are."""
    find = partial(queries.reached, time=Match.resumes, now=now)
    return act_on_rows(engine, Match, find, partial(_end, server=server, now=now), stopped, now, doing="pauses")


def _end(session: Session, match: Match, server: ServerSettings, now: datetime) -> bool:
    """End the pause of a match. Return whether it had one that is over."""
    events = agreements.resume_by_itself(session, match, now)
    announcements.announce(session, server, now, events)
    return bool(events)


DUE = (Due(name="pauses.end", when=ARE_OVER, act=end, waits_for_clock=True),)
