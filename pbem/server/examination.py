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

from pbem.config import ChecksSettings, HouseSettings, LimitsSettings, ServerSettings
from pbem.errors import Unanswerable
from pbem.players import bounces, identity
from pbem.reading import authentication
from pbem.reading.authentication import Checked
from pbem.reading.limits import Unreadable
from pbem.reading.message import Message
from pbem.reading.protocol import MailParser
from pbem.server.attempts import Attempts
from pbem.server.ordering import ordering_keys
from pbem.storage.database import read_only
from pbem.storage.models import Incoming, IncomingState
from pbem.tokens import Keyring


@dataclass(frozen=True, slots=True)
class Services:
    """What handling a message needs besides the message: settings, the server's key, and a parser."""

    server: ServerSettings
    keyring: Keyring
    checks: ChecksSettings
    limits: LimitsSettings
    house: HouseSettings
    parser: MailParser
    attempts: Attempts = field(default_factory=Attempts)


@dataclass(frozen=True, slots=True)
class Examined:
    """What a message says."""

    message: Message | None
    unreadable: str = ""
    """Why there is no message."""
    checked: Checked = authentication.NOT_CHECKED
    is_final: bool | None = None
    """Whether it reports that an address can never be reached; None if that was not examined."""
    held: Mapping[int, Message] = field(default_factory=dict)
    """The held message that it confirms, by its number; empty if there is none."""
    ordering_keys: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Raw:
    """A stored message as it was received."""

    raw: bytes
    sender: str | None
    recipients: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Reference:
    """What else must be examined."""

    may_be_bounce: bool
    held: dict[int, _Raw]
    ordering_keys: frozenset[str]


def examine(engine: Engine, services: Services, incoming_id: int, now: datetime) -> Examined:
    """Return what the message says. Raises Unavailable if no message can be parsed at present."""
    parser = services.parser
    with read_only(engine) as session:
        stored = _raw(session.get_one(Incoming, incoming_id))
    try:
        message = parser.read(stored.raw, stored.sender, stored.recipients)
    except Unreadable as error:
        return Examined(None, str(error))
    is_checked = services.checks.authserv_id or services.checks.dkim
    with read_only(engine) as session:
        reference = _reference(session, services, message, stored.raw, now)
    return Examined(
        message,
        checked=parser.check(stored.raw, services.server.address, services.checks, now)
        if is_checked
        else authentication.NOT_CHECKED,
        is_final=parser.is_final(stored.raw) if reference.may_be_bounce else None,
        held={number: parser.read(held.raw, held.sender, held.recipients) for number, held in reference.held.items()},
        ordering_keys=reference.ordering_keys,
    )


def _reference(session: Session, services: Services, message: Message, raw: bytes, now: datetime) -> _Reference:
    """Return what the message refers to, as far as that must be examined as well."""
    try:
        sender = identity.identify(session, message, services.server, services.keyring, now)
    except Unanswerable:
        sender = None
    held = (
        session.get(Incoming, sender.held_message) if sender is not None and sender.held_message is not None else None
    )
    unknown = message.automatic or message.sender is None or (sender is not None and sender.player is None)
    return _Reference(
        may_be_bounce=bool(unknown and bounces.bounced_messages(session, raw, services.server.domain)),
        held={held.id or 0: _raw(held)} if held is not None and held.state == IncomingState.HELD else {},
        ordering_keys=ordering_keys(session, message, sender),
    )


def _raw(row: Incoming) -> _Raw:
    return _Raw(row.raw, row.sender, tuple(row.recipients))
