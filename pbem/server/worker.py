"""Processing a message: examine it, then authorise, execute and enqueue the replies in one transaction.

Everything that is slow is done before: parsing and DKIM. Repeated failures shunt a message.
"""

import traceback
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import structlog
from sqlalchemy import Engine
from sqlalchemy.exc import OperationalError
from sqlmodel import Session

from pbem import failpoints, tokens
from pbem.config import ChecksSettings, HouseSettings, LimitsSettings, ServerSettings
from pbem.conversation import handle_message
from pbem.conversation.command import Request
from pbem.conversation.feature import Features
from pbem.errors import Silence, Unanswerable
from pbem.failpoints import Step
from pbem.isolated import Unavailable
from pbem.mail.reading import authentication
from pbem.mail.reading.authentication import DomainCheck
from pbem.mail.reading.isolated_parser import MailParser
from pbem.mail.reading.limits import Unreadable
from pbem.mail.reading.machines import Automatic
from pbem.mail.reading.message import Message
from pbem.messages import render
from pbem.players import bounces, complaints, sender_identity
from pbem.process_vitals import Vitals
from pbem.server import incoming_queue
from pbem.storage.database import is_bug, read_only, transaction
from pbem.storage.models import Incoming
from pbem.storage.notifications import Channel, notify
from pbem.storage.queue import Queue, QueueRows
from pbem.storage.verdicts import Outcome, Verdict
from pbem.tokens import Keyring, Purpose

log = structlog.get_logger()

PACKAGES = frozenset({"pbem", "notation", "engines"})  # the packages in which a bug is looked for
Received = tuple[bytes, str | None, tuple[str, ...]]  # a message, and the sender and recipients of its envelope
_Settled = tuple[dict[str, Any], Outcome, Silence | None, datetime]
"""What became of a message: its line in the log, the outcome, why it gets no answer, and when it arrived."""


@dataclass(frozen=True, slots=True)
class Services:
    server: ServerSettings
    keyring: Keyring
    checks: ChecksSettings
    limits: LimitsSettings
    house: HouseSettings
    parser: MailParser
    features: Features
    vitals: Vitals = field(default_factory=Vitals)


@dataclass(frozen=True, slots=True)
class Examined:
    raw: bytes
    message: Message | None
    unreadable: str = ""  # why there is no message
    checked: DomainCheck = authentication.UNCHECKED
    is_final: bool | None = None
    """Whether it reports that an address can never be reached; None if that was not examined."""


def examine(engine: Engine, services: Services, received: Received, now: datetime) -> Examined:
    """Return what the message says. Raises Unavailable if no message can be parsed at present."""
    parser, raw, ours = services.parser, received[0], render.ours(services.server)
    try:
        message = parser.read(*received, ours)
    except Unreadable as error:
        return Examined(raw, None, str(error))
    may_be_bounce = False
    tags = [tokens.parse(tag) for tag in sender_identity.tags_of(message, services.server)]
    # With such tokens, valid or not, it is about a match of their player's, or about nothing: no bounce, and no answer.
    if not tags or any(token is None or token.purpose not in (Purpose.PLAY, Purpose.PERSONAL) for token in tags):
        with read_only(engine) as session:
            bounced = bounces.bounced_message(session, message, services.server, services.keyring)
        may_be_bounce = bounced is not None
    checked = authentication.UNCHECKED
    if services.checks.authserv_id:
        checked = parser.check(raw, services.server.address, services.checks, now)
    return Examined(raw, message, "", checked, parser.is_final(raw) if may_be_bounce else None)


@dataclass(frozen=True, slots=True)
class Desk:
    """What a thread needs to work on messages: the queue that it claims them from, and that of its answers."""

    queue: Queue
    sending: Queue
    services: Services

    def next_message(self) -> QueueRows:
        """Starting the parser comes first and isn't counted as an attempt: it takes most of the time after a start."""
        if not self.queue.in_hand and self.queue.has_any():
            self.services.parser.prepare()
            self.queue.claim_next()
        return self.queue.in_hand


def handle(desk: Desk, claim: Any, now: datetime) -> None:
    """Handle a claimed message and commit. After three failures, shunt it.

    Raises OperationalError if the database fails and Unavailable if no message can be parsed; the message is then still
    in hand and goes on later. If another daemon has it meanwhile, nothing is done.
    """
    queue, services = desk.queue, desk.services
    counts, began = services.vitals.counts, services.vitals.monotonic()
    received = (claim.raw or b"", claim.sender, tuple(claim.recipients))
    failpoints.reach(Step.COUNTED)
    for attempt in range(1, incoming_queue.MOST + 1):
        try:
            settled = _attempt(desk, claim, received, now)
        except (OperationalError, Unavailable):
            raise
        except Exception as bug:  # noqa: BLE001 - any other exception is a bug, and other messages must go on
            error, trouble = type(bug).__name__, traceback.format_exc()
            log.warning("mail in", incoming=claim.id, verdict="failed", error=error, attempt=attempt)
            counts.mails_in.labels("failed", "").inc()
            if attempt == incoming_queue.MOST:
                shunt(desk, claim, error, trouble, now)
            elif (again := incoming_queue.begin_again(queue, claim.id)) is not None:
                claim = again
                continue
        else:
            if settled is not None:
                line, outcome, silence, arrived = settled
                log.info("mail in", **line)
                counts.mails_in.labels(outcome.name.lower(), silence.name.lower() if silence is not None else "").inc()
                took = services.vitals.monotonic() - began
                counts.handled_in.observe(max(0.0, (now - arrived).total_seconds() + took))
        break
    queue.in_hand = [other for other in queue.in_hand if other.id != claim.id]


