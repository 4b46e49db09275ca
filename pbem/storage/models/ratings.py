"""Ratings and the weeks that they count: derived from rated matches, made again from them (see features.ratings)."""

from datetime import date

from sqlalchemy import Index, UniqueConstraint, text
from sqlmodel import Field, SQLModel

from pbem.storage.models.indexes import partial_index


class PlayerRating(SQLModel, table=True):
    """How a player stood in a game after a week in which they had results. Only `superseded` ever changes."""

    __table_args__ = (
        UniqueConstraint("player", "game", "week"),
        Index("ix_playerrating_game_week", "game", "week"),
        partial_index("ix_playerrating_standings", "game", text("rating DESC"), "player", where="superseded IS NULL"),
    )

    id: int | None = Field(default=None, primary_key=True)
    player: int = Field(foreign_key="player.id")
    game: str
    week: date
    """The Monday of the week."""
    rating: float
    deviation: float
    volatility: float
    wins: int
    draws: int
    losses: int
    """All results until then."""
    superseded: date | None = None
    """The week after which the player's next rating in the game is; None for the latest."""


class RatedWeek(SQLModel, table=True):
    game: str = Field(primary_key=True)
    week: date = Field(primary_key=True)
