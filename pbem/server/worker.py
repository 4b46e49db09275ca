"""Processing a message in one transaction: authorise, execute, enqueue the replies. Repeated failures shunt it."""

import traceback
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import structlog
from sqlalchemy import Engine, bindparam
from sqlalchemy.exc import OperationalError
from sqlmodel import Session, col, select

from pbem import failpoints
from pbem.commands import known_to
from pbem.commands.core import Request
from pbem.conversation import dispatch
from pbem.conversation.verdict import Outcome, Verdict
from pbem.errors import Changed, Silence, ToUndo, Unanswerable
from pbem.failpoints import Step
from pbem.players import bounces, identity, trust
from pbem.reading.message import Automatic
from pbem.reading.protocol import Unavailable
from pbem.server import attempts
from pbem.server.attempts import Received
from pbem.server.examination import Examined, Services, examine
from pbem.server.work_queue import WorkQueue
from pbem.storage import notifications
from pbem.storage.database import transaction
from pbem.storage.models import Incoming, IncomingState
from pbem.storage.notifications import Channel
from pbem.storage.rows import keep_rows

log = structlog.get_logger()

_LOCKED = select(Incoming).where(col(Incoming.id) == bindparam("number")).with_for_update()

MOST_EXAMINATIONS = 5
"""The maximum number of examinations in one attempt if what the message refers to keeps changing."""


class _GoesLater(Exception):
    """Another daemon abandoned an earlier message, which goes first; nothing has been done yet."""


@dataclass(frozen=True, slots=True)
class _Handled:
    """What became of a message: what to log of it, and what to count."""

    about: dict[str, Any]
    outcome: Outcome
    silence: Silence | None
    received: datetime


def handle(engine: Engine, services: Services, queue: WorkQueue, incoming_id: int, now: datetime) -> bool:
    """Handle a claimed message and commit. Return whether it was its turn.

    After three failures, in this process or in ones that it ended, the message is shunted. Raises OperationalError if
    the database fails and Unavailable if no message can be parsed; the message is then still new and can be retried.
    """
    try:
        return _handle_in_turn(engine, services, queue, incoming_id, now)
    except _GoesLater:
        services.attempts.take_back(engine, incoming_id)
        return False
    finally:
        queue.release()


def _handle_in_turn(engine: Engine, services: Services, queue: WorkQueue, incoming_id: int, now: datetime) -> bool:
    error, trouble = attempts.ENDED, attempts.NO_TRACEBACK
    counts, began = services.vitals.counts, services.vitals.monotonic()
    services.parser.prepare()
    while (
        attempt := services.attempts.begin(engine, incoming_id, now)
    ) is not None and attempt.number <= attempts.MOST:
        failpoints.reach(Step.COUNTED)
        try:
            handled = _attempt(engine, services, queue, incoming_id, attempt.received, now)
        except (OperationalError, Unavailable, _GoesLater):
            raise
        except Exception as bug:  # noqa: BLE001 - any other exception is a bug, and other messages must go on
            error, trouble = type(bug).__name__, traceback.format_exc()
            log.warning("mail in", incoming=incoming_id, verdict="failed", error=error, attempt=attempt.number)
            counts.mails_in.labels("failed", "").inc()
            services.attempts.end(incoming_id)
        else:
            services.attempts.end(incoming_id)
            if handled is not None:
                log.info("mail in", **handled.about)
                counts.mails_in.labels(_label(handled.outcome), _label(handled.silence)).inc()
                took = services.vitals.monotonic() - began
                counts.handled_in.observe(max(0.0, (now - handled.received).total_seconds() + took))
            return True
    if attempt is not None:
        attempts.shunt(engine, incoming_id, error, trouble, now)
        services.attempts.end(incoming_id)
        # The traceback goes into the row only: it may quote what people wrote, which a log line never does.
        log.error("mail in", incoming=incoming_id, verdict="shunted", error=error)
        counts.mails_in.labels("shunted", "").inc()
    return attempt is not None


def _label(what: Outcome | Silence | None) -> str:
    """Return the name by which it is counted."""
    return what.name.lower() if what is not None else ""


