"""Everything that is slow about a message, done before its transaction: parsing, DKIM, and parsing what it refers to.

The writing transaction looks at the rows again that it refers to; it raises Changed if something wasn't examined.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Engine
from sqlmodel import Session

from pbem import tokens
from pbem.config import ChecksSettings, HouseSettings, LimitsSettings, ServerSettings
from pbem.conversation.feature import Features
from pbem.errors import Unanswerable
from pbem.mail.reading import authentication
from pbem.mail.reading.authentication import DomainCheck
from pbem.mail.reading.limits import Unreadable
from pbem.mail.reading.message import Message
from pbem.mail.reading.parsers import MailParser
from pbem.messages import templating
from pbem.players import bounces, identity
from pbem.storage.database import read_only
from pbem.storage.models import Incoming, IncomingState
from pbem.tokens import Keyring, Purpose
from pbem.vitals import Vitals


@dataclass(frozen=True, slots=True)
class Received:
    raw: bytes
    sender: str | None
    recipients: tuple[str, ...]


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
    held: Mapping[int, Message] = field(default_factory=dict)
    """The held message that it confirms, by its number; empty if there is none."""


def examine(engine: Engine, services: Services, received: Received, now: datetime) -> Examined:
    """Return what the message says. Raises Unavailable if no message can be parsed at present."""
    parser, raw, ours = services.parser, received.raw, templating.ours(services.server)
    try:
        message = parser.read(raw, received.sender, received.recipients, ours)
    except Unreadable as error:
        return Examined(raw, None, str(error))
    may_be_bounce, held = False, dict[int, Received]()
    tags = [tokens.parse(tag) for tag in identity.tags_of(message, services.server)]
    # With such tokens, valid or not, it is about a match of their player's, or about nothing: no bounce, and no answer.
    if not tags or any(token is None or token.purpose not in (Purpose.PLAY, Purpose.PERSONAL) for token in tags):
        with read_only(engine) as session:
            may_be_bounce, held = _references(session, services, message, now)
    checked = authentication.UNCHECKED
    if services.checks.authserv_id:
        checked = parser.check(raw, services.server.address, services.checks, now)
    return Examined(
        raw,
        message,
        checked=checked,
        is_final=parser.is_final(raw) if may_be_bounce else None,
        held={number: parser.read(row.raw, row.sender, row.recipients, ours) for number, row in held.items()},
    )


def _references(
    session: Session, services: Services, message: Message, now: datetime
) -> tuple[bool, dict[int, Received]]:
    """Return whether the message may be a bounce, and the held message that it confirms."""
    may_be_bounce = bounces.bounced_message(session, message, services.server, services.keyring) is not None
    try:
        sender = identity.identify(session, message, services.server, services.keyring, now)
    except Unanswerable:
        return may_be_bounce, {}
    row = session.get(Incoming, sender.held_message) if sender.held_message is not None else None
    if row is None or row.state != IncomingState.HELD:
        return may_be_bounce, {}
    return may_be_bounce, {row.id or 0: Received(row.raw, row.sender, tuple(row.recipients))}
