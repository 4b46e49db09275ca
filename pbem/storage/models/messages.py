"""Messages that were received and messages to be sent, and the states of both."""

from datetime import datetime
from enum import IntEnum, StrEnum
from typing import Any, Optional

from sqlalchemy import JSON, Column, Index, LargeBinary, false
from sqlmodel import Field, Relationship, SQLModel

from pbem.storage.leases import Leased
from pbem.storage.models.partial_index import partial_index
from pbem.storage.utc import Utc


class Lane(IntEnum):
    """The queue in which a received message waits; the lower one goes first."""

    REPLIES = -1  # to a reply address, with a token that we signed
    PLAYERS = 0  # from the address of a player, which anybody can write into From
    STRANGERS = 1


class OutgoingLane(IntEnum):
    SHORT = 0  # turns, and whatever else is soon rendered: several at a time
    LONG = 1  # what takes long to render, or can be asked for by anybody: one at a time, after those of the other lane


class IncomingState(StrEnum):
    NEW = "new"
    DONE = "done"
    HELD = "held"  # waiting for its sender to confirm it
    SHUNTED = "shunted"  # set aside because of a bug; waiting for the operator


class OutgoingState(StrEnum):
    BATCHED = "batched"  # news waiting for a digest: its player wants several in one message (see schedule)
    PAUSED = "paused"  # news waiting for a player who wants none for now
    MERGED = "merged"  # its news became part of another message, `merged_into`
    WAITING = "waiting"
    """The receipt for a turn against the house, kept for a moment so that it tells the house's turn too; or a note,
    kept for some minutes so that it tells further ones."""
    OWED = "owed"
    SUSPENDED = "suspended"  # not sent because messages to the address bounce; sent once the player writes again
    SENT = "sent"
    FAILED = "failed"
    DROPPED = "dropped"
    """Never to be sent: the player it is for or about has left, it has waited too long (see retention), it would remind
    somebody of a turn that was played meanwhile, or it replies to what proves nothing and a bug prevents it."""


class Standing(StrEnum):
    """What spoke for the sender of a message without proof that we answered; each has budgets of its own."""

    CLAIMED = "claimed"  # nothing: From says so, and anybody could have written it
    VOUCHED = "vouched"  # the domain in From vouches for the message (see authentication)


UNSENT = (
    OutgoingState.BATCHED,
    OutgoingState.PAUSED,
    OutgoingState.WAITING,
    OutgoingState.SUSPENDED,
    OutgoingState.OWED,
    OutgoingState.FAILED,
)
"""States in which a message can still be sent."""


class Queued(Leased):
    """The columns by which waiting messages take turns (see pbem.storage.queue)."""

    lane: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    group: str | None = None
    """Whose it is while it waits: the author's address; for an outgoing message, a digest of who caused it."""
    round: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """How many of its group waited when it came: each group's first message goes before any group's second."""


class Incoming(Queued, table=True):
    """A message as received, stored before its delivery is acknowledged."""

    __table_args__ = (
        Index("ix_incoming_player_received", "player", "received"),
        # The next message is claimed from these two.
        partial_index("ix_incoming_waiting", "lane", "round", "id", where="state = 'new'"),
        partial_index("ix_incoming_group", "group", "id", "lane", where="state = 'new'"),
        partial_index("ix_incoming_proof", "proof", where="proof IS NOT NULL", unique=True),
        partial_index("ix_incoming_state_handled", "state", "handled", where="removed IS NULL"),
    )

    id: int | None = Field(default=None, primary_key=True)
    key: str = Field(unique=True)
    size: int
    source: str
    sender: str | None = Field(default=None, index=True)  # the envelope sender, in lower case
    recipients: list[str] = Field(sa_column=Column(JSON, nullable=False))
    """The addresses of the envelope, which may hold reply tokens; none once the message is done with."""
    state: str = IncomingState.NEW.value
    attempts: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """How often work on it began, counted when it is claimed."""
    verdict: str | None = None
    error: str | None = None
    player: int | None = Field(default=None, foreign_key="player.id")  # the player who is proven to have sent it
    proof: str | None = None
    """What let it act without a token (see authentication); a replayed message has the same value."""
    cost: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """How much it had us look up (see pbem.conversation.execute), which has a limit by the hour."""
    received: datetime = Field(sa_type=Utc)
    handled: datetime | None = Field(default=None, sa_type=Utc)
    removed: datetime | None = Field(default=None, sa_type=Utc)
    """When the message itself was removed, and only the row was kept (see retention)."""
    content: Optional["RawMessage"] = Relationship(sa_relationship_kwargs={"cascade": "all, delete-orphan"})

    @property
    def raw(self) -> bytes:
        """The message itself, loaded when it is asked for; nothing once it is removed."""
        return self.content.raw if self.content is not None else b""


