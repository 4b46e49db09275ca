"""Owing mails: a row for each, in the transaction that makes it due, with its Message-ID from birth."""

import secrets
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import bindparam, insert, union_all
from sqlmodel import Session, col, func, select

from pbem.models import Incoming, Match, Outgoing, OutgoingState, Player
from pbem.tokens import Purpose

ID_BYTES = 16
"""So much of a Message-ID is chance: nobody can claim to answer a mail that he has not seen."""

# The statements are built once: that takes longer than running them. And a mail is owed by a plain insert, since
# nobody needs the row in this session.
_OWED = insert(Outgoing)
_OURS = (Outgoing.match == bindparam("number"), Outgoing.address == bindparam("address"))
_ENDS = union_all(select(func.min(Outgoing.id)).where(*_OURS), select(func.max(Outgoing.id)).where(*_OURS))
_THREAD = select(Outgoing.message_id).where(col(Outgoing.id).in_(_ENDS)).order_by(col(Outgoing.id))


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
) -> None:
    """A mail to be sent, from now on. `answers` are the Message-IDs it answers, nearest first."""
    thread = _thread(session, match, address) if match else ()
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
        "proposal": proposal,
        "told_in": None,
        "state": OutgoingState.OWED.value,
        "attempts": 0,
        "due": now,
        "created": now,
    }
    session.connection().execute(_OWED, owed)


def _thread(session: Session, match: Match, address: str) -> tuple[str, ...]:
    """The first and the last mail about the match to that address: what keeps a match one thread."""
    return tuple(session.exec(_THREAD, params={"number": match.id, "address": address}))
