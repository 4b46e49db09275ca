"""Standings: the players of a game by their ratings, and the ratings of a player."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func
from sqlmodel import Session, col, select

from pbem.matches.ratings.glicko2 import Rating
from pbem.matches.ratings.weekly_rating import standing, week_of
from pbem.storage.models import Player, PlayerRating

SHOWN_FOR = timedelta(weeks=52)  # since their last rated result
PROVISIONAL = 110.0


@dataclass(frozen=True, slots=True)
class RatingPlace:
    player: int
    name: str
    game: str
    rating: Rating
    wins: int
    draws: int
    losses: int

    @property
    def shown(self) -> str:
        return in_short(self.rating.rating, self.rating.deviation)


def in_short(rating: float, deviation: float) -> str:
    """Return a rating as it is usually written, with a question mark where too little is known of the player."""
    return f"{rating:.0f}{'?' if deviation > PROVISIONAL else ''}"


def of_game(session: Session, game: str, now: datetime, first: int, most: int) -> Sequence[RatingPlace]:
    """Return places of a game's list, the best first: so many, after those before `first` (counted from 0)."""
    # The week as SQLite has no index of it: that finds all places, to be sorted, but another has them in order.
    week = func.coalesce(PlayerRating.week, PlayerRating.superseded)
    places = session.exec(
        select(PlayerRating, Player.name)
        .join(Player, col(Player.id) == col(PlayerRating.player))
        .where(PlayerRating.game == game, col(PlayerRating.superseded).is_(None), col(Player.deleted).is_(None))
        .where(week >= week_of(now - SHOWN_FOR))
        .order_by(col(PlayerRating.rating).desc(), col(PlayerRating.player))
        .offset(first)
        .limit(most)
    )
    return [_place(row, name, now) for row, name in places]


def of_player(session: Session, player: Player, now: datetime) -> Sequence[RatingPlace]:
    latest = (PlayerRating.player == player.id, col(PlayerRating.superseded).is_(None))
    rows = session.exec(select(PlayerRating).where(*latest).order_by(PlayerRating.game))
    return [_place(row, player.name, now) for row in rows]


def shown_in(session: Session, player: Player, game: str, now: datetime) -> str:
    latest = (PlayerRating.player == player.id, PlayerRating.game == game, col(PlayerRating.superseded).is_(None))
    row = session.exec(select(PlayerRating).where(*latest)).first()
    return "" if row is None else _place(row, player.name, now).shown


def shown_then(session: Session, player: int, game: str, then: datetime) -> str:
    earlier = (PlayerRating.player == player, PlayerRating.game == game, col(PlayerRating.week) < week_of(then))
    row = session.exec(select(PlayerRating).where(*earlier).order_by(col(PlayerRating.week).desc()).limit(1)).first()
    return "" if row is None else _place(row, None, then).shown


def _place(row: PlayerRating, name: str | None, now: datetime) -> RatingPlace:
    strength = standing(row)
    rating = strength.at(week_of(now)) if week_of(now) > strength.week else strength.rating
    return RatingPlace(row.player, name or "", row.game, rating, row.wins, row.draws, row.losses)
