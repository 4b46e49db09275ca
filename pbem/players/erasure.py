"""Erasure: what is held on a player leaves every row, and his records stay without a name.

One transaction does it all: his matches end and the opponents are told, his mails and words are emptied, other
people's rows forget his name, and his own row is called deleted-17 from then on, so that records stay well formed and
two who left stay apart. What is left are numbers, times and the keys of mails, which are hashes: an old mail that
comes once more is still known.
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
from pbem.players.announcements import Unprompted, announce
from pbem.players.redaction import Traces
from pbem.reading.limits import header_block
from pbem.storage import outbox, retention
from pbem.storage.models import UNSENT, Incoming, IncomingState, Match, Outgoing, OutgoingState, Player
from pbem.tokens import OLDEST, Purpose

log = structlog.get_logger()

ANONYMOUS = "deleted-"
"""What the name of somebody who left begins with; no player can choose such a one."""
LAST_MAIL = "deleted"
"""The mail that says that all is done; its address is forgotten once it is sent."""
NOWHERE = "nowhere"
"""In the place of that address."""
OVERTAKEN = ("turn", "challenge", "invitation", "message", "unreachable")
"""Mails about a match that need not go out any more when its end is told."""
NAMES_NOBODY = "somebody whom it names has left"
"""What became of a mail that waited for a yes."""
CHUNK = 500
AT_A_TIME = 50
"""So many mails are in memory when all are looked through."""


def erase(
    session: Session,
    server: ServerSettings,
    player: Player,
    now: datetime,
    incoming: Incoming | None = None,
    answers: Sequence[str] = (),
) -> str:
    """Remove all that is held on the player, who is called by the name that comes back; the mail says so is owed."""
    locked = session.get_one(Player, player.id, with_for_update=True)
    address = locked.address
    _erase(session, server, locked, now)
    if incoming is not None:  # the mail in hand
        incoming.raw, incoming.sender, incoming.recipients = b"", None, []
        session.add(incoming)
    outbox.owe(
        session, now, server.domain, template=LAST_MAIL, address=address, words={}, incoming=incoming, answers=answers
    )
    log.info("erased", player=locked.id)
    return locked.name or ""


def forget_last(session: Session, tried: Sequence[int]) -> None:
    """Forget where the last mail to somebody went, once it is sent, or nobody would take it."""
    over = col(Outgoing.state).in_((OutgoingState.SENT, OutgoingState.FAILED))
    last = (col(Outgoing.id).in_(tried), col(Outgoing.template) == LAST_MAIL, over)
    nowhere: dict[str, Any] = {"address": NOWHERE, "in_reply_to": None, "references": [], "error": None}
    nowhere["state"] = case((col(Outgoing.state) == OutgoingState.FAILED, "dropped"), else_=Outgoing.state)
    retention.change(session, update(Outgoing).where(*last).values(nowhere))


def _erase(session: Session, server: ServerSettings, player: Player, now: datetime) -> None:
    addresses, guests = _addresses(session, player)
    traces = Traces(player.name, addresses, f"{ANONYMOUS}{player.id}")
    own = select(Match).where((Match.seat0 == player.id) | (Match.seat1 == player.id))
    matches = session.exec(own.order_by(col(Match.id)).with_for_update()).all()
    _empty_own(session, player, addresses)
    _rename(session, player, traces.instead, now)
    for match in matches:
        _leave(session, server, match, player, now)
    _forget_elsewhere(session, traces)
    others = {seat for match in matches for seat in (match.seat0, match.seat1)}
    _empty_mails(session, player, addresses, traces, others)
    for guest in guests:
        _erase(session, server, guest, now)


def _addresses(session: Session, player: Player) -> tuple[tuple[str, ...], list[Player]]:
    """Where the player's mail goes and went; and the rows of guests at such addresses, made when he moved away."""
    went = select(Outgoing.address).where(
        Outgoing.player == player.id, col(Outgoing.purpose).is_distinct_from(Purpose.ADDRESS.name)
    )
    addresses = {player.address, *session.exec(went.distinct())}
    others = session.exec(select(Player).where(col(Player.address).in_(addresses), Player.id != player.id)).all()
    addresses -= {other.address for other in others if other.confirmed is not None}
    return tuple(sorted(addresses)), [other for other in others if other.confirmed is None]


