"""Erasure: remove a player's data from every row; their records stay, without a name.

One transaction does it all: the player's matches end and the opponents are told, their messages and words are emptied,
other people's rows lose the name, and the player's own row is called deleted-17 from then on. So records stay well
formed, and two players who left stay distinct. What remains are numbers, times and the keys of messages, which are
hashes: an old message that arrives again is still recognised.
"""

import json
import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any

import structlog
from sqlalchemy import Text, case, cast
from sqlmodel import Session, col, func, or_, select, update

from pbem.config import ServerSettings
from pbem.matches import lifecycle
from pbem.payloads.messages import Deleted
from pbem.players.announcements import announce
from pbem.players.redaction import Redaction
from pbem.reading.limits import header_block
from pbem.storage import retention
from pbem.storage.models import UNSENT, Incoming, IncomingState, Match, Outgoing, OutgoingState, Player
from pbem.storage.outbox import Mailer
from pbem.tokens import OLDEST, Purpose

log = structlog.get_logger()

ANONYMOUS = "deleted-"
"""How the name of a player who left begins; no player can choose such a name."""
LAST_MAIL = "deleted"
"""The template of the last message; its address is removed once it is sent."""
NOWHERE = "nowhere"
"""What replaces that address."""
OVERTAKEN = ("turn", "challenge", "invitation", "message", "unreachable")
"""Messages about a match that needn't go out any more once its end is told."""
NAMES_NOBODY = "somebody whom it names has left"
"""The verdict on a held message that names a player who left."""
CHUNK = 500
AT_A_TIME = 50
"""How many messages are in memory at a time when all are searched."""


def erase(
    session: Session,
    server: ServerSettings,
    player: Player,
    now: datetime,
    incoming: Incoming | None = None,
    answers: Sequence[str] = (),
) -> str:
    """Remove all of the player's data and queue the message that says so; return the name that replaces theirs."""
    locked = session.get_one(Player, player.id, with_for_update=True)
    address = locked.address
    _erase(session, server, locked, now)
    if incoming is not None:  # the current message
        incoming.raw, incoming.sender, incoming.recipients, incoming.removed = b"", None, [], now
        session.add(incoming)
    Mailer(session, server, now).to_address(address, Deleted(), incoming=incoming, answers=answers)
    log.info("erased", player=locked.id)
    return locked.name or ""


def forget_last(session: Session, tried: Sequence[int]) -> None:
    """Remove the address of the last message to a player, once it is sent or refused for good."""
    over = col(Outgoing.state).in_((OutgoingState.SENT, OutgoingState.FAILED))
    last = (col(Outgoing.id).in_(tried), col(Outgoing.template) == LAST_MAIL, over)
    nowhere: dict[str, Any] = {
        "address": NOWHERE,
        "stranger_domain": None,
        "in_reply_to": None,
        "references": [],
        "error": None,
    }
    nowhere["state"] = case((col(Outgoing.state) == OutgoingState.FAILED, "dropped"), else_=Outgoing.state)
    retention.change(session, update(Outgoing).where(*last).values(nowhere))


def _erase(session: Session, server: ServerSettings, player: Player, now: datetime) -> None:
    addresses, guests = _addresses(session, player)
    redaction = Redaction(player.name, addresses, f"{ANONYMOUS}{player.id}")
    own = select(Match).where((Match.seat0 == player.id) | (Match.seat1 == player.id))
    matches = session.exec(own.order_by(col(Match.id)).with_for_update()).all()
    _empty_own(session, player, addresses, now)
    _rename(session, player, redaction.replacement, now)
    for match in matches:
        _leave(session, server, match, player, now)
    _forget_elsewhere(session, redaction)
    others = {seat for match in matches for seat in (match.seat0, match.seat1)}
    _empty_mails(session, player, addresses, redaction, others, now)
    for guest in guests:
        _erase(session, server, guest, now)


def _addresses(session: Session, player: Player) -> tuple[tuple[str, ...], list[Player]]:
    """Return the player's present and earlier addresses, and the rows of guests that were made at earlier ones."""
    went = select(Outgoing.address).where(
        Outgoing.player == player.id, col(Outgoing.purpose).is_distinct_from(Purpose.ADDRESS.name)
    )
    addresses = {player.address, *session.exec(went.distinct())}
    others = session.exec(select(Player).where(col(Player.address).in_(addresses), Player.id != player.id)).all()
    addresses -= {other.address for other in others if other.confirmed is not None}
    return tuple(sorted(addresses)), [other for other in others if other.confirmed is None]


