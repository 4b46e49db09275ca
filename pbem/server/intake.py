"""Storing messages as they arrive: one row per message, no matter how often it is delivered."""

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

import structlog
from sqlalchemy import Connection, insert
from sqlalchemy.sql.dml import ReturningInsert

from pbem import tokens
from pbem.mail.reading import machines
from pbem.mail.reading.limits import LARGEST_HEADER_BLOCK
from pbem.mail.transports.protocols import Arrival
from pbem.server.triage import LanePlace, Triage
from pbem.storage.database import insert_new
from pbem.storage.models import Incoming, IncomingState, Lane, RawMessage
from pbem.storage.queue import waiting_of_group

log = structlog.get_logger()


SENDERS_HEADERS = frozenset(
    {"from", "sender", "reply-to", "to", "cc", "date", "message-id", "in-reply-to", "references", "subject"}
    | {"content-type", "content-transfer-encoding"}
)
"""Headers that a sender's program writes and relays don't change."""

_CONTENT = insert(RawMessage)
_ROUND = waiting_of_group(Incoming, IncomingState.NEW)


@dataclass(frozen=True, slots=True)
class Sorted:
    arrival: Arrival
    key: str
    place: LanePlace


def sort(connection: Connection, arrivals: Iterable[Arrival], triage: Triage) -> list[Sorted]:
    """Return the arrivals with what must be known of them to store them. It only reads."""
    return [
        Sorted(arrival, key(arrival.raw, arrival.recipients), triage.place(connection, arrival)) for arrival in arrivals
    ]


def store(connection: Connection, arrivals: Iterable[Sorted], now: datetime) -> dict[int, Lane]:
    """Add rows for the arrivals, except those that are stored. Return the ids of the new rows, with their queues."""
    statement = _new_row(connection.dialect.name)
    added, contents = {}, []
    for each in arrivals:
        arrival, place = each.arrival, each.place
        row = {
            "key": each.key,
            "lane": place.lane.value,
            "group": place.group,
            "whose": place.group,
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
        contents.append({"incoming": number, "raw": place.raw})
        added[number] = place.lane
    if contents:
        connection.execute(_CONTENT, contents)
    return added


@cache
def _new_row(dialect: str) -> ReturningInsert[Any]:
    """Return the statement that adds a row and returns its id, or nothing if the message is stored."""
    return insert_new(dialect, Incoming, "key").values(round=_ROUND)


def key(raw: bytes, recipients: tuple[str, ...]) -> str:
    """Return a key that is the same for all deliveries of a message: a hash of what its sender's program wrote.

    With the Message-ID alone, anyone could suppress another's message by sending its id first. The key also covers what
    changes how we treat a message: the signs of a machine, and a reply token that only the envelope shows (Bcc).
    """
    block, body = _parts(raw)
    if len(block) > LARGEST_HEADER_BLOCK:  # too large to be read, so its headers don't matter
        return _digest(block, body, ())
    written = sorted(b"%s:%s" % header for header in _headers(block) if _is_written(header[0]))
    return _digest(b"\n".join(written), body, recipients)


def _is_written(name: bytes) -> bool:
    """Return whether a header of that name is written by the sender's program, or says that a machine sends."""
    text = name.decode("ascii", "replace")
    return text in SENDERS_HEADERS or text in machines.HEADERS or text.startswith("list-")


def _parts(raw: bytes) -> tuple[bytes, bytes]:
    block, _, body = raw.replace(b"\r\n", b"\n").partition(b"\n\n")
    return block, body.rstrip()


def _headers(block: bytes) -> list[tuple[bytes, bytes]]:
    r"""Return the name and value of each header, normalised since relays may fold them or change case.

    >>> _headers(b"Subject: a\n\tb\nTO:c")
    [(b'subject', b'a b'), (b'to', b'c')]
    """
    lines = re.sub(rb"\n(?=[ \t])", b" ", block).split(b"\n")
    parts = (line.partition(b":") for line in lines)
    return [(name.strip().lower(), b" ".join(value.split())) for name, _, value in parts]


def _digest(head: bytes, body: bytes, recipients: tuple[str, ...]) -> str:
    """Return the hash of a message, and of the tokens that only its envelope shows."""
    tags = sorted({recipient.lower().partition("@")[0].rstrip('"')[-tokens.LENGTH :] for recipient in recipients})
    small = head.lower()
    hidden = [tag.encode() for tag in tags if tokens.parse(tag) and tag.encode() not in small]
    return hashlib.sha256(b"\n\n".join([head, body, *hidden])).hexdigest()
