"""Weekly bulletins: each is queued in a transaction that moves the time of the player's next one."""

from datetime import datetime

from sqlalchemy import exists
from sqlmodel import Session, col

from pbem.config import ServerSettings
from pbem.features.bulletin import bulletins
from pbem.storage.due import NOW, Due, each_row
from pbem.storage.models import Bulletin
from pbem.storage.outbox import Mailer
from pbem.tokens import Purpose


def _send(session: Session, row: Bulletin, server: ServerSettings, now: datetime) -> bool:
    found = bulletins.next_for(session, row, now)
    if found is None:
        return False
    player, told = found
    Mailer(session, server, now).to_player(player, told, purpose=Purpose.PERSONAL, is_notice=True)
    return True


send = each_row(Bulletin, bulletins.due, _send, doing="bulletins")
"""Queues the bulletins that are due, some of them, and returns how many had something to tell."""
ARE_DUE = exists().where(col(Bulletin.due) <= NOW)
DUE = (Due(name="bulletins.send", when=ARE_DUE, act=send),)
