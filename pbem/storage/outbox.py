"""Owing mails: a row for each, in the transaction that makes it due, with its Message-ID from birth."""

import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, insert, union_all
from sqlmodel import Session, col, func, select

from pbem.storage.models import Incoming, Match, Outgoing, OutgoingState, Player
from pbem.tokens import Purpose

ANSWERED = frozenset({"answer", "confirm"})
"""What is sent to an address from which all comes back: it wrote just now, so it may well be there again."""

ID_BYTES = 16
"""So much of a Message-ID is chance: nobody can claim to answer a mail that he has not seen."""

# The statements are built once: that takes longer than running them. And a mail is owed by a plain insert, since
# nobody needs the row in this session.
_OWED = insert(Outgoing)
_WENT_OUT = col(Outgoing.state).not_in((OutgoingState.BATCHED, OutgoingState.MERGED, OutgoingState.DROPPED))
_OURS = (Outgoing.match == bindparam("number"), Outgoing.address == bindparam("address"), _WENT_OUT)
_ENDS = union_all(select(func.min(Outgoing.id)).where(*_OURS), select(func.max(Outgoing.id)).where(*_OURS))
_THREAD = select(Outgoing.message_id).where(col(Outgoing.id).in_(_ENDS)).order_by(col(Outgoing.id))
_DIGESTS = (
    select(Outgoing.message_id)
    .where(Outgoing.template == "digest", col(Outgoing.match).is_(None), Outgoing.address == bindparam("address"))
    .order_by(col(Outgoing.id).desc())
    .limit(1)
)


def is_own_id(message_id: str, domain: str) -> bool:
    """Whether we gave a mail that Message-ID.

    >>> is_own_id("<0123456789abcdef0123456789abcdef@pbem.example>", "pbem.example")
    True
    """
    local, _, host = message_id.strip("<>").rpartition("@")
    return host == domain and len(local) == 2 * ID_BYTES and not set(local) - set("0123456789abcdef")


def owe(
    session: Session,
    now: datetime,
    domain: str,
    *,
    template: str,
    address: str,
    words: dict[str, Any],
    player: Player | None = None,
    purpose: Purpose | None = None,
    subject: int = 0,
    match: Match | None = None,
    ply: int = 0,
    incoming: Incoming | None = None,
    answers: Sequence[str] = (),
    proposal: str | None = None,
    is_notice: bool = False,
    is_batched: bool = False,
) -> int:
    """A mail to be sent, from now on or, collected, with others; its row's id.

    `answers` are the Message-IDs it answers, nearest first. News for an address from which all comes back is kept.
    """
    dead = player is not None and player.unreachable is not None and player.address == address
    waits = OutgoingState.BATCHED if is_batched else OutgoingState.OWED
    thread = _thread(session, template, match, address)
    references = dict.fromkeys([*thread, *reversed(answers[:3])])
    owed = {
        "message_id": f"<{secrets.token_hex(ID_BYTES)}@{domain}>",
        "template": template,
        "words": words,
        "match": match.id if match else None,
        "ply": ply,
        "player": player.id if player else None,
        "epoch": player.epoch if player else 0,
        "purpose": purpose.name if purpose else None,
        "subject": subject,
        "address": address,
        "incoming": incoming.id if incoming else None,
        "in_reply_to": answers[0] if answers else (thread[-1] if thread else None),
        "references": list(references),
        "is_notice": is_notice,
        "proposal": proposal,
        "merged_into": None,
        "state": (OutgoingState.SUSPENDED if dead and template not in ANSWERED else waits).value,
        "attempts": 0,
        "delivery_starts": 0,
        "due": now,
        "created": now,
    }
    (stored,) = session.connection().execute(_OWED, owed).inserted_primary_key or (0,)
    return int(stored)


def _thread(session: Session, template: str, match: Match | None, address: str) -> tuple[str, ...]:
    """What keeps a match one thread: the first and the last mail about it to that address.

    Mails about several matches are a thread of their own. What never went out by itself is no part of a thread.
    """
    if match is not None:
        return tuple(session.exec(_THREAD, params={"number": match.id, "address": address}))
    return tuple(session.exec(_DIGESTS, params={"address": address})) if template == "digest" else ()
