"""One mail, one transaction: read, authorise, execute, owe the answers. A crash shunts the mail."""

import traceback
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import structlog
from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError
from sqlmodel import Session

from pbem import failpoints
from pbem.commands import COMMANDS
from pbem.commands.core import Context
from pbem.commands.verdict import Outcome, Verdict
from pbem.config import ChecksSettings, LimitsSettings, ServerSettings
from pbem.conversation import dispatch
from pbem.errors import Silence, Unanswerable
from pbem.failpoints import Step
from pbem.players import bounces, identity, trust
from pbem.reading import authentication
from pbem.reading.authentication import Checked
from pbem.reading.limits import Unreadable
from pbem.reading.message import Automatic, Message
from pbem.reading.protocol import MailParser, Unavailable
from pbem.server import attempts
from pbem.server.attempts import Attempts
from pbem.server.ordering import ordering_keys
from pbem.server.work_queue import WorkQueue
from pbem.storage import notifications
from pbem.storage.database import transaction
from pbem.storage.models import Incoming, IncomingState
from pbem.storage.notifications import Channel
from pbem.tokens import Keyring

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Services:
    """What handling a mail needs besides the mail: the settings, the server's key, and who takes mails apart."""

    server: ServerSettings
    keyring: Keyring
    checks: ChecksSettings
    limits: LimitsSettings
    parser: MailParser
    attempts: Attempts = field(default_factory=Attempts)


class _GoesLater(Exception):
    """An earlier mail was left behind by another daemon; this one has done nothing yet."""


def handle(engine: Engine, services: Services, queue: WorkQueue, incoming_id: int, now: datetime) -> bool:
    """Handle a mail taken from the desk, and commit; whether it was its turn.

    It is shunted where that fails three times, in this process or one that it ended.
    Raises OperationalError where the database is at fault, and Unavailable where no mail can be read: then it
    is still new and can be tried again.
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
    while (number := services.attempts.begin(engine, incoming_id)) is not None and number <= attempts.MOST:
        failpoints.reach(Step.COUNTED)
        try:
            about = _attempt(engine, services, queue, incoming_id, now)
        except (OperationalError, Unavailable, _GoesLater):
            raise
        except Exception as bug:  # noqa: BLE001 - whatever it is, it is a bug, and the other mails must go on
            error, trouble = type(bug).__name__, traceback.format_exc()
            log.warning("mail in", incoming=incoming_id, verdict="failed", error=error, attempt=number)
            services.attempts.end(incoming_id)
        else:
            services.attempts.end(incoming_id)
            if about is not None:
                log.info("mail in", **about)
            return True
    if number is not None:
        attempts.shunt(engine, incoming_id, error, trouble, now)
        services.attempts.end(incoming_id)
        # The traceback is in the row: it may hold what people wrote, and a log line never does.
        log.error("mail in", incoming=incoming_id, verdict="shunted", error=error)
    return number is not None


def _attempt(
    engine: Engine, services: Services, queue: WorkQueue, incoming_id: int, now: datetime
) -> dict[str, Any] | None:
    """Handle the mail in one transaction, if it still waits; what the log is to say of it."""
    examined = _examine(engine, services, incoming_id, now)
    failpoints.reach(Step.READ)
    if queue.is_shared and not queue.wait_turn(incoming_id, _ordering_keys(engine, services, examined, now)):
        raise _GoesLater
    with transaction(engine) as session:
        row = session.get_one(Incoming, incoming_id, with_for_update=True)
        about = _handle(session, services, row, examined, now) if row.state == IncomingState.NEW else None
        notifications.notify(session, Channel.OWED)
        failpoints.reach(Step.COMMITTING)
    failpoints.reach(Step.COMMITTED)
    return about


@dataclass(frozen=True, slots=True)
class _Examined:
    """What the bytes of a mail say."""

    message: Message | None
    checked: Checked = authentication.NOT_CHECKED
    unreadable: str = ""
    """Why there is no message."""


def _ordering_keys(engine: Engine, services: Services, examined: _Examined, now: datetime) -> frozenset[str]:
    """Where the mail must keep its place; nowhere if it can't be read."""
    if examined.message is None:
        return frozenset()
    with transaction(engine) as session:
        return ordering_keys(session, examined.message, services.server, services.keyring, now)


def _examine(engine: Engine, services: Services, incoming_id: int, now: datetime) -> _Examined:
    """What the bytes say; asked before the transaction of the mail, since that may take seconds."""
    with transaction(engine) as session:
        row = session.get_one(Incoming, incoming_id)
        raw, sender, recipients = row.raw, row.sender, tuple(row.recipients)
    try:
        message = services.parser.read(raw, sender, recipients)
    except Unreadable as error:
        return _Examined(None, unreadable=str(error))
    if not (services.checks.authserv_id or services.checks.dkim):
        return _Examined(message)
    return _Examined(message, services.parser.check(raw, services.server.address, services.checks, now))


def _handle(session: Session, services: Services, row: Incoming, examined: _Examined, now: datetime) -> dict[str, Any]:
    """Handle the mail within the transaction; what the log is to say of it."""
    about: dict[str, Any] = {"message_id": None, "player": None, "match": None}
    try:
        message = examined.message
        if message is None:
            raise Unanswerable(Silence.UNREADABLE, examined.unreadable)
        about["message_id"] = message.message_id
        if (message.automatic or message.sender is None) and (bounce := _bounce(session, services, row, now)):
            raise Unanswerable(Silence.BOUNCE, bounce)
        if message.automatic:
            raise Unanswerable(Silence.AUTOMATIC, message.automatic.value)
        if message.sender is not None and identity.is_ours(message.sender, services.server):
            raise Unanswerable(Silence.AUTOMATIC, Automatic.OWN_MAIL.value)
        sender = identity.of(session, message, services.server, services.keyring, now)
        sender = trust.weigh(session, sender, message, examined.checked, services.checks, row)
        if sender.player is None and (bounce := _bounce(session, services, row, now)):
            raise Unanswerable(Silence.BOUNCE, bounce)
        failpoints.reach(Step.AUTHORISED)
        context = Context(
            session, services.server, services.keyring, services.parser, now, row, message, sender, COMMANDS
        )
        verdict = dispatch.converse(context, services.limits)
        about |= {
            "player": sender.player.name if sender.player else None,
            "match": context.match or sender.match,
        }
    except Unanswerable as error:
        verdict = Verdict(Outcome.UNANSWERED, str(error))
    row.verdict, row.handled = str(verdict), now
    if row.state == IncomingState.NEW:
        row.state = IncomingState.DONE
    session.add(row)
    return {"incoming": row.id, "source": row.source, "verdict": str(verdict), **about}


def _bounce(session: Session, services: Services, row: Incoming, now: datetime) -> str | None:
    return bounces.take(session, services.server, services.parser, row, now)
