"""Storing messages as they arrive: one row each, no matter how often it is delivered, in the queue that it goes to.

That is chosen by its headers alone. Replies go first: to an address with a token of ours, which only its player has
read. What else claims to come from a player goes before strangers, who may send less; anybody can write that From.
"""

import hashlib
import re
from collections.abc import Iterable
from datetime import datetime
from functools import cache
from typing import Any, NamedTuple

import structlog
from sqlalchemy import Connection, Engine, String, bindparam, insert, select
from sqlalchemy.sql.dml import ReturningInsert
from sqlmodel import col

from pbem import failpoints, tokens
from pbem.failpoints import Step
from pbem.mail.reading import from_and_subject, machines
from pbem.mail.reading.limits import LARGEST_HEADER_BLOCK, LARGEST_OF_STRANGERS, header_block, normalize_newlines
from pbem.mail.transports.protocols import Arrival
from pbem.storage import database
from pbem.storage.database import insert_new
from pbem.storage.models import Incoming, IncomingState, Lane, Player, RawMessage
from pbem.storage.notifications import Channel, notify
from pbem.storage.queue import waiting_of_group
from pbem.tokens import Keyring

log = structlog.get_logger()

SENDERS_HEADERS = frozenset(
    {"from", "sender", "reply-to", "to", "cc", "date", "message-id", "in-reply-to", "references", "subject"}
    | {"content-type", "content-transfer-encoding"}
)
"""Headers that a sender's program writes and relays don't change."""

MOST_TAGS = 10
_TAG = re.compile(rb'(?:[+=-]|%%2b)([a-z2-7]{%d})"?@' % tokens.LENGTH, re.IGNORECASE)
_FROM = re.compile(r"^from[ \t]*:(.*(?:\n[ \t].*)*)", re.IGNORECASE | re.MULTILINE)
_REPORT = re.compile(rb"^content-type[ \t]*:\s*multipart/report", re.IGNORECASE | re.MULTILINE)

_OWNER = select(col(Player.epoch), col(Player.address)).where(col(Player.id) == bindparam("player"))
_IS_AUTHOR = (col(Player.address) == bindparam("author", type_=String), col(Player.confirmed).is_not(None))
_PLAYER = select(col(Player.id)).where(*_IS_AUTHOR)


class SortedArrival(NamedTuple):
    arrival: Arrival
    key: str
    lane: Lane
    group: str | None
    """Whose it is: the address of the token's player, or else the one in From, if there is exactly one."""
    raw: bytes  # the message, or only its header block if it is larger than a stranger's may be


def take(engine: Engine, keyring: Keyring, arrivals: Iterable[Arrival], now: datetime) -> dict[int, Lane]:
    """Store the arrivals, and notify those who work on them; return the ids of the new rows, with their queues."""
    failpoints.reach(Step.RECEIVED)
    with database.reading(engine) as connection:
        messages = [sort(connection, arrival, keyring) for arrival in arrivals]
    has_replies = any(message.lane is Lane.REPLIES for message in messages)
    with database.writing(engine, can_wait=not has_replies) as connection:
        added = _store(connection, messages, now)
        if added:
            notify(connection, Channel.RECEIVED)
    failpoints.reach(Step.STORED)
    return added


def sort(connection: Connection, arrival: Arrival, keyring: Keyring) -> SortedArrival:
    """Return the arrival with what must be known of it to store it. It only reads."""
    block, digest = header_block(arrival.raw), key(arrival.raw, arrival.recipients)
    if owner := _owner(connection, arrival, block, keyring):
        return SortedArrival(arrival, digest, Lane.REPLIES, owner, arrival.raw)
    author = from_and_subject.author(_FROM.findall(normalize_newlines(block).decode("utf-8", "replace")))
    if author is not None and connection.execute(_PLAYER, {"author": author}).first() is not None:
        return SortedArrival(arrival, digest, Lane.PLAYERS, author, arrival.raw)
    is_report = arrival.sender == "" or _REPORT.search(block)  # it contains a message of ours
    is_too_large = len(arrival.raw) > LARGEST_OF_STRANGERS and not is_report
    return SortedArrival(arrival, digest, Lane.STRANGERS, author, block if is_too_large else arrival.raw)


