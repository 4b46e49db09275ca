"""The tables: dumb rows, nothing validated, nothing computed. All times are UTC.

Three unique keys make a repetition harmless: Incoming.key, Ply(match, number), Outgoing.message_id.
"""

from datetime import UTC, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, Column, DateTime, Dialect, LargeBinary, TypeDecorator, UniqueConstraint, false
from sqlmodel import Field, SQLModel


class Utc(TypeDecorator[datetime]):
    """Aware times in, aware times out, also where the database (SQLite) forgets the zone."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Only aware times are stored."""
        return value.astimezone(UTC) if value else None

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        """What comes back says that it is UTC."""
        aware: datetime | None = value.replace(tzinfo=UTC) if value and value.tzinfo is None else value
        return aware


class MatchState(StrEnum):
    """From the challenge to the end."""

    OFFERED = "offered"
    RUNNING = "running"
    OVER = "over"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"


class IncomingState(StrEnum):
    """What became of a mail that came."""

    NEW = "new"
    DONE = "done"
    HELD = "held"
    """Waits until the player confirms it."""
    SHUNTED = "shunted"
    """Met a bug of ours; waits for the operator."""


class OutgoingState(StrEnum):
    """What became of a mail that we owe."""

    COLLECTED = "collected"
    """News that waits for company: its player wants several in one mail, or none for now (see pace)."""
    TOLD = "told"
    """Its news went out with others', in the mail `told_in`."""
    OWED = "owed"
    WITHHELD = "withheld"
    """Not sent, since mail to the address comes back; goes out when the player is heard of."""
    SENT = "sent"
    FAILED = "failed"
    DROPPED = "dropped"
    """Not sent any more, since somebody has left whom it was for, or whom it was about."""


UNSENT = (OutgoingState.COLLECTED, OutgoingState.WITHHELD, OutgoingState.OWED, OutgoingState.FAILED)
"""The states of a mail that may yet go out."""


class Player(SQLModel, table=True):
    """A person. `confirmed` is empty until a mail to the address was answered."""

    id: int | None = Field(default=None, primary_key=True)
    name: str | None = Field(default=None, unique=True)
    address: str = Field(unique=True)
    confirmed: datetime | None = Field(default=None, sa_type=Utc)
    epoch: int = 0
    settings: dict[str, str] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False, server_default="{}"))
    """What the player has chosen (see preferences); defaults are left out."""
    stopped: datetime | None = Field(default=None, sa_type=Utc)
    """Since when the player wants no news by mail; empty for who gets them."""
    bounces: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """How many times in a row mail came back for good (see bounces)."""
    bounced: datetime | None = Field(default=None, sa_type=Utc)
    """When it last did."""
    unreachable: datetime | None = Field(default=None, sa_type=Utc)
    """Since when nothing is sent to the address, because everything comes back."""
    deleted: datetime | None = Field(default=None, sa_type=Utc)
    """When all that was held on the player was removed (see erasure); name and address are nobody's since."""
    created: datetime = Field(sa_type=Utc)


class Match(SQLModel, table=True):
    """One contest: what is played, by whom, and how it stands outside the rules."""

    id: int | None = Field(default=None, primary_key=True)
    game: str
    options: dict[str, str] = Field(sa_column=Column(JSON, nullable=False))
    seat0: int = Field(foreign_key="player.id", index=True)
    seat1: int = Field(foreign_key="player.id", index=True)
    challenger: int = Field(foreign_key="player.id")
    by_address: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Whether the challenger named an address; whose it is he learns when the match is accepted."""
    state: str = Field(default=MatchState.OFFERED.value, index=True)
    part: str | None = None
    winner: int | None = None
    reason: str | None = None
    created: datetime = Field(sa_type=Utc)
    started: datetime | None = Field(default=None, sa_type=Utc)
    ended: datetime | None = Field(default=None, sa_type=Utc)


class Ply(SQLModel, table=True):
    """A complete turn: its number (1 = the first of the match) and canonical text. Never changed."""

    __table_args__ = (UniqueConstraint("match", "number"),)

    id: int | None = Field(default=None, primary_key=True)
    match: int = Field(foreign_key="match.id", index=True)
    number: int
    seat: int
    text: str
    incoming: int | None = Field(default=None, foreign_key="incoming.id")
    played: datetime = Field(sa_type=Utc)


class Incoming(SQLModel, table=True):
    """A mail as it came, stored before anybody was told that we have it."""

    id: int | None = Field(default=None, primary_key=True)
    key: str = Field(unique=True)
    raw: bytes = Field(sa_column=Column(LargeBinary, nullable=False))
    size: int
    source: str
    sender: str | None = None
    recipients: list[str] = Field(sa_column=Column(JSON, nullable=False))
    state: str = Field(default=IncomingState.NEW.value, index=True)
    attempts: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """How often the mail was tried, counted before it was read (see attempts)."""
    verdict: str | None = None
    trouble: str | None = None
    player: int | None = Field(default=None, foreign_key="player.id", index=True)
    """Whose mail it proved to be."""
    proof: str | None = Field(default=None, index=True, unique=True)
    """What made it act without a token (see sender_checks); a replayed mail has the same."""
    received: datetime = Field(sa_type=Utc)
    handled: datetime | None = Field(default=None, sa_type=Utc)


class Outgoing(SQLModel, table=True):
    """An owed mail: which words, about what, to whom, under which Message-ID. Rendered when it is sent."""

    id: int | None = Field(default=None, primary_key=True)
    message_id: str = Field(unique=True)
    template: str
    words: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    facts: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON))
    """What the message shows of its reader and its matches, as it was when it was queued (see facts)."""
    match: int | None = Field(default=None, foreign_key="match.id", index=True)
    ply: int = 0
    player: int | None = Field(default=None, foreign_key="player.id")
    epoch: int = 0
    purpose: str | None = None
    subject: int = 0
    address: str = Field(index=True)
    incoming: int | None = Field(default=None, foreign_key="incoming.id", index=True)
    in_reply_to: str | None = None
    references: list[str] = Field(sa_column=Column(JSON, nullable=False))
    is_notice: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Whether it tells news, and is no answer to something that the player wrote himself."""
    proposal: str | None = None
    """The line that "yes" stands for, in an answer to this mail; empty once it was carried out."""
    settled: datetime | None = Field(default=None, sa_type=Utc)
    """When the question that it asks a new address was answered; another answer means nothing."""
    told_in: int | None = Field(default=None, foreign_key="outgoing.id")
    """The mail that told this one's news together with others."""
    state: str = Field(default=OutgoingState.OWED.value, index=True)
    attempts: int = 0
    begun: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """How often the server ended while it had the mail in hand, counting the present time."""
    due: datetime = Field(sa_type=Utc)
    trouble: str | None = None
    created: datetime = Field(sa_type=Utc)
    """When it was queued; the message is dated by it."""
    retried: datetime | None = Field(default=None, sa_type=Utc)
    """When the operator last had a failed message tried again."""
    sent: datetime | None = Field(default=None, sa_type=Utc)