class RawMessage(SQLModel, table=True):
    """What was received, byte for byte: a row of its own, as SQLite writes rows whole, and the other changes often."""

    incoming: int | None = Field(default=None, primary_key=True, foreign_key="incoming.id")
    raw: bytes = Field(sa_column=Column(LargeBinary, nullable=False))


class Outgoing(Queued, table=True):
    """An outgoing message: its template, topic, recipient and Message-ID. Rendered when it is sent."""

    __table_args__ = (
        Index("ix_outgoing_address_created", "address", "created"),
        Index("ix_outgoing_player_created", "player", "created"),
        Index("ix_outgoing_stranger_domain_created", "stranger_domain", "created"),
        Index("ix_outgoing_match_created", "match", "created"),
        partial_index("ix_outgoing_answered", "address", "standing", "created", where="standing IS NOT NULL"),
        partial_index("ix_outgoing_answered_strangers", "standing", "created", where="stranger_domain IS NOT NULL"),
        partial_index("ix_outgoing_gist", "address", "gist", "created", where="gist IS NOT NULL"),
        partial_index("ix_outgoing_state_due", "state", "due", where="removed IS NULL"),
        partial_index("ix_outgoing_waiting", "lane", "round", "id", where="state = 'owed'"),
        partial_index("ix_outgoing_group", "group", where="state = 'owed'"),
        partial_index("ix_outgoing_merged_into", "merged_into", where="merged_into IS NOT NULL"),
        partial_index("ix_outgoing_removed", "removed", where="removed IS NOT NULL"),
        partial_index("ix_outgoing_troubled", "troubled", where="troubled IS NOT NULL"),
    )

    id: int | None = Field(default=None, primary_key=True)
    message_id: str = Field(unique=True)
    template: str
    plies: dict[str, int] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    """How many turns it shows of each match, by number, if it is about several; an answer needs that for good."""
    match: int | None = Field(default=None, foreign_key="match.id")
    ply: int = 0
    shift: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """The `shift` of the match, which together with `ply` is the version that a reply answers."""
    player: int | None = Field(default=None, foreign_key="player.id")
    epoch: int = 0
    purpose: str | None = None
    token_subject: int = 0
    address: str
    stranger_domain: str | None = None
    """The domain of the owner of the address if that was no player's when this was sent (see message_budgets)."""
    standing: str | None = None  # what spoke for the sender if this answers a message without proof (Standing)
    gist: str | None = None  # a digest of what an answer says, by which the same one isn't sent again and again
    incoming: int | None = Field(default=None, foreign_key="incoming.id", index=True)
    in_reply_to: str | None = None
    references: list[str] = Field(sa_column=Column(JSON, nullable=False))
    is_notice: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Whether it is news rather than a reply to the player's own message."""
    proposal: str | None = None
    """The line that "yes" stands for in a reply to this message; empty once it was carried out."""
    settled: datetime | None = Field(default=None, sa_type=Utc)
    """When the question that it asks a new address was answered; another answer means nothing."""
    merged_into: int | None = Field(default=None, foreign_key="outgoing.id")
    state: str = Field(default=OutgoingState.OWED.value, index=True)
    attempts: int = 0  # how often it was claimed to be sent
    due: datetime = Field(sa_type=Utc)
    error: str | None = None
    created: datetime = Field(sa_type=Utc)  # when it was queued; the message is dated by it
    retried: datetime | None = Field(default=None, sa_type=Utc)
    """When the operator last had a failed message tried again."""
    sent: datetime | None = Field(default=None, sa_type=Utc)
    troubled: datetime | None = Field(default=None, sa_type=Utc)
    """Since when it needs the operator: no server accepts it, or a bug prevents it from being rendered."""
    removed: datetime | None = Field(default=None, sa_type=Utc)
    """When what it says was removed, and only the row was kept (see retention)."""
    content: Optional["OutgoingContent"] = Relationship(sa_relationship_kwargs={"cascade": "all, delete-orphan"})

    @property
    def payload(self) -> dict[str, Any]:
        """What the message says (see pbem.messages.contents), loaded when it is asked for unless the query did."""
        return self.content.payload if self.content is not None else {"removed": True}

    @property
    def reply(self) -> str:
        """The last line of what the next hop, or a traceback, said of the last attempt; empty where nothing did."""
        return ((self.error or "").strip().splitlines() or [""])[-1]

    @property
    def facts(self) -> dict[str, Any] | None:
        """What it shows of its reader and its matches, as it was when it was queued (see facts_when_queued)."""
        return self.content.facts if self.content is not None else None


class OutgoingContent(SQLModel, table=True):
    """What an outgoing message says, until it is removed: a row that goes as a whole, and leaves room for the next."""

    outgoing: int | None = Field(default=None, primary_key=True, foreign_key="outgoing.id")
    payload: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    facts: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON))


class Mention(SQLModel, table=True):
    outgoing: int = Field(foreign_key="outgoing.id", primary_key=True)
    player: int = Field(foreign_key="player.id", primary_key=True, index=True)
