"""Players, addresses that were invited, and who has left."""

from datetime import datetime

from sqlalchemy import JSON, Column, Index
from sqlmodel import Field, SQLModel

from pbem.storage.models.indexes import partial_index
from pbem.storage.utc import Utc

HOUSE = "(the house)"
"""What stands in place of the address of the house player. It is no address, so nobody can write from it or to it."""
ANONYMOUS = "deleted-"
"""How the name of a row begins whose data was deleted, and what it has in place of an address; no player can choose
such a name."""
IMPORTED = "imported-"
"""How the name of a row begins that stands for somebody in an imported match. No player can choose such a name, and
in place of an address it has the name once more."""


class Player(SQLModel, table=True):
    """A person, or the house. `confirmed` is empty until they have answered a message sent to the address."""

    __table_args__ = (
        partial_index("ix_player_unreachable", "unreachable", where="unreachable IS NOT NULL"),
        partial_index("ix_player_complained", "complained", where="complained IS NOT NULL"),
        partial_index("ix_player_banned", "name", where="banned IS NOT NULL"),
        partial_index("ix_player_stopped", "name", where="stopped IS NOT NULL"),
    )

    id: int | None = Field(default=None, primary_key=True)
    name: str | None = Field(default=None, unique=True)
    address: str = Field(unique=True)
    confirmed: datetime | None = Field(default=None, sa_type=Utc)
    epoch: int = 0
    settings: dict[str, str] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False, server_default="{}"))
    """The player's choices (see preferences) that differ from the defaults."""
    stopped: datetime | None = Field(default=None, sa_type=Utc)
    """When the player asked for no more news; empty if they get news."""
    bounces: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """How many times in a row a message bounced permanently (see bounces)."""
    bounced: datetime | None = Field(default=None, sa_type=Utc)
    """When that last happened."""
    unreachable: datetime | None = Field(default=None, sa_type=Utc)
    """Since when nothing is sent to the address, because everything bounces."""
    complained: datetime | None = Field(default=None, sa_type=Utc)
    """When their mail provider reported one of our messages as spam (see complaints)."""
    deleted: datetime | None = Field(default=None, sa_type=Utc)
    """When the player's data was deleted (see erasure). Name and address are placeholders from then on."""
    banned: datetime | None = Field(default=None, sa_type=Utc)
    """Since when the operator has closed the account (see pbem.features.moderation)."""
    trusted: datetime | None = Field(default=None, sa_type=Utc)
    """Since when the operator lets them open tournaments."""
    created: datetime = Field(sa_type=Utc)

    @property
    def gets_turns_only(self) -> bool:
        """Whether the player gets turns though nothing else is sent: it was a complaint that stopped the news."""
        return self.complained is not None and self.stopped == self.complained

    @property
    def can_play(self) -> bool:
        return self.banned is None


class KnownAddress(SQLModel, table=True):
    player: int = Field(foreign_key="player.id", primary_key=True)
    address: str = Field(primary_key=True)
    """Without what its owner can vary (see mailboxes); it may be anybody's, so only the player's tokens count there."""
    since: datetime = Field(sa_type=Utc)


class Invitee(SQLModel, table=True):
    """An address to which an invitation went, or whose owner wants none. It outlives matches and players."""

    __table_args__ = (Index("ix_invitee_domain_invited", "domain", "invited"),)

    address: str = Field(primary_key=True)
    """A hash of the address (see invitations): nobody reads from it whom we have written to."""
    domain: str
    """A hash of its domain."""
    invited: datetime | None = Field(default=None, sa_type=Utc, index=True)
    """When the last invitation was queued."""
    refused: datetime | None = Field(default=None, sa_type=Utc)
    """When its owner asked us not to invite them again."""


class Departure(SQLModel, table=True):
    """A player who has left, and what is known of them until all of their data is deleted."""

    player: int = Field(foreign_key="player.id", primary_key=True)
    name: str | None = None
    former_names: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False, server_default="[]"))
    addresses: list[str] = Field(sa_column=Column(JSON, nullable=False))
    digest: str = Field(index=True)
    """A hash of the address, by which it is known for a day."""
    left: datetime = Field(sa_type=Utc, index=True)
    swept: datetime | None = Field(default=None, sa_type=Utc, index=True)
    """When the last of their data was deleted; names and addresses are empty from then on."""
