"""The days on which the time of players runs: the days of the week that they chose, and their vacations."""

from datetime import datetime

from sqlalchemy import Index, false
from sqlmodel import Field, SQLModel

from pbem.storage.models.indexes import partial_index
from pbem.storage.utc import Utc


class Calendar(SQLModel, table=True):
    """The days of the week on which a player's time runs, as they chose them; the newest counts from `begins` on."""

    __table_args__ = (Index("ix_calendar_player_id", "player", "id"),)

    id: int | None = Field(default=None, primary_key=True)
    player: int = Field(foreign_key="player.id")
    chosen: datetime = Field(sa_type=Utc)
    begins: datetime | None = Field(default=None, sa_type=Utc)
    """From when they count; None if others were chosen before that."""
    zone: str
    days: str
    """As working_days.format_days writes them."""


class Vacation(SQLModel, table=True):
    """A time in which a player is away. One that was called off before it began ends as it begins."""

    __table_args__ = (partial_index("ix_vacation_untold", "begins", where="told IS NULL"),)

    id: int | None = Field(default=None, primary_key=True)
    player: int = Field(foreign_key="player.id", index=True)
    chosen: datetime = Field(sa_type=Utc)
    begins: datetime = Field(sa_type=Utc)
    ends: datetime = Field(sa_type=Utc)
    changes: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """How often its end was changed."""
    automatic: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Whether it began because the player would have run out of time."""
    told: datetime | None = Field(default=None, sa_type=Utc)
    """When the opponents were told that it has begun, or that was found to be needless."""
