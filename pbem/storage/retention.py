"""Retention: what stays of a message's row when the message is removed, and removing messages that are old enough.

Messages that are new, held, shunted or still to be sent are never removed, and neither are matches and their turns.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog
from sqlalchemy import Engine, Text, case, cast
from sqlmodel import Session, col, func, select, update

from pbem.storage.database import transaction
from pbem.storage.models import Incoming, IncomingState, Outgoing, OutgoingState

log = structlog.get_logger()

EVERY = timedelta(hours=1)
"""How often old messages are looked for."""
BATCH = 200
"""How many are removed in one transaction."""
KEPT_TEMPLATES = ("alert",)
"""Messages whose payload is needed later and says nothing about anybody."""

EMPTY: dict[str, Any] = {
    "raw": b"",
    "sender": None,
    "recipients": [],
    "error": None,
    "source": case((col(Incoming.source).startswith("smtp"), "smtp"), else_=Incoming.source),
}
"""The columns of a received message once it is removed. Its key stays, so that a replay is recognised."""
KEPT = func.length(Incoming.raw) > 0
"""Whether a received message is still there."""
SPEAKS = cast(Outgoing.payload, Text).not_like('%"removed": true%')
"""Whether an outgoing message still has its payload."""


def remainder(payload: dict[str, Any]) -> dict[str, Any]:
    """Return what is kept of a message's payload: what an answer to it may still need.

    >>> remainder({"matches": [], "plies": {"3": 7}})
    {'removed': True, 'plies': {'3': 7}}
    """
    return {"removed": True, **({"plies": payload["plies"]} if "plies" in payload else {})}


def is_removed(row: Outgoing) -> bool:
    """Return whether the payload of the message is gone, so that it can't be sent once more."""
    return bool(row.payload.get("removed"))


def change(session: Session, statement: Any) -> None:
    """Change rows in the database without synchronising the session."""
    session.flush()
    session.execute(statement.execution_options(synchronize_session=False))


@dataclass(slots=True)
class Retention:
    """Removes old messages; knows when this process looks for them again."""

    due: datetime | None = None

    def step(self, engine: Engine, keep_days: int, now: datetime) -> int:
        """Remove the next few old messages if it is time; return how many. With 0 days all are kept."""
        clock_was_set_back = self.due is not None and self.due - now > EVERY
        if not keep_days or (self.due is not None and now < self.due and not clock_was_set_back):
            return 0
        before = now - timedelta(days=keep_days)
        with transaction(engine) as session:
            unconfirmed = _settle_held(session, before, now)
            received, sent = _remove_incoming(session, before), _remove_outgoing(session, before)
        if BATCH not in (received, sent):  # after a full batch there may be more
            self.due = now + EVERY
        if received or sent or unconfirmed:
            log.info(
                "old mails removed", incoming=received, outgoing=sent, unanswered=unconfirmed, before=f"{before:%F}"
            )
        return received + sent


def _settle_held(session: Session, before: datetime, now: datetime) -> int:
    """Settle messages that nobody confirmed; return how many. From then on they are removed like any other."""
    held = session.exec(
        select(Incoming)
        .where(Incoming.state == IncomingState.HELD, col(Incoming.received) < before)
        .order_by(col(Incoming.id))
        .limit(BATCH)
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
        .where(Incoming.state == IncomingState.DONE, col(Incoming.received) < before, KEPT)
        .order_by(col(Incoming.id))
        .limit(BATCH)
    ).all()
    change(session, update(Incoming).where(col(Incoming.id).in_(old)).values(EMPTY))
    return len(old)


def _remove_outgoing(session: Session, before: datetime) -> int:
    done = (OutgoingState.SENT, OutgoingState.MERGED, OutgoingState.DROPPED)
    old = session.exec(
        select(Outgoing)
        .where(
            col(Outgoing.state).in_(done),
            func.coalesce(Outgoing.sent, Outgoing.created) < before,
            col(Outgoing.template).not_in(KEPT_TEMPLATES),
            SPEAKS,
        )
        .order_by(col(Outgoing.id))
        .limit(BATCH)
    ).all()
    for row in old:
        row.payload, row.facts, row.error = remainder(row.payload), None, None
        row.in_reply_to, row.references = None, []
        session.add(row)
    return len(old)
