"""What the two players of a running match agree on: a draw, taking turns back, a pause, ending without a result.

As in `lifecycle`, each function checks, writes rows and returns the events, and the caller has locked the match.
"""

from datetime import datetime

from sqlmodel import Session, col, select

from engines.core import Seat
from engines.seats import other
from engines.seats import seat_of as engine_seat
from notation.ending import Ending, Termination
from pbem.matches import lifecycle, stored_offers
from pbem.matches.clock import timekeeping
from pbem.matches.clock.clock import Paused, Resumed
from pbem.matches.events import Change, Events, OfferChanged
from pbem.matches.obstacles import NotPossible, Obstacle
from pbem.matches.queries import pack_of, seat_of, version
from pbem.matches.stored_offers import Offer, OfferKind
from pbem.storage.models import Incoming, Match, Outgoing, Player, Ply, TakenBack
from pbem.storage.preference_definition import Preference
from pbem.storage.queue import has_replied

UNANSWERED = "unanswered"
UNDO = Preference("undo", ("asked", UNANSWERED), "whether opponents take back without asking what you haven't answered")


def propose(
    session: Session, match: Match, seat: Seat, kind: OfferKind, now: datetime, *, until: datetime | None = None
) -> Events:
    lifecycle.check_running(match)
    offer = stored_offers.find(match, kind)
    if offer is not None and offer.is_open and offer.seat != seat:
        if kind is OfferKind.UNDO:
            raise NotPossible(Obstacle.UNDO_ASKED, match)
        if offer.until != until:
            raise NotPossible(Obstacle.OTHER_PAUSE_OFFERED, match)
        return accept(session, match, seat, kind, now)
    _check_offer(match, seat, kind, offer)
    back_to = _last_turn_of(session, match, seat) - 1 if kind is OfferKind.UNDO else None
    match.offers = stored_offers.made(match, kind, seat, back_to, until)
    session.flush()
    return (OfferChanged(match, kind, Change.MADE, seat),)


def _check_offer(match: Match, seat: Seat, kind: OfferKind, known: Offer | None) -> None:
    if known is not None and known.seat == seat:
        raise NotPossible(Obstacle.ALREADY_OFFERED if known.is_open else Obstacle.OFFERED_IN_VAIN, match)
    if kind is OfferKind.DRAW and not pack_of(match).game.can_be_drawn(match.options):
        raise NotPossible(Obstacle.NO_AGREED_DRAW, match)
    if kind in (OfferKind.PAUSE, OfferKind.CANCEL) and match.tournament is not None:
        raise NotPossible(Obstacle.IN_TOURNAMENT, match)
    if kind is OfferKind.PAUSE and match.paused is not None:
        raise NotPossible(Obstacle.PAUSED, match)
    if is_muted(match, other(seat)):
        raise NotPossible(Obstacle.MUTED, match)


def _last_turn_of(session: Session, match: Match, seat: Seat) -> int:
    theirs = (Ply.match == match.id, Ply.seat == seat, col(Ply.number) > match.begun_after)
    last = session.exec(select(Ply.number).where(*theirs).order_by(col(Ply.number).desc()).limit(1)).first()
    if last is None:
        raise NotPossible(Obstacle.NOTHING_TO_TAKE_BACK, match)
    return last


def may_take_back(session: Session, match: Match, seat: Seat, received: datetime) -> bool:
    """Return whether the player can take back their last turn without asking, in a message received then.

    The opponent must have agreed to it, in the challenge or by their preference, and mustn't have answered: since the
    message that brought the turn, none of theirs has come, neither one about the match that we have handled nor a reply
    that waits. A turn can be taken back once in that way.
    """
    opponent = session.get_one(Player, match.seat0 if seat else match.seat1)
    is_agreed = match.free_undo or UNDO.of(opponent.settings) == UNANSWERED
    if not is_agreed or match.to_move != other(seat) or match.part is not None or match.plies <= match.begun_after:
        return False
    last = session.exec(select(Ply).where(Ply.match == match.id, Ply.number == match.plies)).one()
    before = (TakenBack.match == match.id, TakenBack.number == match.plies)
    if last.seat != seat or session.exec(select(TakenBack.id).where(*before).limit(1)).first() is not None:
        return False
    answers = (Outgoing.match == match.id, Incoming.player == opponent.id, col(Incoming.id) > (last.incoming or 0))
    caused = select(Outgoing.id).join(Incoming, col(Incoming.id) == col(Outgoing.incoming)).where(*answers)
    return session.exec(caused.limit(1)).first() is None and not has_replied(session, opponent.address, received)