def shunt(desk: Desk, claim: Any, error: str, trouble: str, now: datetime) -> None:
    """Put a claimed message aside, which failed too often, unless another daemon has it meanwhile."""
    if incoming_queue.shunt(desk.queue, claim.id, claim.attempts, error, trouble, now):
        # The traceback goes into the row only: it may quote what people wrote, which a log line never does.
        log.error("mail in", incoming=claim.id, verdict="shunted", error=error)
        desk.services.vitals.counts.mails_in.labels("shunted", "").inc()


def _attempt(desk: Desk, claim: Any, received: Received, now: datetime) -> _Settled | None:
    examined = examine(desk.queue.engine, desk.services, received, now)
    failpoints.reach(Step.READ)
    with transaction(desk.queue.engine) as session:
        row = incoming_queue.own(session, claim.id, desk.queue.holder, claim.attempts)
        if row is None:
            log.warning("mail in", incoming=claim.id, verdict="left to another daemon")
            return None
        settled = _handle(session, desk.services, row, examined, now)
        session.flush()
        notify(session.connection(), Channel.OWED)
        failpoints.reach(Step.COMMITTING)
    desk.queue.in_hand = ()
    failpoints.reach(Step.COMMITTED)
    desk.sending.bell.set()
    return settled


def _handle(session: Session, services: Services, row: Incoming, examined: Examined, now: datetime) -> _Settled:
    about: dict[str, Any] = {"message_id": None, "player": None, "match": None}
    silence = author = None
    cost = 0
    try:
        message = examined.message
        if message is None:
            raise Unanswerable(Silence.UNREADABLE, examined.unreadable)
        about["message_id"] = message.message_id
        bounce = bounces.process(session, services.server, services.keyring, message, examined.is_final, now)
        if bounce is not None:
            raise Unanswerable(Silence.BOUNCE, bounce)
        automatic = message.automatic
        if automatic is Automatic.COMPLAINT:
            player = complaints.process(session, services.keyring, examined.raw, now)
            if player is not None:
                raise Unanswerable(Silence.COMPLAINT, player)
        if automatic is Automatic.MACHINE_ADDRESS and services.server.is_admin(message.sender or ""):
            automatic = None
        if automatic not in (None, Automatic.LIST):
            raise Unanswerable(Silence.AUTOMATIC, automatic.value)
        if message.sender is not None and sender_identity.leads_to_us(message.sender, services.server):
            raise Unanswerable(Silence.AUTOMATIC, Automatic.OWN_MAIL.value)
        sender = sender_identity.identify(session, message, services.server, services.keyring, now)
        may_play = sender.proven and sender.purpose is Purpose.PLAY
        sender = sender_identity.assess(session, sender, message, examined.checked, services.checks, row)
        if automatic is not None and not (may_play and sender.proven):
            raise Unanswerable(Silence.AUTOMATIC, automatic.value)
        failpoints.reach(Step.AUTHORISED)
        author = sender.player.id if sender.proven and sender.player is not None else None
        request = Request(
            *(session, services.server, services.keyring, now, row, message, sender),
            services.features,
            limits=services.limits,
            house=services.house,
            stored_bytes=len(examined.raw),
        )
        with nullcontext() if sender.proven else _bug_means_silence(session, row):
            reply = handle_message.converse(request)
        verdict, cost = reply.verdict, reply.cost
        about |= {"player": sender.player.id if sender.player else None, "match": reply.match or sender.match}
    except Unanswerable as error:
        verdict, silence = Verdict(Outcome.UNANSWERED, str(error)), error.silence
    incoming_queue.settle(row, str(verdict), author, cost, now)
    line = {"incoming": row.id, "source": row.source, "verdict": str(verdict), **about}
    return line, verdict.outcome, silence, row.received


@contextmanager
def _bug_means_silence(session: Session, row: Incoming) -> Iterator[None]:
    """Run the block; roll back what a bug has begun, and raise Unanswerable: the message proves nothing.

    Anybody can write such a message, and again: the operator isn't alerted, and the message isn't kept for them.
    """
    savepoint = session.begin_nested()
    try:
        yield
    except Unanswerable:
        savepoint.commit()
        raise
    except Exception as bug:
        if not is_bug(bug):
            raise
        savepoint.rollback()
        # The last line of ours on the way to it: a traceback may quote what people wrote.
        places = [(frame.f_globals["__name__"], line) for frame, line in traceback.walk_tb(bug.__traceback__)]
        at = next(f"{name}:{line}" for name, line in reversed(places) if name.partition(".")[0] in PACKAGES)
        log.error("bug", incoming=row.id, error=type(bug).__name__, at=at)  # noqa: TRY400 - as above
        raise Unanswerable(Silence.BUG, type(bug).__name__) from bug
    savepoint.commit()
