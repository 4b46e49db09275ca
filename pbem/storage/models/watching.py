"""What players watch without playing in it."""

from datetime import datetime

from sqlalchemy import Index, UniqueConstraint, false
from sqlmodel import Field, SQLModel

from pbem.storage.models.indexes import partial_index
from pbem.storage.utc import Utc


class Watch(SQLModel, table=True):
    """A match, the matches of a player, or those of a tournament, which a player watches: one of the three."""

    __table_args__ = (
        UniqueConstraint("player", "match"),
        UniqueConstraint("player", "whom"),
        UniqueConstraint("player", "tournament"),
        Index("ix_watch_match", "match", "id"),
        Index("ix_watch_whom", "whom", "id"),
        Index("ix_watch_tournament", "tournament", "id"),
        partial_index("ix_watch_unnoticed", "noticed", where="noticed IS NULL"),
    )

    id: int | None = Field(default=None, primary_key=True)
    player: int = Field(foreign_key="player.id")
    """The spectator."""
    match: int | None = Field(default=None, foreign_key="match.id")
    whom: int | None = Field(default=None, foreign_key="player.id")
    """The player whose matches they watch."""
    tournament: int | None = Field(default=None, foreign_key="tournament.id")
    left_out: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Whether it is a match of which they want to see nothing, though they watch its player or tournament."""
    created: datetime = Field(sa_type=Utc)
    noticed: datetime | None = Field(default=None, sa_type=Utc)
    """When the matches that it is about were marked as watched (see matches.watched)."""