def _empty_own(session: Session, player: Player, addresses: Sequence[str]) -> None:
    """Empty every mail of ours to the player; what has not gone out never does."""
    own = or_(Outgoing.player == player.id, col(Outgoing.player).is_(None) & col(Outgoing.address).in_(addresses))
    held = select(Outgoing.incoming).where(own, Outgoing.template == "confirm")
    ours = or_(col(Incoming.id).in_(held), func.lower(Incoming.sender).in_(addresses))
    retention.change(
        session,
        update(Incoming).where(col(Incoming.state) != IncomingState.NEW, ours).values(player=player.id),
    )
    retention.change(session, update(Outgoing).where(own, col(Outgoing.state).in_(UNSENT)).values(state="dropped"))
    gone: dict[str, Any] = {"words": {"removed": True}, "address": f"{ANONYMOUS}{player.id}", "purpose": None}
    gone |= {"in_reply_to": None, "references": [], "error": None, "proposal": None}
    retention.change(session, update(Outgoing).where(own).values(gone))


def _rename(session: Session, player: Player, anonymous: str, now: datetime) -> None:
    """Make the player's row nobody's; no token that was ever his is known any more."""
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
    announce(session, Unprompted(session, server, now), events)


def _forget_elsewhere(session: Session, traces: Traces) -> None:
    """Take the name, the addresses and what the player said out of mails of ours to others."""
    spellings = {spelling for needle in traces.needles for spelling in (needle, json.dumps(needle)[1:-1])}
    shown = [
        func.lower(cast(column, Text)).contains(spelling.lower(), autoescape=True)
        for spelling in spellings
        for column in (Outgoing.words, Outgoing.error, Outgoing.references, Outgoing.in_reply_to, Outgoing.proposal)
    ]
    numbers = session.exec(select(Outgoing.id).where(or_(*shown))).all()
    for start in range(0, len(numbers), CHUNK):
        chunk = numbers[start : start + CHUNK]
        for row in session.exec(select(Outgoing).where(col(Outgoing.id).in_(chunk))):
            row.words = traces.without(row.words)
            row.error, row.proposal = traces.without(row.error), traces.without(row.proposal)
            row.references, row.in_reply_to = traces.without(row.references), traces.without(row.in_reply_to)
            if row.template == "message" and not row.words.get("message") and row.state in UNSENT:
                row.state = OutgoingState.DROPPED
            session.add(row)
        session.flush()


def _empty_mails(session: Session, player: Player, addresses: Sequence[str], traces: Traces, others: set[int]) -> None:
    """Remove the player's mails, those of his opponents, which quote him, and any other that shows his name.

    So it goes with a question's mail that waits for a yes: its sender may write it once more. But what waits for the
    operator, or for its turn, is nobody's to lose, and is removed in its time.
    """
    kept = (
        select(Incoming.id, Incoming.state, Incoming.player, Incoming.raw)
        .where(Incoming.state != IncomingState.NEW, retention.KEPT)
        .order_by(col(Incoming.id))
    )
    found: dict[str, list[int | None]] = {IncomingState.DONE: [], IncomingState.HELD: []}
    for number, state, whose, raw in session.execute(kept.execution_options(yield_per=AT_A_TIME)):
        if state == IncomingState.SHUNTED:
            if whose == player.id or _is_from(raw, addresses):
                found[IncomingState.DONE].append(number)
        elif whose == player.id or traces.are_in(raw) or (state == IncomingState.DONE and whose in others):
            found[state].append(number)
    settled: dict[str, Any] = {"state": IncomingState.DONE.value}
    told = {IncomingState.DONE: settled, IncomingState.HELD: settled | {"verdict": NAMES_NOBODY}}
    for state, numbers in found.items():
        for start in range(0, len(numbers), CHUNK):
            chunk = update(Incoming).where(col(Incoming.id).in_(numbers[start : start + CHUNK]))
            retention.change(session, chunk.values(retention.EMPTY | told[IncomingState(state)]))


def _is_from(raw: bytes, addresses: Sequence[str]) -> bool:
    """Whether a mail that nobody could read names one of the addresses as its author."""
    fields = re.findall(rb"^from:((?:[^\r\n]|\r?\n[ \t])*)", header_block(raw).lower(), re.MULTILINE)
    return any(address.encode() in field for field in fields for address in addresses)