def accept(
    session: Session, match: Match, seat: Seat, kind: OfferKind | None, now: datetime, *, seen: int | None = None
) -> Events:
    """Accept an offer of the opponent; `seen` is the version of the match that the player had before them."""
    offer = _answered(match, seat, kind, seen)
    match offer.kind:
        case OfferKind.DRAW:
            return lifecycle.end(session, match, Ending(Termination.AGREEMENT), None, now)
        case OfferKind.CANCEL:
            return lifecycle.end(session, match, Ending(Termination.CANCELLED), None, now)
        case OfferKind.PAUSE:
            if offer.until is not None and offer.until <= now:
                raise NotPossible(Obstacle.PAUSE_IS_PAST, match)
            match.offers, match.paused, match.resumes = stored_offers.closed(match, offer), now, offer.until
            timekeeping.note(session, match, Paused(now, offer.until))
            session.flush()
            return (OfferChanged(match, offer.kind, Change.ACCEPTED, seat),)
        case OfferKind.UNDO:
            return lifecycle.take_back(session, match, offer.seat, offer.back_to or 0, now)


def reject(session: Session, match: Match, seat: Seat, kind: OfferKind | None, *, seen: int | None = None) -> Events:
    return _closed(session, match, seat, _answered(match, seat, kind, seen), Change.REJECTED)


def withdraw(session: Session, match: Match, seat: Seat, kind: OfferKind | None) -> Events:
    lifecycle.check_running(match)
    return _closed(session, match, seat, _chosen(match, seat, kind), Change.WITHDRAWN)


def _closed(session: Session, match: Match, seat: Seat, offer: Offer, change: Change) -> Events:
    match.offers = stored_offers.closed(match, offer)
    session.flush()
    return (OfferChanged(match, offer.kind, change, seat),)


def _answered(match: Match, seat: Seat, kind: OfferKind | None, seen: int | None) -> Offer:
    lifecycle.check_running(match)
    offer = _chosen(match, other(seat), kind)
    if seen is not None and not offer.version <= seen <= version(match):
        raise NotPossible(Obstacle.OFFER_NOT_SEEN, match)
    return offer


def _chosen(match: Match, by: Seat, kind: OfferKind | None) -> Offer:
    """Return the open offer of that player which is meant.

    Where no kind is named, theirs must be the only one since the last turn, closed or not: an answer may be to a
    message about an offer that was withdrawn meanwhile.
    """
    candidates = [offer for offer in stored_offers.of_match(match) if offer.seat == by and kind in (None, offer.kind)]
    if not any(offer.is_open for offer in candidates):
        raise NotPossible(Obstacle.NO_SUCH_OFFER, match)
    if len(candidates) > 1:
        raise NotPossible(Obstacle.WHICH_OFFER, match)
    return candidates[0]


def resume(session: Session, match: Match, seat: Seat, now: datetime) -> Events:
    lifecycle.check_running(match)
    if match.paused is None:
        raise NotPossible(Obstacle.NOT_PAUSED, match)
    return _resume(session, match, seat, Change.RESUMED, now)


def resume_by_itself(session: Session, match: Match, now: datetime) -> Events:
    """Return the events of a pause that ends now; none where none does."""
    if match.resumes is None or match.resumes > now or match.to_move is None:
        return ()
    return _resume(session, match, engine_seat(match.to_move), Change.OVER, now)


def _resume(session: Session, match: Match, seat: Seat, change: Change, now: datetime) -> Events:
    match.paused = match.resumes = None
    timekeeping.note(session, match, Resumed(now))
    session.flush()
    return (OfferChanged(match, OfferKind.PAUSE, change, seat),)


def is_muted(match: Match, seat: Seat) -> bool:
    return match.muted1 if seat else match.muted0


def is_muted_for(match: Match, player: Player) -> bool:
    seat = seat_of(match, player)
    return seat is not None and is_muted(match, other(seat))


def mute(session: Session, match: Match, seat: Seat, *, muted: bool) -> None:
    lifecycle.check_running(match)
    if seat:
        match.muted1 = muted
    else:
        match.muted0 = muted
    session.flush()