def _owner(connection: Connection, arrival: Arrival, block: bytes, keyring: Keyring) -> str | None:
    """Return the address of the player whose token, signed by us, is in one of the recipients' addresses."""
    addresses = " ".join(arrival.recipients).encode("utf-8", "replace") + block
    for tag in sorted({tag.decode().lower() for tag in _TAG.findall(addresses)})[:MOST_TAGS]:
        token = tokens.parse(tag)
        owner = connection.execute(_OWNER, {"player": token.player}).first() if token else None
        if owner is not None and keyring.signed(tag, owner.epoch):
            return str(owner.address)
    return None


def _store(connection: Connection, messages: Iterable[SortedArrival], now: datetime) -> dict[int, Lane]:
    """Add rows for the messages, except those that are stored. Return the ids of the new rows, with their queues."""
    statement = _new_row(connection.dialect.name)
    added, contents = {}, []
    for message in messages:
        arrival = message.arrival
        row = {
            "key": message.key,
            "lane": message.lane.value,
            "group": message.group,
            "whose": message.group,
            "size": arrival.size or len(arrival.raw),
            "source": arrival.source,
            "sender": arrival.sender.lower() if arrival.sender is not None else None,
            "recipients": list(arrival.recipients),
            "received": now,
        }
        number = connection.execute(statement, row).scalar_one_or_none()
        if number is None:
            log.info("mail in", incoming=None, source=arrival.source, verdict="duplicate")
            continue
        contents.append({"incoming": number, "raw": message.raw})
        added[number] = message.lane
    if contents:
        connection.execute(insert(RawMessage), contents)
    return added


@cache
def _new_row(dialect: str) -> ReturningInsert[Any]:
    """Return the statement that adds a row and returns its id, or nothing if the message is stored."""
    return insert_new(dialect, Incoming, "key").values(round=waiting_of_group(Incoming, IncomingState.NEW))


def key(raw: bytes, recipients: tuple[str, ...]) -> str:
    """Return a key that is the same for all deliveries of a message: a hash of what its sender's program wrote.

    With the Message-ID alone, anyone could suppress another's message by sending its id first. The key also covers what
    changes how we treat a message: the signs of a machine, and a reply token that only the envelope shows (Bcc).
    """
    block, _, body = raw.replace(b"\r\n", b"\n").partition(b"\n\n")
    hidden: list[bytes] = []
    if len(block) <= LARGEST_HEADER_BLOCK:  # a larger one isn't read, so its headers don't matter
        lines = []
        for name, value in _headers(block):
            text = name.decode("ascii", "replace")
            if text in SENDERS_HEADERS or text in machines.HEADERS or text.startswith("list-"):
                lines.append(b"%s:%s" % (name, value))
        block = b"\n".join(sorted(lines))
        tags = {recipient.lower().partition("@")[0].rstrip('"')[-tokens.LENGTH :] for recipient in recipients}
        hidden = [tag.encode() for tag in sorted(tags) if tokens.parse(tag) and tag.encode() not in block.lower()]
    return hashlib.sha256(b"\n\n".join([block, body.rstrip(), *hidden])).hexdigest()


def _headers(block: bytes) -> list[tuple[bytes, bytes]]:
    r"""Return the name and value of each header, normalised since relays may fold them or change case.

    >>> _headers(b"Subject: a\n\tb\nTO:c")
    [(b'subject', b'a b'), (b'to', b'c')]
    """
    lines = re.sub(rb"\n(?=[ \t])", b" ", block).split(b"\n")
    parts = (line.partition(b":") for line in lines)
    return [(name.strip().lower(), b" ".join(value.split())) for name, _, value in parts]
