"""Everything that is slow about a message, done before its transaction: parsing, DKIM, and parsing what it refers to.

What a message refers to (the held message that it confirms, the message that bounced) is read in a transaction that
can't write, and examined outside of any. The writing transaction looks at the rows again; it raises Changed
if they now ask for something that was not examined.
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
    unreadable: str = ""
    """Why there is no message."""
    checked: DomainCheck = authentication.UNCHECKED
    is_final: bool | None = None
    """Whether it reports that an address can never be reached; None if that was not examined."""
    held: Mapping[int, Message] = field(default_factory=dict)
    """The held message that it confirms, by its number; empty if there is none."""


@dataclass(frozen=True, slots=True)
class _Reference:
    may_be_bounce: bool
    held: dict[int, Received]


_NOTHING = _Reference(may_be_bounce=False, held={})


def examine(engine: Engine, services: Services, received: Received, now: datetime) -> Examined:
    """Return what the message says. Raises Unavailable if no message can be parsed at present."""
    parser, raw, ours = services.parser, received.raw, templating.ours(services.server)
    try:
        message = parser.read(raw, received.sender, received.recipients, ours)
    except Unreadable as error:
        return Examined(raw, None, str(error))
    reference = _NOTHING
    if not _refers_to_nothing(message, services.server):
        with read_only(engine) as session:
            reference = _reference(session, services, message, now)
    is_checked = services.checks.authserv_id
    return Examined(
        raw,
        message,
        checked=parser.check(raw, services.server.address, services.checks, now)
        if is_checked
        else authentication.UNCHECKED,
        is_final=parser.is_final(raw) if reference.may_be_bounce else None,
        held={
            number: parser.read(held.raw, held.sender, held.recipients, ours) for number, held in reference.held.items()
        },
    )


def _refers_to_nothing(message: Message, server: ServerSettings) -> bool:
    """Return whether the message is neither a bounce nor the answer to a question, by the tokens that it shows.

    With those, whether they are valid or not, it is about a match of their player's, or about nothing.
    """
    found = [tokens.parse(tag) for tag in identity.tags_of(message, server)]
    return bool(found) and all(token and token.purpose in (Purpose.PLAY, Purpose.PERSONAL) for token in found)


def _reference(session: Session, services: Services, message: Message, now: datetime) -> _Reference:
    try:
        sender = identity.identify(session, message, services.server, services.keyring, now)
    except Unanswerable:
        sender = None
    held = (
        session.get(Incoming, sender.held_message) if sender is not None and sender.held_message is not None else None
    )
    back = bounces.bounced_message(session, message, services.server, services.keyring)
    return _Reference(
        may_be_bounce=back is not None,
        held={held.id or 0: _received(held)} if held is not None and held.state == IncomingState.HELD else {},
    )


def _received(row: Incoming) -> Received:
    return Received(row.raw, row.sender, tuple(row.recipients))
