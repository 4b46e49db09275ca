"""Storing messages as they arrive: one row per message, whatever number of times it is delivered."""

import hashlib
from datetime import datetime

import structlog
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, select

from pbem import tokens
from pbem.storage.models import Incoming
from pbem.transports.protocols import Arrival

log = structlog.get_logger()


TRACE_HEADERS = frozenset(
    {"received", "return-path", "delivered-to", "x-original-to", "envelope-to", "authentication-results"}
    | {"received-spf", "dkim-signature", "x-spam-status", "x-google-smtp-source", "arc-seal"}
    | {"arc-message-signature", "arc-authentication-results"}
)


def store(session: Session, arrivals: tuple[Arrival, ...], now: datetime) -> list[int]:
    """Add rows for the arrivals that are not there yet; the ids of the new ones. Raw mail comes first."""
    added = []
    for arrival in arrivals:
        row = Incoming(
            key=key(arrival.raw, arrival.recipients),
            raw=arrival.raw,
            size=arrival.size or len(arrival.raw),
            source=arrival.source,
            sender=arrival.sender.lower() if arrival.sender is not None else None,
            recipients=list(arrival.recipients),
            received=now,
        )
        if _is_stored(session, row.key):
            log.info("mail in", incoming=None, source=arrival.source, verdict="duplicate")
            continue
        try:
            with session.begin_nested():
                session.add(row)
        except IntegrityError:
            if not _is_stored(session, row.key):
                raise
            log.info("mail in", incoming=None, source=arrival.source, verdict="duplicate")  # it came twice at once
            continue
        added.append(row.id or 0)
    return added


def key(raw: bytes, recipients: tuple[str, ...]) -> str:
    """What makes two deliveries the same mail: all but the headers that transport adds.

    A Message-ID alone would let anybody shut out another's mail by sending its id first. A reply token that
    only the envelope shows (Bcc) counts too, since it changes what the mail may do.
    """
    block, _, body = raw.replace(b"\r\n", b"\n").partition(b"\n\n")
    lasting: list[bytes] = []
    kept = True
    for line in block.split(b"\n"):
        if not line[:1].isspace():
            kept = line.partition(b":")[0].strip().lower().decode("ascii", "replace") not in TRACE_HEADERS
        if kept:
            lasting.append(line.rstrip())
    head = b"\n".join(lasting)
    hidden = [
        tag
        for tag in sorted({recipient.lower().partition("@")[0][-tokens.LENGTH :] for recipient in recipients})
        if tokens.parse(tag) and tag.encode() not in head.lower()
    ]
    return hashlib.sha256(b"\n\n".join([head, body.rstrip(), *map(str.encode, hidden)])).hexdigest()


def _is_stored(session: Session, key: str) -> bool:
    return session.exec(select(Incoming.id).where(Incoming.key == key)).first() is not None
