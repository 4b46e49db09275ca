"""The outbox: a row for each message, in the transaction that makes it due, with its Message-ID from birth."""

import hashlib
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Integer, bindparam, insert, union_all
from sqlalchemy.orm import joinedload
from sqlmodel import Session, col, func, select

from pbem.config import ServerSettings
from pbem.storage import facts_when_queued, queue
from pbem.storage.mailboxes_and_domains import owner
from pbem.storage.message_payload_base import Payload, dump, people_in
from pbem.storage.models import (
    HOUSE,
    Incoming,
    Match,
    Mention,
    Outgoing,
    OutgoingContent,
    OutgoingLane,
    OutgoingState,
    Player,
    Standing,
)
from pbem.tokens import Purpose

ANSWERED = frozenset({"answer", "confirm"})
"""What is sent to an address from which all comes back: it wrote just now, so it may well be there again."""
TURNS = frozenset({"turn"})  # what is sent besides to a player who has complained about our messages

ID_BYTES = 16  # too many to guess: nobody can reply to a message they haven't seen

WITH_CONTENT = joinedload(Outgoing.content)  # type: ignore[arg-type] # SQLModel has the type of what it holds
"""Has a query for outgoing messages load what they say, too."""

# A plain insert, since nobody needs the row in this session.
_OF_OTHERS = col(Outgoing.incoming).is_distinct_from(bindparam("because", type_=Integer))
"""What one message causes goes out in one round."""
_QUEUED = insert(Outgoing).values(round=queue.waiting_of_group(Outgoing, OutgoingState.OWED, _OF_OTHERS))
STAYED = (
    OutgoingState.BATCHED,
    OutgoingState.PAUSED,
    OutgoingState.WAITING,
    OutgoingState.MERGED,
    OutgoingState.DROPPED,
)
"""States of messages that don't go out by themselves, or not yet."""
# Written out: five values that are bound would cost twice as much time as the rest of the query.
_WENT_OUT = col(Outgoing.state).not_in(queue.written_out(state) for state in STAYED)
_OURS = (Outgoing.match == bindparam("number"), Outgoing.address == bindparam("address"), _WENT_OUT)
_ENDS = union_all(select(func.min(Outgoing.id)).where(*_OURS), select(func.max(Outgoing.id)).where(*_OURS))
_THREAD = select(Outgoing.message_id).where(col(Outgoing.id).in_(_ENDS)).order_by(col(Outgoing.id))
_IS_DIGEST = (Outgoing.template == "digest", col(Outgoing.match).is_(None), Outgoing.address == bindparam("address"))
_DIGESTS = select(Outgoing.message_id).where(*_IS_DIGEST).order_by(col(Outgoing.id).desc()).limit(1)
_EMPTY: dict[str, Any] = {
    **dict.fromkeys(("purpose", "proposal")),
    **dict.fromkeys(("ply", "shift", "epoch", "token_subject", "attempts"), 0),
    "is_notice": False,
    "state": OutgoingState.OWED.value,
}
"""The columns of a row that nothing has been said about."""


def kept_content(row: Outgoing) -> OutgoingContent:
    """Return what a message says, to change it. Raises ValueError if it was removed."""
    if row.content is None:
        raise ValueError(f"what message {row.id} says was removed")
    return row.content


def is_own_id(message_id: str, domain: str) -> bool:
    """Return whether the Message-ID is one of ours."""
    local, _, host = message_id.strip("<>").rpartition("@")
    return host == domain and len(local) == 2 * ID_BYTES and not set(local) - set("0123456789abcdef")


def new_id(domain: str) -> str:
    """Return a Message-ID that nobody can guess; `domain` is ours, or a Message-ID of ours."""
    return f"<{secrets.token_hex(ID_BYTES)}@{domain.rpartition('@')[2].rstrip('>')}>"


@dataclass(frozen=True, slots=True)
class Cause:
    """The message that another is sent because of, and what budgets count of that."""

    incoming: Incoming | None = None
    answers: Sequence[str] = ()  # the Message-IDs that it replies to, nearest first
    standing: Standing | None = None
    gist: str | None = None


UNCAUSED = Cause()


@dataclass(frozen=True, slots=True)
class Delivery:
    """How a message goes out: soon, together with other news if the player wants any for now, or by a time at last."""

    is_notice: bool = False
    is_batched: bool = False
    waits_until: datetime | None = None
    is_long: bool = False  # whether it takes long to render, though its kind usually doesn't


SOON, NEWS = Delivery(), Delivery(is_notice=True)


