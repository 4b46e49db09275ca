"""How many notes and offers one player can send to another: a budget of the two, in all of their matches."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import String, and_, cast, or_
from sqlmodel import Session, col, func, select

from pbem.errors import Refused
from pbem.players.rate_limits import HOUR, ONCE
from pbem.storage.clock import within
from pbem.storage.models import Match, Outgoing, OutgoingContent, Player

NOTES_PER_HOUR, LETTERS_PER_HOUR = 40, 100_000
"""The number of messages with notes and offers that one player can cause to another in an hour, and how long they are
together, in all of their matches."""


def check(session: Session, match: Match, other: Player, note: Sequence[str], now: datetime) -> None:
    """Raise Refused if the other player of the match has had more notes and offers within an hour than anyone reads."""
    theirs = select(Match.id).where(
        or_(
            and_(col(Match.seat0) == match.seat0, col(Match.seat1) == match.seat1),
            and_(col(Match.seat0) == match.seat1, col(Match.seat1) == match.seat0),
        )
    )
    length = func.coalesce(func.sum(func.length(cast(OutgoingContent.payload, String))), 0)
    had = (
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
    number, letters = session.exec(had).one()
    if number >= NOTES_PER_HOUR or int(letters) + sum(map(len, note)) > LETTERS_PER_HOUR:
        raise Refused(
            f"Your notes and offers to {other.name} within an hour are as many, or as long, as we pass on.",
            fits="Your turns still count; everything else has to wait for an hour.",
            gist=f"{ONCE}{match.seat0} {match.seat1}",
        )