def _attempt(
    engine: Engine, services: Services, queue: WorkQueue, incoming_id: int, received: Received, now: datetime
) -> _Handled | None:
    """Examine the message, then handle it in one transaction if it is still new. Return what became of it then."""
    for _ in range(MOST_EXAMINATIONS):
        examined = examine(engine, services, received, now, is_shared=queue.is_shared)
        failpoints.reach(Step.READ)
        if not queue.wait_turn(incoming_id, examined.ordering_keys):
            raise _GoesLater
        try:
            return _handle_examined(engine, services, incoming_id, examined, now)
        except Changed:
            log.info("mail in", incoming=incoming_id, verdict="examined again")
    raise Changed


def _handle_examined(
    engine: Engine, services: Services, incoming_id: int, examined: Examined, now: datetime
) -> _Handled | None:
    """Handle the message in one transaction if it is still new. Return what became of it then."""
    try:
        return _handle_new(engine, services, incoming_id, examined, now, has_savepoints=False)
    except ToUndo:
        return _handle_new(engine, services, incoming_id, examined, now, has_savepoints=True)


def _handle_new(
    engine: Engine, services: Services, incoming_id: int, examined: Examined, now: datetime, *, has_savepoints: bool
) -> _Handled | None:
    with transaction(engine) as session:
        keep_rows(session)
        row = session.exec(_LOCKED, params={"number": incoming_id}).one()
        handled = None
        if row.state == IncomingState.NEW:
            handled = _handle(session, services, row, examined, now, has_savepoints=has_savepoints)
        notifications.notify(session.connection(), Channel.OWED)
        failpoints.reach(Step.COMMITTING)
    failpoints.reach(Step.COMMITTED)
    return handled


def _handle(
    session: Session, services: Services, row: Incoming, examined: Examined, now: datetime, *, has_savepoints: bool
) -> _Handled:
    """Handle the message within the transaction. Return what became of it."""
    about: dict[str, Any] = {"message_id": None, "player": None, "match": None}
    silence = None
    try:
        message = examined.message
        if message is None:
            raise Unanswerable(Silence.UNREADABLE, examined.unreadable)
        about["message_id"] = message.message_id
        if (message.automatic or message.sender is None) and (bounce := _bounce(session, services, examined, now)):
            raise Unanswerable(Silence.BOUNCE, bounce)
        if message.automatic:
            raise Unanswerable(Silence.AUTOMATIC, message.automatic.value)
        if message.sender is not None and identity.leads_to_us(message.sender, services.server):
            raise Unanswerable(Silence.AUTOMATIC, Automatic.OWN_MAIL.value)
        sender = identity.identify(session, message, services.server, services.keyring, now)
        sender = trust.assess(session, sender, message, examined.checked, services.checks, row)
        if sender.player is None and (bounce := _bounce(session, services, examined, now)):
            raise Unanswerable(Silence.BOUNCE, bounce)
        failpoints.reach(Step.AUTHORISED)
        request = Request(
            *(session, services.server, services.keyring, now, row, message, sender),
            known_to(sender.address, services.server),
            limits=services.limits,
            house=services.house,
            stored_bytes=len(examined.raw),
            held_messages=examined.held,
            has_savepoints=has_savepoints,
        )
        reply = dispatch.converse(request)
        verdict = reply.verdict
        about |= {
            "player": sender.player.name if sender.player else None,
            "match": reply.match or sender.match,
        }
    except Unanswerable as error:
        verdict, silence = Verdict(Outcome.UNANSWERED, str(error)), error.silence
    row.verdict, row.handled, row.author = str(verdict), now, None
    if row.state == IncomingState.NEW:
        row.state = IncomingState.DONE
    session.add(row)
    line = {"incoming": row.id, "source": row.source, "verdict": str(verdict), **about}
    return _Handled(line, verdict.outcome, silence, row.received)


def _bounce(session: Session, services: Services, examined: Examined, now: datetime) -> str | None:
    return bounces.process(session, services.server, examined.raw, examined.is_final, now)
