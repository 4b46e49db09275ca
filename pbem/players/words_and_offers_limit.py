"""How many notes and offers one player can cause to another in an hour."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import String, cast
from sqlmodel import Session, col, func, select

from pbem.errors import Refused
from pbem.players.answer_budgets import HOUR, ONCE
from pbem.storage.models import Match, Outgoing, OutgoingContent, Player
from pbem.storage.utc import within

NOTES_PER_HOUR, LETTERS_PER_HOUR = 40, 100_000
"""The number and the length of messages with notes and offers that one player can cause to another in an hour."""


def check(session: Session, match: Match, other: Player, note: Sequence[str], now: datetime) -> None:
    """Raise Refused if the other player of the match has had more notes and offers within an hour than anyone reads."""
    both = (match.seat0, match.seat1)
    theirs = select(Match.id).where(col(Match.seat0).in_(both), col(Match.seat1).in_(both))
    length = func.coalesce(func.sum(func.length(cast(OutgoingContent.payload, String))), 0)
    notes = (
        select(func.count(), length)
        .select_from(Outgoing)
        .join(OutgoingContent, col(OutgoingContent.outgoing) == col(Outgoing.id), isouter=True)
        .where(
            Outgoing.player == other.id,
            within(Outgoing.created, HOUR, now),
            col(Outgoing.template).in_(("message", "offer")),
            col(Outgoing.match).in_(theirs),
        )
    )
    number, letters = session.exec(notes).one()
    if number >= NOTES_PER_HOUR or int(letters) + sum(map(len, note)) > LETTERS_PER_HOUR:
        raise Refused(
            f"Your notes and offers to {other.name} within an hour are as many, or as long, as we pass on.",
            fits="Your turns still count; everything else has to wait for an hour.",
            gist=f"{ONCE}{match.seat0} {match.seat1}",
        )
