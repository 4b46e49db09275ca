"""The queue of received messages: who goes next, and what becomes of a message that can't be handled.

A message waits for earlier ones of the same person. But a reply, which only its player can have written, waits for
replies alone: what anybody else sends in a player's name delays none of theirs.

An attempt is counted when a message is claimed. A message that was claimed before has been in hand when a server ended:
it is a suspect, which `suspects_handled_alone` handles while others go on, and counted when the process for it begins.
"""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Boolean, Engine, Integer, bindparam, exists, or_, select, update
from sqlalchemy.orm import aliased
from sqlmodel import Session, col

from pbem.storage import leases
from pbem.storage.database import transaction, writing
from pbem.storage.leases import from_now, is_free
from pbem.storage.models import Incoming, IncomingState, Lane, RawMessage
from pbem.storage.queue import Queue, QueueRows, is_next, written_out

MOST = 3  # a message that failed that often is put aside for the operator
PAUSE = timedelta(minutes=1)  # how long a message waits that can't be handled alone at present

_EARLIER = aliased(Incoming)
_ARE_WAITING = written_out(IncomingState.NEW)
_IS_BEHIND = exists().where(
    col(_EARLIER.state) == _ARE_WAITING,
    col(_EARLIER.group) == col(Incoming.group),
    col(_EARLIER.id) < col(Incoming.id),
    or_(col(_EARLIER.lane) == Lane.REPLIES, col(Incoming.lane) != Lane.REPLIES),
)
_WAITING = (
    select(col(Incoming.id))
    .where(
        col(Incoming.state) == _ARE_WAITING,
        bindparam("are_suspect", type_=Boolean) == (col(Incoming.attempts) > 0),
        col(Incoming.lane).between(bindparam("first", type_=Integer), bindparam("last", type_=Integer)),
        is_free(Incoming),
        ~_IS_BEHIND,
    )
    .order_by(col(Incoming.lane), col(Incoming.round), col(Incoming.id))
    .limit(1)
)
_FREE = (col(Incoming.id) == bindparam("number", type_=Integer), col(Incoming.state) == _ARE_WAITING, is_free(Incoming))
_THIS = (*_FREE[:2], col(Incoming.holder) == bindparam("who"))
_RAW = select(col(RawMessage.raw)).where(col(RawMessage.incoming) == col(Incoming.id)).limit(1).scalar_subquery()
_ENVELOPE = (col(Incoming.sender), col(Incoming.recipients))
_MESSAGE = (col(Incoming.id), col(Incoming.attempts), *_ENVELOPE, _RAW.label("raw"))
_COUNTED = update(Incoming).values(attempts=col(Incoming.attempts) + 1, **leases.terms())
_CLAIM = _COUNTED.where(is_next(Incoming, _WAITING)).returning(*_MESSAGE)
_LEASE = update(Incoming).values(**leases.terms()).where(is_next(Incoming, _WAITING)).returning(*_MESSAGE)
_CLAIM_ONE = _COUNTED.where(*_FREE).returning(*_MESSAGE)
_AGAIN = _COUNTED.where(*_THIS).returning(*_MESSAGE)
_PUT_OFF = update(Incoming).where(*_THIS).values(leased_until=from_now(PAUSE.total_seconds()))
_OWN = select(Incoming).where(*_THIS, col(Incoming.attempts) == bindparam("attempt")).with_for_update()


def work_queue(engine: Engine, holder: str, lanes: Sequence[Lane] = tuple(Lane), *, are_suspect: bool = False) -> Queue:
    """Return the queue of a thread that works on messages of those lanes, which are neighbours: suspects, or others."""
    claim = _LEASE if are_suspect else _CLAIM
    return Queue(engine, holder, Incoming, _WAITING, claim, first=min(lanes), last=max(lanes), are_suspect=are_suspect)


def claim_one(queue: Queue, number: int) -> QueueRows:
    """Claim that message, out of turn; return nothing if it isn't free."""
    with writing(queue.engine) as connection:
        return connection.execute(_CLAIM_ONE, {"number": number, "who": queue.holder}).all()


def begin_again(queue: Queue, number: int) -> Any:
    """Count another attempt at a message in hand. Return it as claimed; None if another daemon has it now."""
    with writing(queue.engine) as connection:
        return connection.execute(_AGAIN, {"number": number, "who": queue.holder}).one_or_none()


def put_off(queue: Queue, number: int) -> None:
    """Let a message in hand wait a little, while others go on."""
    with writing(queue.engine) as connection:
        connection.execute(_PUT_OFF, {"number": number, "who": queue.holder})


def own(session: Session, number: int, holder: str, attempt: int) -> Incoming | None:
    """Return a claimed message, locked; None if the lease has ended and somebody else has it, or has handled it."""
    return session.scalars(_OWN, {"number": number, "who": holder, "attempt": attempt}).one_or_none()


def settle(row: Incoming, verdict: str, player: int | None, cost: int, now: datetime) -> None:
    """Note what became of a claimed message."""
    if row.state == IncomingState.NEW:
        row.state = IncomingState.DONE
    if row.state != IncomingState.HELD:  # which is looked at again
        row.recipients = []  # they may have reply tokens
    row.verdict, row.player, row.cost, row.handled, row.group = verdict, player, cost, now, None
    leases.end(row)


def shunt(queue: Queue, number: int, attempt: int, error: str, trouble: str, now: datetime) -> bool:
    """Put a claimed message aside, with the reason, until the operator retries it. Return whether it was still ours."""
    with transaction(queue.engine) as session:
        row = own(session, number, queue.holder, attempt)
        if row is None:
            return False
        row.state, row.handled, row.attempts, row.group = IncomingState.SHUNTED, now, MOST, None
        leases.end(row)
        # An error message may quote characters that a database refuses.
        storable = trouble.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")
        row.verdict, row.error = f"{error}, {MOST} times", storable
        session.add(row)
        return True