class Mailer:
    def __init__(self, session: Session, server: ServerSettings, now: datetime) -> None:
        self._session = session
        self._server = server
        self._now = now

    def to_player(
        self,
        player: Player,
        payload: Payload,
        *,
        purpose: Purpose,
        match: Match | None = None,
        ply: int | None = None,
        token_subject: int = 0,
        cause: Cause = UNCAUSED,
        proposal: str | None = None,
        delivery: Delivery = SOON,
    ) -> int:
        """Queue a message that a reply token lets the player answer; return its row's id.

        A token to play is about the match; `token_subject` is that of any other. `ply` is how many turns of the match
        it shows, if not all.
        """
        if player.address == HOUSE:
            raise ValueError("the house gets no mail")
        complained = player.complained is not None and not delivery.is_batched and payload.template not in TURNS
        suspended = (player.unreachable is not None or complained) and payload.template not in ANSWERED
        collected = OutgoingState.PAUSED if player.stopped is not None else OutgoingState.BATCHED
        state = OutgoingState.WAITING if delivery.waits_until else OutgoingState.OWED
        state = collected if delivery.is_batched else state
        columns = {
            "epoch": player.epoch,
            "purpose": purpose.name,
            "token_subject": (match.id or 0) if match and purpose is Purpose.PLAY else token_subject,
            "ply": ply if ply is not None else match.plies if match else 0,
            "shift": match.shift if match else 0,
            "proposal": proposal,
            "is_notice": delivery.is_notice,
            "state": (OutgoingState.SUSPENDED if suspended else state).value,
            "due": delivery.waits_until or self._now,
        }
        return self._enqueue(payload, player.address, match, cause, columns, player=player, is_long=delivery.is_long)

    def to_address(self, address: str, payload: Payload, *, cause: Cause = UNCAUSED, is_long: bool = False) -> int:
        """Queue a message to someone who isn't a player; return its row's id. A reply to it proves nothing."""
        return self._enqueue(payload, address, None, cause, {}, is_long=is_long)

    def ask_address(self, address: str, payload: Payload, *, player: Player, token_subject: int, cause: Cause) -> int:
        token = {"epoch": player.epoch, "purpose": Purpose.ADDRESS.name, "token_subject": token_subject}
        return self._enqueue(payload, address, None, cause, token | {"stranger_domain": owner(address)}, player=player)

    def _enqueue(
        self,
        payload: Payload,
        address: str,
        match: Match | None,
        cause: Cause,
        columns: Mapping[str, Any],
        *,
        player: Player | None = None,
        is_long: bool = False,
    ) -> int:
        is_stranger = player is None or player.confirmed is None
        is_long |= payload.is_long or cause.standing is not None
        answers, author = cause.answers, cause.incoming.group if cause.incoming is not None else None
        thread = _thread(self._session, payload.template, match, address)
        stored = dump(payload)
        facts = facts_when_queued.of_message(self._session, player, stored, match)
        row = _EMPTY | {
            "message_id": new_id(self._server.domain),
            "lane": (OutgoingLane.LONG if is_long else OutgoingLane.SHORT).value,
            "template": payload.template,
            "plies": stored.get("plies"),
            "match": match.id if match else None,
            "player": player.id if player else None,
            "address": address,
            "stranger_domain": owner(address) if is_stranger and payload.template in ANSWERED else None,
            "in_reply_to": answers[0] if answers else (thread[-1] if thread else None),
            "references": list(dict.fromkeys([*thread, *reversed(answers[:3])])),
            "due": self._now,
            "created": self._now,
            "incoming": cause.incoming.id if cause.incoming is not None else None,
            "group": hashlib.sha256((author or address).encode()).hexdigest()[:16],
            "standing": cause.standing.value if cause.standing else None,
            "gist": cause.gist,
            **columns,
        }
        connection = self._session.connection()
        queued = connection.execute(_QUEUED, row | {"whose": row["group"], "because": row["incoming"]})
        (number,) = queued.inserted_primary_key or (0,)
        if mentioned := self._mentioned(stored, facts, player, match):
            connection.execute(insert(Mention), [{"outgoing": number, "player": other} for other in sorted(mentioned)])
        connection.execute(insert(OutgoingContent), {"outgoing": number, "payload": stored, "facts": facts})
        return int(number)

    def _mentioned(
        self, payload: Mapping[str, Any], facts: Mapping[str, Any], reader: Player | None, match: Match | None
    ) -> set[int]:
        players = list(facts_when_queued.players(facts))
        names = {*people_in(payload)} - {player.get("name") for player in players}
        ids = {int(player["id"]) for player in players}
        if names:
            ids |= {*self._session.exec(select(Player.id).where(col(Player.name).in_(names)))}
            ids |= {*self._session.exec(select(Player.id).where(col(Player.address).in_(names)))}
        return ids - {reader.id if reader else None, *((match.seat0, match.seat1) if match else ())}


def _thread(session: Session, template: str, match: Match | None, address: str) -> tuple[str, ...]:
    """Return the Message-IDs of the first and last message about the match to the address, or of the last digest."""
    if match is not None:
        return tuple(session.connection().execute(_THREAD, {"number": match.id, "address": address}).scalars())
    return tuple(session.connection().execute(_DIGESTS, {"address": address}).scalars()) if template == "digest" else ()
