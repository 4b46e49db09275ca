"""Standings: the players of a game by their ratings, and the ratings of a player."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import func
from sqlmodel import Session, col, select

from pbem.matches.ratings.derivation import POINTS, standing, week_of
from pbem.matches.ratings.glicko2 import Rating
from pbem.storage.models import Match, Player, PlayerRating

SHOWN_FOR = timedelta(weeks=52)
"""How long after their last rated result players stand in the list."""
PROVISIONAL = 110.0
"""A rating that is less certain than this is provisional."""


FEWEST_OF_PAIR, LOPSIDED = 5, 0.9
"""How many rated matches with each other two players must have had, and what share one of them won, to be looked at."""


@dataclass(frozen=True, slots=True)
class PlayerPair:
    winner: int
    loser: int
    game: str
    points: float
    matches: int


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
        """The rating in the usual way.

        >>> RatingPlace(1, "bob", "kvadratik", Rating(1583.4, 120), 3, 0, 1).shown
        '1583?'
        """
        return in_short(self.rating.rating, self.rating.deviation)


def in_short(rating: float, deviation: float) -> str:
    """Return a rating as it is usually written, with a question mark where too little is known of the player."""
    return f"{rating:.0f}{'?' if deviation > PROVISIONAL else ''}"


def of_game(session: Session, game: str, now: datetime, first: int, most: int) -> Sequence[RatingPlace]:
    """Return places of a game's list, the best first: so many, after those before `first` (counted from 0)."""
    # The week as SQLite has no index of it: that finds all places, to be sorted, but another has them in order.
    week = func.coalesce(PlayerRating.week, PlayerRating.superseded)
    found = session.exec(
        select(PlayerRating, Player.name)
        .join(Player, col(Player.id) == col(PlayerRating.player))
        .where(PlayerRating.game == game, col(PlayerRating.superseded).is_(None), col(Player.deleted).is_(None))
        .where(week >= week_of(now - SHOWN_FOR))
        .order_by(col(PlayerRating.rating).desc(), col(PlayerRating.player))
        .offset(first)
        .limit(most)
    )
    return [_place(row, name, now) for row, name in found]


def of_player(session: Session, player: Player, now: datetime) -> Sequence[RatingPlace]:
    found = session.exec(
        select(PlayerRating)
        .where(PlayerRating.player == player.id, col(PlayerRating.superseded).is_(None))
        .order_by(PlayerRating.game)
    )
    return [_place(row, player.name, now) for row in found]


def shown_in(session: Session, player: Player, game: str, now: datetime) -> str:
    latest = (PlayerRating.player == player.id, PlayerRating.game == game, col(PlayerRating.superseded).is_(None))
    row = session.exec(select(PlayerRating).where(*latest)).first()
    return "" if row is None else _place(row, player.name, now).shown


def shown_then(session: Session, player: int, game: str, then: datetime) -> str:
    earlier = (PlayerRating.player == player, PlayerRating.game == game, col(PlayerRating.week) < week_of(then))
    row = session.exec(select(PlayerRating).where(*earlier).order_by(col(PlayerRating.week).desc()).limit(1)).first()
    return "" if row is None else _place(row, None, then).shown


def history(session: Session, player: Player) -> Sequence[PlayerRating]:
    rows = select(PlayerRating).where(PlayerRating.player == player.id)
    return session.exec(rows.order_by(PlayerRating.game, col(PlayerRating.week))).all()


def _place(row: PlayerRating, name: str | None, now: datetime) -> RatingPlace:
    held = standing(row)
    rating = held.at(week_of(now)) if week_of(now) > held.week else held.rating
    return RatingPlace(row.player, name or "", row.game, rating, row.wins, row.draws, row.losses)


def lopsided(session: Session) -> list[PlayerPair]:
    """Return the pairs of whom one wins nearly always, those with the most matches first. Reads all rated matches."""
    won: dict[tuple[str, int, int], float] = defaultdict(float)
    counted = select(Match.game, Match.seat0, Match.seat1, Match.winner).where(col(Match.counted).is_not(None))
    for game, first, second, winner in session.exec(counted):
        won[game, first, second] += POINTS[winner]
        won[game, second, first] += 1 - POINTS[winner]
    pairs = (
        PlayerPair(one, other, game, points, round(points + won[game, other, one]))
        for (game, one, other), points in won.items()
    )
    found = (each for each in pairs if each.matches >= FEWEST_OF_PAIR and each.points >= LOPSIDED * each.matches)
    return sorted(found, key=lambda each: (-each.matches, each.winner, each.loser, each.game))
