"""How the house answers what its opponents suggest: at once, and by rules that the help explains."""

from datetime import datetime

from sqlmodel import Session, col, select

from engines.core import Seat
from pbem.features.house.player import seat_in
from pbem.matches import agreements, offers
from pbem.matches.events import Events
from pbem.matches.offers import Offer, OfferKind
from pbem.storage.models import Match, MatchState, Search, SearchKind

DRAW_AFTER = 20
"""The number of turns, of both players together, before which the house accepts no draw."""
EVEN = 0.0


def answer_offers(session: Session, match: Match, now: datetime) -> Events:
    """Answer what the opponent of the house has offered; nothing in a match between two people.

    It agrees to everything but to a draw in a match that it thinks it is winning. The caller has locked the match.
    """
    seat = seat_in(session, match)
    events: Events = ()
    while seat is not None and (offer := _open_offer(match, seat)) is not None:
        events += _answered(session, match, seat, offer, now)
    return events


def _open_offer(match: Match, seat: Seat) -> Offer | None:
    if match.state != MatchState.RUNNING:
        return None
    return next((offer for offer in offers.open_offers(match) if offer.seat != seat), None)


def _answered(session: Session, match: Match, seat: Seat, offer: Offer, now: datetime) -> Events:
    if offer.kind is OfferKind.DRAW and not _agrees_to_draw(session, match):
        return agreements.reject(session, match, seat, offer.kind)
    return agreements.accept(session, match, seat, offer.kind, now)


def _agrees_to_draw(session: Session, match: Match) -> bool:
    """Return whether the house, when it last looked for a turn, thought that it was no better than even."""
    if match.plies < DRAW_AFTER:
        return False
    thought = select(Search.value).where(
        Search.match == match.id, Search.kind == SearchKind.TURN, col(Search.done).is_not(None)
    )
    value = session.exec(thought.order_by(col(Search.version).desc()).limit(1)).first()
    return value is not None and value <= EVEN
