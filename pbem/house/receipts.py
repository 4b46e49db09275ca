"""Receipts that wait: the answer to a turn against the house is kept for a moment, to tell the house's turn too.

So a turn is answered by one message where the house is quick, and where it isn't, the receipt goes out alone.
"""

from dataclasses import replace
from datetime import datetime, timedelta

from sqlalchemy import Engine, or_, update
from sqlmodel import Session, col, select

from pbem.matches.queries import seat_of
from pbem.payloads.sections import TurnPlayed
from pbem.payloads.stored import dump, load
from pbem.players.announcements import Notice
from pbem.storage import facts
from pbem.storage.database import read_only, transaction
from pbem.storage.models import Match, MatchState, Outgoing, OutgoingState, Player

WAIT = timedelta(seconds=20)
"""How long a receipt waits for the turn of the house."""


def due(match: Match, player: Player, now: datetime) -> datetime | None:
    """Return until when the receipt for a turn of the player waits; None if it is sent at once."""
    is_house_to_move = match.level is not None and match.state == MatchState.RUNNING and match.paused is None
    return now + WAIT if is_house_to_move and match.to_move != seat_of(match, player) else None


def retell(session: Session, notice: Notice, now: datetime) -> bool:
    """Let the player's receipt that waits tell the news too, and be sent. Return whether one waits."""
    player, match = notice.player, notice.match
    waits = (Outgoing.match == match.id, Outgoing.player == player.id, Outgoing.state == OutgoingState.WAITING)
    row = session.exec(select(Outgoing).where(*waits).with_for_update()).first()
    if row is None or not isinstance(notice.payload, TurnPlayed):
        return False
    before = load(row.template, row.payload, row.match, row.ply)
    since = (before.since or before.ply or None) if isinstance(before, TurnPlayed) else None
    row.payload = dump(replace(notice.payload, since=since))
    row.facts = facts.gather(session, player, [match.id or 0])
    row.ply, row.shift = match.plies, match.shift
    row.state, row.due = OutgoingState.OWED, now
    session.add(row)
    session.flush()
    return True


def release(session: Session, match: Match, now: datetime) -> None:
    """Let the receipts in a match be sent as they are, before another message about it."""
    waits = (col(Outgoing.match) == match.id, col(Outgoing.state) == OutgoingState.WAITING)
    session.exec(update(Outgoing).where(*waits).values(state=OutgoingState.OWED, due=now))


def release_due(engine: Engine, now: datetime) -> None:
    """Let the receipts be sent that have waited long enough, or since a time before the clock was set back."""
    has_waited = or_(col(Outgoing.due) <= now, col(Outgoing.due) > now + WAIT)
    waits = (col(Outgoing.state) == OutgoingState.WAITING, col(Outgoing.removed).is_(None), has_waited)
    with read_only(engine) as session:
        if session.exec(select(Outgoing.id).where(*waits).limit(1)).first() is None:
            return
    with transaction(engine) as session:
        session.exec(update(Outgoing).where(*waits).values(state=OutgoingState.OWED, due=now))
