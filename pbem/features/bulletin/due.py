"""Weekly bulletins: each is queued in a transaction that moves the time of the player's next one."""

from collections.abc import Callable
from datetime import datetime
from functools import partial

from sqlalchemy import Engine, exists
from sqlmodel import Session, col

from pbem.config import ServerSettings
from pbem.features.bulletin import bulletins
from pbem.storage.due import NOW, Due, act_on_rows
from pbem.storage.models import Bulletin
from pbem.storage.outbox import Mailer
from pbem.tokens import Purpose

ARE_DUE = exists().where(col(Bulletin.due) <= NOW)
"""Whether there are any."""


def send(
    engine: Engine,
    server: ServerSettings,
    now: datetime,
    stopped: Callable[[], bool] = lambda: False,
) -> int:
    """Queue the bulletins that are due, some of them. Return how many had something to tell."""
    find, act = partial(bulletins.due, now=now), partial(_send, server=server, now=now)
    return act_on_rows(engine, Bulletin, find, act, stopped, now, doing="bulletins")


def _send(session: Session, row: Bulletin, server: ServerSettings, now: datetime) -> bool:
    found = bulletins.next_for(session, row, now)
    if found is None:
        return False
    player, told = found
    Mailer(session, server, now).to_player(player, told, purpose=Purpose.PERSONAL, is_notice=True)
    return True


DUE = (Due(name="bulletins.send", when=ARE_DUE, act=send, waits_for_clock=True),)
