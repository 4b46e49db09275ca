"""Players: addresses, ratings, calendars, what they offer, blocks, who has left, and what the operator did to them."""

from datetime import date, datetime

from sqlalchemy import JSON, Column, Index, UniqueConstraint, false, text
from sqlmodel import Field, SQLModel

from pbem.storage.models.partial_index import partial_index
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
    """The player's choices (see preference_definition) that differ from the defaults."""
    stopped: datetime | None = Field(default=None, sa_type=Utc)
    bounces: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """How many times in a row a message bounced permanently (see bounces)."""
    bounced: datetime | None = Field(default=None, sa_type=Utc)
    unreachable: datetime | None = Field(default=None, sa_type=Utc)
    """Since when nothing is sent to the address, because everything bounces."""
    complained: datetime | None = Field(default=None, sa_type=Utc)
    """When their mail provider reported one of our messages as spam (see complaints)."""
    deleted: datetime | None = Field(default=None, sa_type=Utc)
    """When the player's data was deleted (see erasure). Name and address are placeholders from then on."""
    banned: datetime | None = Field(default=None, sa_type=Utc)
    """Since when the operator has closed the account (see pbem.features.moderation)."""
    trusted: datetime | None = Field(default=None, sa_type=Utc)  # since when they can open tournaments
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
    """Without what its owner can vary (see mailboxes_and_domains); it may be anybody's, so only tokens count."""
    since: datetime = Field(sa_type=Utc)


class Invitee(SQLModel, table=True):
    """An address to which an invitation went, or whose owner wants none. It outlives matches and players."""

    __table_args__ = (Index("ix_invitee_domain_invited", "domain", "invited"),)

    address: str = Field(primary_key=True)
    """A hash of the address (see players.invitations): nobody reads from it whom we have written to."""
    domain: str
    invited: datetime | None = Field(default=None, sa_type=Utc, index=True)
    refused: datetime | None = Field(default=None, sa_type=Utc)  # when its owner asked us not to invite them again


class Departure(SQLModel, table=True):
    """A player who has left, and what is known of them until all of their data is deleted."""

    player: int = Field(foreign_key="player.id", primary_key=True)
    name: str | None = None
    former_names: list[str] = Field(default_factory=list, sa_column=Column(JSON, nullable=False, server_default="[]"))
    addresses: list[str] = Field(sa_column=Column(JSON, nullable=False))
    digest: str = Field(index=True)  # a hash of the address, by which it is known for a day
    left: datetime = Field(sa_type=Utc, index=True)
    swept: datetime | None = Field(default=None, sa_type=Utc, index=True)
    """When the last of their data was deleted; names and addresses are empty from then on."""


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
    time: str | None = None  # the time control, as time_control.to_stored writes it; None without one
    begin: str  # who moves first, as the seeker wrote it: me, you or random
    rated: bool = False
    free_undo: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    lowest: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    highest: int = Field(default=4000, sa_column_kwargs={"server_default": "4000"})
    """The ratings of those who can take it."""
    reliable: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Whether only reliable players can take it (see matches.reliability)."""
    repeat: int  # how many more matches can begin with it
    created: datetime = Field(sa_type=Utc)
    expires: datetime = Field(sa_type=Utc)
    closed: datetime | None = Field(default=None, sa_type=Utc)


class Block(SQLModel, table=True):
    """A player who wants nothing from another, who never learns of it."""

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


class Vacation(SQLModel, table=True):
    """A time in which a player is away. One that was called off before it began ends as it begins."""

    __table_args__ = (partial_index("ix_vacation_untold", "begins", where="told IS NULL"),)

    id: int | None = Field(default=None, primary_key=True)
    player: int = Field(foreign_key="player.id", index=True)
    chosen: datetime = Field(sa_type=Utc)
    begins: datetime = Field(sa_type=Utc)
    ends: datetime = Field(sa_type=Utc)
    changes: int = Field(default=0, sa_column_kwargs={"server_default": "0"})  # how often its end was changed
    told: datetime | None = Field(default=None, sa_type=Utc)
    """When the opponents were told that it has begun, or that was found to be needless."""


class ModerationAct(SQLModel, table=True):
    """What the operator has done, and why. The row stays; what it says of a player goes when they leave."""

    __table_args__ = (
        partial_index("ix_moderationact_player", "player", where="player IS NOT NULL"),
        partial_index("ix_moderationact_former_name", "former_name", where="former_name IS NOT NULL"),
    )

    id: int | None = Field(default=None, primary_key=True)
    at: datetime = Field(sa_type=Utc)
    actor: str  # who did it: a user of the server's machine, or the admin by mail
    act: str
    player: int | None = Field(default=None, foreign_key="player.id")
    match: int | None = Field(default=None, foreign_key="match.id")
    former_name: str | None = None
    """What the player was called before, if they got another name. Nobody else can have it."""
    note: str = ""


class ClosedAddress(SQLModel, table=True):
    """An address whose owner can't become a player, because their account was closed. It outlives the player."""

    address: str = Field(primary_key=True)  # a hash of the address: nobody reads from it whose account was closed
    closed: datetime = Field(sa_type=Utc)


class Announcement(SQLModel, table=True):
    __table_args__ = (partial_index("ix_announcement_due", "due", where="due IS NOT NULL"),)

    id: int | None = Field(default=None, primary_key=True)
    subject: str
    lines: list[str] = Field(sa_column=Column(JSON, nullable=False))
    told: int = 0  # the last player, by number, whose message is queued
    last: int  # the last player who gets it: whoever joins later doesn't
    number: int = 0
    due: datetime | None = Field(default=None, sa_type=Utc)  # when the next messages are queued; None once all are
    created: datetime = Field(sa_type=Utc)


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
    week: date  # its Monday
    rating: float
    deviation: float
    volatility: float
    wins: int
    draws: int
    losses: int  # all results until then
    superseded: date | None = None  # the week after which the player's next rating in the game is; None for the latest


class RatedWeek(SQLModel, table=True):
    game: str = Field(primary_key=True)
    week: date = Field(primary_key=True)
