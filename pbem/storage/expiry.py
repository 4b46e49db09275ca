"""Expiry: mails that are long done with are removed from their rows, some at a time, beside the other work.

What is new, held, put aside or still to be sent is never touched, and neither are matches and their turns.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from sqlalchemy import Engine
from sqlmodel import Session, col, func, select, update

from pbem.storage import retention
from pbem.storage.database import transaction
from pbem.storage.models import Incoming, IncomingState, Outgoing, OutgoingState

log = structlog.get_logger()

EVERY = timedelta(hours=1)
AT_A_TIME = 200
LASTING = ("alert",)
"""Mails whose words are looked at later, and tell nothing of anybody."""


@dataclass(slots=True)
class Expiry:
    """When this process looks for old mails again."""

    due: datetime | None = None

    def step(self, engine: Engine, keep_days: int, now: datetime) -> int:
        """Remove the next few old mails, if it is time; how many. With 0 days all are kept for ever."""
        clock_was_set_back = self.due is not None and self.due - now > EVERY
        if not keep_days or (self.due is not None and now < self.due and not clock_was_set_back):
            return 0
        before = now - timedelta(days=keep_days)
        with transaction(engine) as session:
            unanswered = _give_up_held(session, before, now)
            came, sent = _remove_incoming(session, before), _remove_outgoing(session, before)
        if AT_A_TIME not in (came, sent):  # where there was as much as fits there may be more
            self.due = now + EVERY
        if came or sent or unanswered:
            log.info("old mails removed", incoming=came, outgoing=sent, unanswered=unanswered, before=f"{before:%F}")
        return came + sent


def _give_up_held(session: Session, before: datetime, now: datetime) -> int:
    """Settle the mails that waited in vain for their sender's yes; how many. They are removed like any other."""
    held = session.exec(
        select(Incoming)
        .where(Incoming.state == IncomingState.HELD, col(Incoming.received) < before)
        .order_by(col(Incoming.id))
        .limit(AT_A_TIME)
        .with_for_update(skip_locked=True)
    ).all()
    for row in held:
        row.state, row.verdict, row.handled = IncomingState.DONE, "not confirmed in time", now
        session.add(row)
    session.flush()
    return len(held)


def _remove_incoming(session: Session, before: datetime) -> int:
    old = session.exec(
        select(Incoming.id)
        .where(Incoming.state == IncomingState.DONE, col(Incoming.received) < before, retention.KEPT)
        .order_by(col(Incoming.id))
        .limit(AT_A_TIME)
    ).all()
    retention.change(session, update(Incoming).where(col(Incoming.id).in_(old)).values(retention.EMPTY))
    return len(old)


def _remove_outgoing(session: Session, before: datetime) -> int:
    done = (OutgoingState.SENT, OutgoingState.MERGED, OutgoingState.DROPPED)
    old = session.exec(
        select(Outgoing)
        .where(
            col(Outgoing.state).in_(done),
            func.coalesce(Outgoing.sent, Outgoing.created) < before,
            col(Outgoing.template).not_in(LASTING),
            retention.SPEAKS,
        )
        .order_by(col(Outgoing.id))
        .limit(AT_A_TIME)
    ).all()
    for row in old:
        row.payload, row.facts, row.error = retention.remainder(row.payload), None, None
        row.in_reply_to, row.references = None, []
        session.add(row)
    return len(old)
