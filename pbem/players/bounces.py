"""Bounces: which of our messages came back, and which addresses no longer work.

Anyone can write a message that looks like a bounce. What counts is where it arrives: the envelope sender of each
message is an address of its own, with a token that only its carriers and its reader have seen; and that the mailbox or
its domain is gone (see `bounce_reasons`). A single bounce may be a server's mistake, so the message is sent again, a
day and then three days later. The third bounce in a row is believed: nothing more is sent to the address until
something proven comes from the player.
"""

import hashlib
from datetime import datetime, timedelta

import structlog
from sqlmodel import Session, col, select

from pbem import tokens
from pbem.config import ServerSettings
from pbem.mail.reading.message import Message
from pbem.matches.clock import timekeeping
from pbem.matches.clock.clock import Unreachable
from pbem.matches.queries import of_player, opponent_in, seat_of
from pbem.matches.shown_names import is_hidden, name
from pbem.messages.contents.message_payloads import OpponentUnreachable
from pbem.messages.reply_links import address_with
from pbem.players.sender_identity import tags_of
from pbem.storage.mailer import Mailer
from pbem.storage.models import HOUSE, MatchState, Outgoing, OutgoingState, Player
from pbem.tokens import Keyring, Purpose, Token

log = structlog.get_logger()

AGAIN = (timedelta(days=1), timedelta(days=3))
"""When a bounced message is sent again; after the last time the address counts as dead."""
APART = timedelta(hours=12)  # further bounces within this time aren't counted


def return_path(server: ServerSettings, keyring: Keyring, outgoing: Outgoing) -> str:
    """Return the envelope sender of a message: our address with a token that only its bounce can use."""
    return address_with(server, keyring, Token(Purpose.BOUNCE, 0, outgoing.id or 0), _epoch(outgoing))


def _epoch(outgoing: Outgoing) -> int:
    """Return what ties a token to the message itself, whose number another has after a backup was restored."""
    return int.from_bytes(hashlib.sha256(outgoing.message_id.encode()).digest()[:8])


def bounced_message(session: Session, message: Message, server: ServerSettings, keyring: Keyring) -> Outgoing | None:
    rows = (sent_with(session, keyring, tag) for tag in tags_of(message, server))
    return next(filter(None, rows), None)


def sent_with(session: Session, keyring: Keyring, tag: str) -> Outgoing | None:
    token = tokens.parse(tag)
    row = session.get(Outgoing, token.subject) if token is not None and token.purpose is Purpose.BOUNCE else None
    return row if row is not None and keyring.signed(tag, _epoch(row)) else None


def process(
    session: Session, server: ServerSettings, keyring: Keyring, message: Message, is_final: bool | None, now: datetime
) -> str | None:
    """Count the bounce and return the number of our message that came back; None if it isn't one.

    `is_final` says whether it reports a permanent failure; it isn't examined unless it went to an address for bounces.
    """
    back = bounced_message(session, message, server, keyring) if is_final else None
    if back is None:
        return None
    record(session, server, back, now)
    return str(back.id)


def record(session: Session, server: ServerSettings, outgoing: Outgoing, now: datetime) -> None:
    """Count a bounce of a message to a player; send it again later, or give the address up."""
    player = session.get(Player, outgoing.player, with_for_update=True) if outgoing.player else None
    if player is None or player.address != outgoing.address or player.unreachable is not None or player.deleted:
        return
    if player.bounced is not None and timedelta(0) <= now - player.bounced < APART:
        return
    player.bounces, player.bounced = player.bounces + 1, now
    if player.confirmed is None or player.bounces > len(AGAIN):
        if outgoing.removed is None:
            outgoing.state, outgoing.troubled = OutgoingState.SUSPENDED, None
        _suspend(session, server, player, now)
    elif outgoing.removed is None:
        outgoing.state, outgoing.attempts, outgoing.troubled = OutgoingState.OWED, 0, None
        outgoing.due = now + AGAIN[player.bounces - 1]
    log.info("bounce", player=player.id, outgoing=outgoing.id, bounces=player.bounces)


def reinstate(session: Session, player: Player, now: datetime) -> None:
    if player.bounces or player.unreachable is not None:
        player.bounces, player.bounced, player.unreachable = 0, None, None
        if player.complained is None:
            requeue(session, player, now)


def requeue(session: Session, player: Player, now: datetime) -> None:
    suspended = select(Outgoing).where(Outgoing.player == player.id, Outgoing.state == OutgoingState.SUSPENDED)
    rows = session.exec(suspended.order_by(col(Outgoing.created), col(Outgoing.id)))
    last = {outgoing.match: outgoing for outgoing in rows}
    for outgoing in last.values():
        outgoing.state, outgoing.due = OutgoingState.OWED, now


def _suspend(session: Session, server: ServerSettings, player: Player, now: datetime) -> None:
    """Send nothing more to the player; tell the opponents who are waiting. The admin is told later."""
    player.unreachable = now
    session.flush()
    owed = select(Outgoing).where(Outgoing.player == player.id, Outgoing.state == OutgoingState.OWED)
    for outgoing in session.exec(owed):
        outgoing.state = OutgoingState.SUSPENDED
    for match in of_player(session, player, (MatchState.RUNNING, MatchState.OFFERED)):
        if match.clock is not None and match.to_move == seat_of(match, player):
            timekeeping.note(session, match, Unreachable(now))
        other = opponent_in(session, match, player)
        is_reached = other.confirmed is not None and other.address != HOUSE and other.unreachable is None
        if is_reached and not is_hidden(match, player):  # who has invited an address doesn't learn if it's anybody's
            news = OpponentUnreachable(by=name(player))
            Mailer(session, server, now).to_player(other, news, purpose=Purpose.PLAY, match=match)
