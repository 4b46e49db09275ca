"""Complaints: what a mail provider reports when a reader marks a message of ours as spam (ARF, RFC 5965).

Anyone can write such a report. It counts if it holds a token that stands in the headers of our messages and lets no one
play: the one for bounces, which only carriers see, or the one in List-Unsubscribe, whose holder can stop news anyway.
Until they write "start", the player then gets answers and turns of their matches, and nothing else.
"""

import re
from datetime import datetime

import structlog
from sqlmodel import Session, col, select

from pbem import tokens
from pbem.players import bounces, invitations, news_times_and_pauses
from pbem.storage.mailer import ANSWERED, TURNS
from pbem.storage.models import HOUSE, Outgoing, OutgoingState, Player
from pbem.tokens import Keyring, Purpose

log = structlog.get_logger()

MOST_TAGS = 50
_TAG = re.compile(rb"([a-z2-7]{%d})@" % tokens.LENGTH, re.IGNORECASE)
_NO_COMPLAINT = re.compile(rb"^feedback-type:[ \t]*(?:auth-failure|not-spam)\b", re.IGNORECASE | re.MULTILINE)
"""Reports in the same form: of forged messages (RFC 6591), and of readers who take a complaint back (RFC 6430)."""


def process(session: Session, keyring: Keyring, raw: bytes, now: datetime) -> str | None:
    """Act on the complaint in these bytes. Return whose it is, by number; None if nothing shows that it is real."""
    tags = () if _NO_COMPLAINT.search(raw) else dict.fromkeys(_TAG.findall(raw))
    for player in filter(None, (_reader(session, keyring, tag.decode().lower()) for tag in [*tags][:MOST_TAGS])):
        if player.address != HOUSE and player.deleted is None:
            _stop(session, player, now)
            log.warning("complaint", player=player.id)
            return str(player.id)
    return None


def _reader(session: Session, keyring: Keyring, tag: str) -> Player | None:
    """Return the player to whose present address a message with that tag went, if it is one that counts."""
    token = tokens.parse(tag)
    if token is not None and token.purpose is Purpose.NOTICES:
        player = session.get(Player, token.player)
        return player if player is not None and keyring.signed(tag, player.epoch) else None
    outgoing = bounces.sent_with(session, keyring, tag)
    player = session.get(Player, outgoing.player) if outgoing is not None and outgoing.player else None
    return player if outgoing is not None and player is not None and player.address == outgoing.address else None


def _stop(session: Session, player: Player, now: datetime) -> None:
    """Send the player only turns and answers; someone who never joined isn't written to again."""
    if player.confirmed is None:
        invitations.rule_out(session, player.address, now)
        return
    session.refresh(player, with_for_update=True)
    if player.complained is not None:
        return
    player.complained = now
    if player.stopped is None:
        player.stopped = now
        waiting = (col(Outgoing.player) == player.id, col(Outgoing.state) == OutgoingState.BATCHED)
        for row in session.exec(select(Outgoing).where(*waiting, col(Outgoing.template).in_(TURNS))):
            row.state, row.due = OutgoingState.OWED, now
        news_times_and_pauses.pause(session, player)
    owed = (OutgoingState.OWED, OutgoingState.WAITING)
    pending = (col(Outgoing.state).in_(owed), col(Outgoing.template).not_in(ANSWERED | TURNS))
    for row in session.exec(select(Outgoing).where(col(Outgoing.player) == player.id, *pending)):
        row.state = OutgoingState.SUSPENDED


def forgive(session: Session, player: Player, now: datetime) -> None:
    news_times_and_pauses.resume(session, player)
    if player.complained is not None:
        player.complained = None
        bounces.requeue(session, player, now)
