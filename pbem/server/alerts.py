"""Telling the admin by email that messages need attention: at most hourly, and quoting nothing that people wrote."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import structlog
from sqlalchemy import Engine
from sqlmodel import Session, and_, col, or_, select

from pbem.config import ServerSettings
from pbem.payloads.messages import Alert
from pbem.storage.database import exclude_others, read_only, transaction
from pbem.storage.models import Incoming, IncomingState, Outgoing, OutgoingState
from pbem.storage.outbox import Mailer

log = structlog.get_logger()

TEMPLATE = "alert"
AT_MOST_EVERY = timedelta(hours=1)
LISTED = 20
"""How many messages an alert lists; `pbem shunted` lists them all."""

_SHUNTED = select(Incoming.id).where(Incoming.state == IncomingState.SHUNTED).order_by(col(Incoming.id))
_FAILED = select(Outgoing.id).where(
    Outgoing.template != TEMPLATE,
    or_(
        col(Outgoing.state) == OutgoingState.FAILED,
        and_(col(Outgoing.state) == OutgoingState.OWED, col(Outgoing.error).startswith("Traceback")),
    ),
)
"""Outgoing messages that were refused for good, and those that a bug prevents from being rendered."""


def tell(engine: Engine, server: ServerSettings, now: datetime) -> bool:
    """Enqueue an alert if there is something that the last one didn't tell. Return whether there was."""
    if server.admin is None:
        return False
    with read_only(engine) as session:
        if _news(session, server.admin, now) is None:
            return False
    with transaction(engine) as session:
        exclude_others(session.connection(), "alert")  # only one of several daemons tells
        news = _news(session, server.admin, now)
        if news is None:
            return False
        came, owed = news
        alert = Alert(came=_numbers(came), owed=_numbers(owed), listed=LISTED)
        Mailer(session, server, now).to_address(server.admin, alert)
    log.error("mails wait for the operator", shunted=len(came), failed=len(owed))
    return True


def _numbers(ids: Sequence[int | None]) -> tuple[int, ...]:
    return tuple(number for number in ids if number is not None)


def _news(session: Session, admin: str, now: datetime) -> tuple[Sequence[int | None], Sequence[int | None]] | None:
    """Return the messages that need attention, received and outgoing; None if there is no reason to tell."""
    came, owed = session.exec(_SHUNTED).all(), session.exec(_FAILED.order_by(col(Outgoing.id))).all()
    if not came and not owed:
        return None
    last = _last(session, admin)
    if last is not None and (abs(now - last.created) < AT_MOST_EVERY or not _is_new(session, last, came, owed)):
        return None
    return came, owed


def _last(session: Session, admin: str) -> Outgoing | None:
    """Return the last alert, sent or not."""
    alerts = select(Outgoing).where(Outgoing.address == admin, Outgoing.template == TEMPLATE)
    return session.exec(alerts.order_by(col(Outgoing.id).desc()).limit(1)).first()


def _is_new(session: Session, last: Outgoing, came: Sequence[int | None], owed: Sequence[int | None]) -> bool:
    """Return whether a message is missing from the last alert, or was shunted again since."""
    if not {*came} <= {*last.payload["came"]} or not {*owed} <= {*last.payload["owed"]}:
        return True
    again = select(Incoming.id).where(Incoming.state == IncomingState.SHUNTED, col(Incoming.handled) > last.created)
    return session.exec(again.limit(1)).first() is not None
