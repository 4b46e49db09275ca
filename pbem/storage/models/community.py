"""What players offer to everybody, whom they have blocked, and who is listed."""

from datetime import datetime

from sqlalchemy import JSON, Column, Index, false
from sqlmodel import Field, SQLModel

from pbem.storage.models.indexes import partial_index
from pbem.storage.utc import Utc


class Seek(SQLModel, table=True):
    """An offer of a match that anybody may take. Its row stays when it is closed, so that its number means no other."""

    __table_args__ = (
        Index("ix_seek_player_created", "player", "created"),
        partial_index("ix_seek_expires", "expires", "id", where="closed IS NULL"),
        partial_index("ix_seek_player", "player", where="closed IS NULL"),
    )

    id: int | None = Field(default=None, primary_key=True)
    player: int = Field(foreign_key="player.id")
    game: str
    options: dict[str, str] = Field(sa_column=Column(JSON, nullable=False))
    time: str | None = None
    """The time control, as time_control.to_stored writes it; None without one."""
    begin: str
    """Who moves first, as the seeker wrote it: me, you or random."""
    rated: bool = False
    free_undo: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    lowest: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    highest: int = Field(default=4000, sa_column_kwargs={"server_default": "4000"})
    """The ratings of those who can take it."""
    reliable: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Whether only reliable players can take it (see matches.reliability)."""
    repeat: int
    """How many more matches can begin with it."""
    created: datetime = Field(sa_type=Utc)
    expires: datetime = Field(sa_type=Utc)
    closed: datetime | None = Field(default=None, sa_type=Utc)


class Bulletin(SQLModel, table=True):
    player: int | None = Field(default=None, primary_key=True, foreign_key="player.id")
    due: datetime = Field(sa_type=Utc, index=True)
    """When they get the next one."""
    told: datetime = Field(sa_type=Utc)
    """Until when the last one told what happened."""


class Block(SQLModel, table=True):
    """A player who wants nothing from another. Only the one who blocks ever learns of it."""

    player: int = Field(foreign_key="player.id", primary_key=True)
    blocked: int = Field(foreign_key="player.id", primary_key=True, index=True)
    created: datetime = Field(sa_type=Utc)


class BlockedAddress(SQLModel, table=True):
    """Whom a player has blocked who left since: by the hash of their address, so that it holds if they join again."""

    player: int = Field(foreign_key="player.id", primary_key=True)
    address: str = Field(primary_key=True, index=True)
    created: datetime = Field(sa_type=Utc)


class Presence(SQLModel, table=True):
    __table_args__ = (partial_index("ix_presence_seen", "seen", "player", where="listed IS NOT NULL"),)

    player: int | None = Field(default=None, primary_key=True, foreign_key="player.id")
    seen: datetime = Field(sa_type=Utc)
    listed: datetime | None = Field(default=None, sa_type=Utc)
    """Since when the player is listed."""