def _empty_own(session: Session, player: Player, addresses: Sequence[str], now: datetime) -> None:
    """Empty every message of ours to the player; queued ones are dropped."""
    own = or_(Outgoing.player == player.id, col(Outgoing.player).is_(None) & col(Outgoing.address).in_(addresses))
    held = select(Outgoing.incoming).where(own, Outgoing.template == "confirm")
    ours = or_(col(Incoming.id).in_(held), col(Incoming.sender).in_(addresses))
    retention.change(
        session,
        update(Incoming).where(col(Incoming.state) != IncomingState.NEW, ours).values(player=player.id),
    )
    retention.change(session, update(Outgoing).where(own, col(Outgoing.state).in_(UNSENT)).values(state="dropped"))
    gone: dict[str, Any] = {
        "payload": {"removed": True},
        "removed": now,
        "troubled": None,
        "facts": None,
        "address": f"{ANONYMOUS}{player.id}",
        "purpose": None,
    }
    gone |= {"stranger_domain": None, "in_reply_to": None, "references": [], "error": None, "proposal": None}
    retention.change(session, update(Outgoing).where(own).values(gone))


def _rename(session: Session, player: Player, anonymous: str, now: datetime) -> None:
    """Make the player's row anonymous; none of their tokens is recognised any more."""
    player.name = player.address = anonymous
    player.settings, player.stopped, player.deleted = {}, None, now
    player.bounces, player.bounced, player.unreachable = 0, None, None
    player.epoch += OLDEST + 1
    session.add(player)
    session.flush()


def _leave(session: Session, server: ServerSettings, match: Match, player: Player, now: datetime) -> None:
    """End a match that the player leaves, and tell the opponent that and nothing else about it."""
    events = lifecycle.leave(session, match, player, now)
    if not events:
        return
    overtaken = (
        col(Outgoing.match) == match.id,
        col(Outgoing.template).in_(OVERTAKEN),
        col(Outgoing.state).in_(UNSENT),
    )
    retention.change(session, update(Outgoing).where(*overtaken).values(state=OutgoingState.DROPPED.value))
    announce(session, server, now, events)


def _forget_elsewhere(session: Session, redaction: Redaction) -> None:
    """Remove the name, the addresses and what the player said from our messages to others."""
    spellings = {spelling for term in redaction.search_terms for spelling in (term, json.dumps(term)[1:-1])}
    shown = [
        func.lower(cast(column, Text)).contains(spelling.lower(), autoescape=True)
        for spelling in spellings
        for column in (
            *(Outgoing.payload, Outgoing.facts, Outgoing.proposal, Outgoing.error),
            *(Outgoing.references, Outgoing.in_reply_to),
        )
    ]
    numbers = session.exec(select(Outgoing.id).where(or_(*shown))).all()
    for start in range(0, len(numbers), CHUNK):
        chunk = numbers[start : start + CHUNK]
        for row in session.exec(select(Outgoing).where(col(Outgoing.id).in_(chunk))):
            row.payload, row.facts = redaction.redact(row.payload), redaction.redact(row.facts)
            row.error, row.proposal = redaction.redact(row.error), redaction.redact(row.proposal)
            row.references, row.in_reply_to = redaction.redact(row.references), redaction.redact(row.in_reply_to)
            if row.template == "message" and not row.payload.get("message") and row.state in UNSENT:
                row.state = OutgoingState.DROPPED
            session.add(row)
        session.flush()


def _empty_mails(
    session: Session, player: Player, addresses: Sequence[str], redaction: Redaction, others: set[int], now: datetime
) -> None:
    """Remove the player's messages, those of opponents, which quote them, and any other that shows their name.

    That includes held messages that wait for a yes: their senders can write them again. But messages that wait for the
    operator, or to be handled, must not be lost, and are removed when their time is up.
    """
    kept = (
        select(Incoming.id, Incoming.state, Incoming.player, Incoming.raw)
        .where(Incoming.state != IncomingState.NEW, col(Incoming.removed).is_(None))
        .order_by(col(Incoming.id))
    )
    found: dict[str, list[int | None]] = {IncomingState.DONE: [], IncomingState.HELD: []}
    for number, state, whose, raw in session.execute(kept.execution_options(yield_per=AT_A_TIME)):
        if state == IncomingState.SHUNTED:
            if whose == player.id or _is_from(raw, addresses):
                found[IncomingState.DONE].append(number)
        elif whose == player.id or redaction.occurs_in(raw) or (state == IncomingState.DONE and whose in others):
            found[state].append(number)
    settled: dict[str, Any] = {"state": IncomingState.DONE.value}
    told = {IncomingState.DONE: settled, IncomingState.HELD: settled | {"verdict": NAMES_NOBODY}}
    for state, numbers in found.items():
        for start in range(0, len(numbers), CHUNK):
            chunk = update(Incoming).where(col(Incoming.id).in_(numbers[start : start + CHUNK]))
            retention.change(session, chunk.values(retention.emptied(now) | told[IncomingState(state)]))


def _is_from(raw: bytes, addresses: Sequence[str]) -> bool:
    """Return whether an unreadable message names one of the addresses as its author."""
    fields = re.findall(rb"^from:((?:[^\r\n]|\r?\n[ \t])*)", header_block(raw).lower(), re.MULTILINE)
    return any(address.encode() in field for field in fields for address in addresses)
