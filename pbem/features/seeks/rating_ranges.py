"""Ranges of ratings: for whom a seek is, and whose seeks are listed.

Who has no rating in a game counts with the one that everybody begins with, so newcomers aren't left out.
"""

import re
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, and_
from sqlmodel import Session, col, func, select

from pbem.matches.ratings.glicko2 import Rating
from pbem.storage.models import Player, PlayerRating

FIRST = Rating().rating
"""The rating of a player who has none."""
HIGHEST = 4_000
EXAMPLE = 'For example "rating=1400-1700", or "rating=+-200" for at most 200 above or below your own.'
_ROUNDING = 0.5
"""Ratings are shown in whole numbers, and taken as they are shown."""


class BadRange(Exception):
    """A range of ratings that can't be read."""


@dataclass(frozen=True, slots=True)
class RatingRange:
    """The ratings from the lowest to the highest, both included."""

    lowest: int = 0
    highest: int = HIGHEST

    def __str__(self) -> str:
        return f"{self.lowest}-{self.highest}"

    def has(self, rating: float) -> bool:
        """Return whether the rating, as it is shown, is in the range."""
        return self.lowest <= round(rating) <= self.highest


ANY = RatingRange()


def parse(text: str, own: float) -> RatingRange:
    """Return the range that a player with that rating writes. Raises BadRange.

    >>> str(parse("1400-1700", 1500)), str(parse("+-200", 1612.4))
    ('1400-1700', '1412-1812')
    """
    around = re.fullmatch(r"(?:\+-|\+/-|±)([0-9]{1,4})", text, re.ASCII)
    if around:
        middle, width = round(own), int(around[1])
        return RatingRange(max(0, middle - width), min(HIGHEST, middle + width))
    between = re.fullmatch(r"([0-9]{1,4})-([0-9]{1,4})", text, re.ASCII)
    if between is None or not int(between[1]) <= int(between[2]) <= HIGHEST:
        raise BadRange(f'"rating={text[:20]}" is not a range of ratings.')
    return RatingRange(int(between[1]), int(between[2]))


def current(session: Session, player: Player, game: str) -> float | None:
    latest = (PlayerRating.player == player.id, PlayerRating.game == game, col(PlayerRating.superseded).is_(None))
    return session.exec(select(PlayerRating.rating).where(*latest)).first()


def is_of(player: Any, game: Any, lowest: Any, highest: Any) -> ColumnElement[bool]:
    """Return the condition that the rating of a player in a game is in a range; each may be a column."""
    latest = (PlayerRating.player == player, PlayerRating.game == game, col(PlayerRating.superseded).is_(None))
    rating = func.coalesce(select(PlayerRating.rating).where(*latest).scalar_subquery(), FIRST)
    return and_(rating >= lowest - _ROUNDING, rating < highest + _ROUNDING)
