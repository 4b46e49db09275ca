"""Announcements of the operator: some more players are told each minute, in a transaction that notes who was."""

from collections.abc import Callable
from datetime import datetime
from functools import partial

from sqlalchemy import Engine, exists
from sqlmodel import Session, col

from pbem.config import ServerSettings
from pbem.moderation import broadcasts
from pbem.server.scheduled.each import NOW, each
from pbem.storage.database import lock_if_free, read_only
from pbem.storage.models import Announcement

ARE_DUE = exists().where(col(Announcement.due) <= NOW)
"""Whether there are any."""


def announce(
    engine: Engine,
    server: ServerSettings,
    now: datetime,
    stopped: Callable[[], bool] = lambda: False,
) -> int:
    """Queue the announcements that are due. Return how many had somebody to tell."""
    with read_only(engine) as session:
        numbers = broadcasts.due(session, now)
    act = partial(_announce, server=server, most=server.announced_per_minute, now=now)
    return each(engine, numbers, act, stopped, now, doing="announcements")


def _announce(session: Session, number: int, server: ServerSettings, most: int, now: datetime) -> bool:
    announcement = lock_if_free(session, Announcement, number)
    if announcement is None:  # another daemon is at it
        return False
    return broadcasts.tell_some(session, server, announcement, most, now) > 0
