"""What the operator has done to players and matches, whose accounts are closed, and announcements to all."""

from datetime import datetime

from sqlalchemy import JSON, Column
from sqlmodel import Field, SQLModel

from pbem.storage.models.indexes import partial_index
from pbem.storage.utc import Utc


class ModerationAct(SQLModel, table=True):
    """What the operator has done, and why. The row stays; what it says of a player goes when they leave."""

    __table_args__ = (
        partial_index("ix_moderationact_player", "player", where="player IS NOT NULL"),
        partial_index("ix_moderationact_former_name", "former_name", where="former_name IS NOT NULL"),
    )

    id: int | None = Field(default=None, primary_key=True)
    at: datetime = Field(sa_type=Utc)
    actor: str
    """Who did it: a user of the server's machine, or the admin by mail."""
    act: str
    """What was done: the command."""
    player: int | None = Field(default=None, foreign_key="player.id")
    match: int | None = Field(default=None, foreign_key="match.id")
    former_name: str | None = None
    """What the player was called before, if they got another name. Nobody else can have it."""
    note: str = ""
    """Why, as the operator wrote it."""


class ClosedAddress(SQLModel, table=True):
    """An address whose owner can't become a player, because their account was closed. It outlives the player."""

    address: str = Field(primary_key=True)
    """A hash of the address: nobody reads from it whose account was closed."""
    closed: datetime = Field(sa_type=Utc)


class Announcement(SQLModel, table=True):
    __table_args__ = (partial_index("ix_announcement_due", "due", where="due IS NOT NULL"),)

    id: int | None = Field(default=None, primary_key=True)
    subject: str
    lines: list[str] = Field(sa_column=Column(JSON, nullable=False))
    told: int = 0
    """The last player, by number, whose message is queued."""
    last: int
    """The last player who gets it: whoever joins later doesn't."""
    number: int = 0
    """How many messages are queued."""
    due: datetime | None = Field(default=None, sa_type=Utc)
    """When the next messages are queued; None once all are."""
    created: datetime = Field(sa_type=Utc)
