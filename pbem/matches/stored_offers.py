"""Offers in a running match: a draw, taking turns back, a pause, ending without a result.

They are kept with the match, one of a kind at most, and a turn of the opponent declines them. Nothing here knows of
rows other than the match, and nothing is stored here.
"""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from engines.core import Seat
from engines.seats import seat_of
from pbem.matches.queries import version
from pbem.storage.models import Match


class OfferKind(StrEnum):
    DRAW = "draw"
    UNDO = "undo"
    PAUSE = "pause"
    CANCEL = "cancel"


LASTING = frozenset({OfferKind.DRAW, OfferKind.PAUSE, OfferKind.CANCEL})
"""The offers that a turn of the player who made them leaves open."""


@dataclass(frozen=True, slots=True)
class Offer:
    """An offer in a match. A closed one stays until the next turn, so that it can't be made again at once."""

    kind: OfferKind
    seat: Seat
    version: int  # that of the match when it was made
    is_open: bool = True
    back_to: int | None = None  # how many turns are left when turns are taken back
    until: datetime | None = None


def of_match(match: Match) -> tuple[Offer, ...]:
    return tuple(
        Offer(
            OfferKind(kind),
            seat_of(stored["seat"]),
            stored["version"],
            stored["is_open"],
            stored["back_to"],
            None if stored.get("until") is None else datetime.fromisoformat(stored["until"]),
        )
        for kind, stored in match.offers.items()
    )


def open_offers(match: Match) -> Iterator[Offer]:
    return (offer for offer in of_match(match) if offer.is_open)


def find(match: Match, kind: OfferKind) -> Offer | None:
    return next((offer for offer in of_match(match) if offer.kind is kind), None)


def made(
    match: Match, kind: OfferKind, seat: Seat, back_to: int | None = None, until: datetime | None = None
) -> dict[str, Any]:
    return _with(match, Offer(kind, seat, version(match), back_to=back_to, until=until))


def closed(match: Match, offer: Offer) -> dict[str, Any]:
    return _with(match, replace(offer, is_open=False))


def after_turn(match: Match, seat: Seat) -> dict[str, Any]:
    """Return the offers of the match, to be stored, after a turn of that seat: most are closed by moving on."""
    return {
        offer.kind.value: match.offers[offer.kind.value]
        for offer in open_offers(match)
        if offer.seat == seat and offer.kind in LASTING
    }


def _with(match: Match, offer: Offer) -> dict[str, Any]:
    stored = {name: value for name, value in asdict(offer).items() if name != "kind"}
    stored["until"] = None if offer.until is None else offer.until.isoformat()
    others = {kind: other for kind, other in match.offers.items() if kind != offer.kind}
    return {**others, offer.kind.value: stored}
