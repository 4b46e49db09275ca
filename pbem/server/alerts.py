"""Telling the admin by mail that mails wait for him: at most once an hour, and nothing of what people wrote."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import structlog
from sqlalchemy import Engine
from sqlmodel import Session, and_, col, or_, select

from pbem.config import ServerSettings
from pbem.storage import outbox
from pbem.storage.database import exclude_others, transaction
from pbem.storage.models import Incoming, IncomingState, Outgoing, OutgoingState

log = structlog.get_logger()

TEMPLATE = "alert"
AT_MOST_EVERY = timedelta(hours=1)
LISTED = 20
"""So many mails are listed; `pbem shunted` lists them all."""

_SHUNTED = select(Incoming.id).where(Incoming.state == IncomingState.SHUNTED).order_by(col(Incoming.id))
_FAILED = select(Outgoing.id).where(
    Outgoing.template != TEMPLATE,
    or_(
        col(Outgoing.state) == OutgoingState.FAILED,
        and_(col(Outgoing.state) == OutgoingState.OWED, col(Outgoing.error).startswith("Traceback")),
    ),
)
"""Owed mails that nobody would take, and those that a bug keeps from being made."""


def tell(engine: Engine, server: ServerSettings, now: datetime) -> bool:
    """Owe the admin a mail if there is something to tell that the last one did not; whether it is owed."""
    if server.admin is None:
        return False
    with transaction(engine) as session:
        exclude_others(session.connection(), "alert")  # of several daemons one tells
        came, owed = session.exec(_SHUNTED).all(), session.exec(_FAILED.order_by(col(Outgoing.id))).all()
        if not came and not owed:
            return False
        last = _last(session, server.admin)
        if last is not None and (abs(now - last.created) < AT_MOST_EVERY or not _is_news(session, last, came, owed)):
            return False
        outbox.owe(
            session,
            now,
            server.domain,
            template=TEMPLATE,
            address=server.admin,
            words={"came": came, "owed": owed, "listed": LISTED},
        )
    log.error("mails wait for the operator", shunted=len(came), failed=len(owed))
    return True


def _last(session: Session, admin: str) -> Outgoing | None:
    """The last alert that was owed, sent or not."""
    alerts = select(Outgoing).where(Outgoing.address == admin, Outgoing.template == TEMPLATE)
    return session.exec(alerts.order_by(col(Outgoing.id).desc()).limit(1)).first()


def _is_news(session: Session, last: Outgoing, came: Sequence[int | None], owed: Sequence[int | None]) -> bool:
    """Whether there is a mail that the last alert did not list, or one that was shunted again since."""
    if not {*came} <= {*last.words["came"]} or not {*owed} <= {*last.words["owed"]}:
        return True
    again = select(Incoming.id).where(Incoming.state == IncomingState.SHUNTED, col(Incoming.handled) > last.created)
    return session.exec(again.limit(1)).first() is not None
