"""Announcements of the operator: some more players are told each minute, in a transaction that notes who was."""

from collections.abc import Callable
from datetime import datetime
from functools import partial

from sqlalchemy import Engine, exists
from sqlmodel import col

from pbem.config import ServerSettings
from pbem.features.moderation import broadcasts
from pbem.storage.due import NOW, Due, act_on_rows
from pbem.storage.models import Announcement

ARE_DUE = exists().where(col(Announcement.due) <= NOW)
"""Whether there are any."""


def announce(
    engine: Engine,
    server: ServerSettings,
    now: datetime,
    stopped: Callable[[], bool] = lambda: False,
    most: int = broadcasts.PER_MINUTE,
) -> int:
    """Queue the announcements that are due. Return how many had somebody to tell."""
    act = partial(broadcasts.tell_some, server=server, now=now, most=most)
    return act_on_rows(engine, Announcement, partial(broadcasts.due, now=now), act, stopped, now, doing="announcements")


DUE = (Due(name="announcing.announce", when=ARE_DUE, act=announce),)
