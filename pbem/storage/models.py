"""The tables: rows without behaviour or validation. All times are UTC.

Three unique keys make repetitions harmless: Incoming.key, Ply(match, number), Outgoing.message_id.
"""

from datetime import datetime
from enum import IntEnum, StrEnum
from typing import Any, Optional

from sqlalchemy import JSON, Column, Index, LargeBinary, UniqueConstraint, false, text
from sqlmodel import Field, Relationship, SQLModel

from pbem.storage.utc import Utc


class MatchState(StrEnum):
    """The life of a match, from the challenge to the end."""

    OFFERED = "offered"
    RUNNING = "running"
    OVER = "over"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"


class Lane(IntEnum):
    """The queue in which a received message waits; the lower one goes first."""

    REPLIES = -1
    """To a reply address, with a token that we signed."""
    PLAYERS = 0
    """From the address of a player, which anybody can write into From."""
    STRANGERS = 1


class IncomingState(StrEnum):
    """What happened to a received message."""

    NEW = "new"
    DONE = "done"
    HELD = "held"
    """Waiting for its sender to confirm it."""
    SHUNTED = "shunted"
    """Set aside because of a bug; waiting for the operator."""


class OutgoingState(StrEnum):
    """What happened to an outgoing message."""

    BATCHED = "batched"
    """News waiting for a digest: its player wants several in one message (see schedule)."""
    PAUSED = "paused"
    """News waiting for a player who wants none for now."""
    MERGED = "merged"
    """Its news became part of another message, `merged_into`."""
    OWED = "owed"
    SUSPENDED = "suspended"
    """Not sent because messages to the address bounce; sent once the player writes again."""
    SENT = "sent"
    FAILED = "failed"
    DROPPED = "dropped"
    """Never to be sent: the player it is for or about has left, or it has waited too long (see retention)."""


class Standing(StrEnum):
    """What spoke for the sender of a message without proof that we answered; each has budgets of its own."""

    CLAIMED = "claimed"
    """Nothing: From says so, and anybody could have written it."""
    VOUCHED = "vouched"
    """The domain in From vouches for the message (see authentication)."""


UNSENT = (
    OutgoingState.BATCHED,
    OutgoingState.PAUSED,
    OutgoingState.SUSPENDED,
    OutgoingState.OWED,
    OutgoingState.FAILED,
)
"""States in which a message can still be sent."""


def _partial(name: str, *columns: str, where: str) -> Index:
    """Return an index of the few rows that fulfil a condition, for queries that name it in the same words."""
    return Index(name, *columns, sqlite_where=text(where), postgresql_where=text(where))


class Player(SQLModel, table=True):
    """A person. `confirmed` is empty until they have answered a message sent to the address."""

    __table_args__ = (_partial("ix_player_unreachable", "unreachable", where="unreachable IS NOT NULL"),)

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
    deleted: datetime | None = Field(default=None, sa_type=Utc)
    """When the player's data was deleted (see erasure). Name and address are placeholders from then on."""
    created: datetime = Field(sa_type=Utc)


class Match(SQLModel, table=True):
    """A contest: the game, the players, and everything about its state that the rules don't cover."""

    __table_args__ = (
        Index("ix_match_seat0_to_move", "seat0", "to_move"),
        Index("ix_match_seat1_to_move", "seat1", "to_move"),
        Index("ix_match_challenger_state", "challenger", "state"),
        Index("ix_match_challenger_created", "challenger", "created"),
        _partial("ix_match_due", "due", where="due IS NOT NULL"),
    )

    id: int | None = Field(default=None, primary_key=True)
    game: str
    options: dict[str, str] = Field(sa_column=Column(JSON, nullable=False))
    seat0: int = Field(foreign_key="player.id")
    seat1: int = Field(foreign_key="player.id")
    challenger: int = Field(foreign_key="player.id")
    time: str | None = None
    """The time control, as clocks.time_control writes it; None without one."""
    by_address: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Whether the challenger named an address; they learn whose it is when the match is accepted."""
    state: str = Field(default=MatchState.OFFERED.value, index=True)
    to_move: int | None = None
    """The seat whose turn it is; None while nobody's is. It and `plies` are what the turns replay to."""
    plies: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """The number of complete turns."""
    shift: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """How far the version of the match is ahead of `plies`: it grows whenever turns are taken back."""
    part: str | None = None
    offers: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False, server_default="{}"))
    """The offers since the last turn, by kind (see matches.offers)."""
    paused: datetime | None = Field(default=None, sa_type=Utc)
    """Since when the match is paused, as its players agreed."""
    clock: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    """The clock that the events add up to, from the start of a match with a time control (see matches.timekeeping)."""
    due: datetime | None = Field(default=None, sa_type=Utc)
    """When the time of the player whose turn it is runs out, if nothing happens until then."""
    muted0: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    muted1: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Whether the player in that seat wants no offers and notes of the opponent."""
    rematch: int | None = None
    """The match that was offered last as the rematch of this one."""
    winner: int | None = None
    termination: str | None = None
    """How the match ended (notation.ending.Termination); None until then."""
    termination_seat: int | None = None
    """The seat this concerns: that of the player who resigned, left or ran out of time."""
    reason: str | None = None
    """The result in the words of the rules, where they ended the match."""
    created: datetime = Field(sa_type=Utc)
    started: datetime | None = Field(default=None, sa_type=Utc)
    ended: datetime | None = Field(default=None, sa_type=Utc)


class Ply(SQLModel, table=True):
    """A complete turn: its number (starting at 1) and canonical text. Never changed, but it can be taken back."""

    __table_args__ = (UniqueConstraint("match", "number"),)

    id: int | None = Field(default=None, primary_key=True)
    match: int = Field(foreign_key="match.id", index=True)
    number: int
    seat: int
    text: str
    incoming: int | None = Field(default=None, foreign_key="incoming.id")
    played: datetime = Field(sa_type=Utc)


class TakenBack(SQLModel, table=True):
    """A complete turn that was taken back: what its row in `ply` said, which is deleted. Never changed."""

    __table_args__ = (Index("ix_takenback_match_shift", "match", "shift"),)

    id: int | None = Field(default=None, primary_key=True)
    match: int = Field(foreign_key="match.id")
    number: int
    seat: int
    text: str
    shift: int
    """The `shift` of the match until it was taken back: messages about a match with that one still show it."""
    incoming: int | None = Field(default=None, foreign_key="incoming.id")
    played: datetime = Field(sa_type=Utc)
    taken_back: datetime = Field(sa_type=Utc)


class Prepared(SQLModel, table=True):
    """What a player has prepared for the opponent's next turn in a match; nobody else ever learns of it."""

    match: int = Field(foreign_key="match.id", primary_key=True)
    seat: int = Field(primary_key=True)
    version: int
    """The version of the match for which it was prepared: `plies` and `shift` together."""
    lines: list[list[str]] = Field(sa_column=Column(JSON, nullable=False))
    """Turns in canonical texts, the opponent's first (see matches.conditions)."""
    incoming: int | None = Field(default=None, foreign_key="incoming.id")
    """The message that brought the last of them."""


class ClockEvent(SQLModel, table=True):
    """What happened to the clock of a match (see clocks.clock), in the order of the ids. Never changed."""

    id: int | None = Field(default=None, primary_key=True)
    match: int = Field(foreign_key="match.id", index=True)
    kind: str
    at: datetime = Field(sa_type=Utc)
    since: datetime | None = Field(default=None, sa_type=Utc)
    seat: int | None = None
    days: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))


class Incoming(SQLModel, table=True):
    """A message as received, stored before its delivery is acknowledged."""

    __table_args__ = (
        Index("ix_incoming_player_received", "player", "received"),
        # The next message is claimed from these two alone.
        Index("ix_incoming_state_lane", "state", "lane", "id", "attempts", "last_attempt", "author"),
        _partial(
            "ix_incoming_author",
            *("author", "lane", "state", "attempts", "last_attempt", "id"),
            where="author IS NOT NULL",
        ),
        _partial("ix_incoming_state_handled", "state", "handled", where="removed IS NULL"),
    )

    id: int | None = Field(default=None, primary_key=True)
    key: str = Field(unique=True)
    size: int
    source: str
    sender: str | None = Field(default=None, index=True)
    """The envelope sender, in lower case."""
    recipients: list[str] = Field(sa_column=Column(JSON, nullable=False))
    state: str = IncomingState.NEW.value
    attempts: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """How many times handling was attempted, counted before the message is parsed (see attempts)."""
    last_attempt: datetime | None = Field(default=None, sa_type=Utc)
    lane: int = Field(default=Lane.PLAYERS.value, sa_column_kwargs={"server_default": "0"})
    """The queue in which it waits (see triage)."""
    author: str | None = None
    """The address in From while the message waits; what one person sends is handled in its order."""
    ordering: list[str] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    """Hashes of its ordering keys, once a daemon that shares the database knows them (see work_queue)."""
    verdict: str | None = None
    error: str | None = None
    player: int | None = Field(default=None, foreign_key="player.id")
    """The player who is proven to have sent it."""
    proof: str | None = Field(default=None, index=True, unique=True)
    """What let it act without a token (see authentication); a replayed message has the same value."""
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


class Outgoing(SQLModel, table=True):
    """An outgoing message: its template and words, its topic, recipient and Message-ID. Rendered when it is sent."""

    __table_args__ = (
        Index("ix_outgoing_address_created", "address", "created"),
        Index("ix_outgoing_player_created", "player", "created"),
        Index("ix_outgoing_stranger_domain_created", "stranger_domain", "created"),
        Index("ix_outgoing_match_created", "match", "created"),
        _partial("ix_outgoing_answered", "address", "standing", "created", where="standing IS NOT NULL"),
        _partial("ix_outgoing_answered_strangers", "standing", "created", where="stranger_domain IS NOT NULL"),
        _partial("ix_outgoing_gist", "address", "gist", "created", where="gist IS NOT NULL"),
        _partial("ix_outgoing_state_due", "state", "due", where="removed IS NULL"),
        _partial("ix_outgoing_troubled", "troubled", where="troubled IS NOT NULL"),
    )

    id: int | None = Field(default=None, primary_key=True)
    message_id: str = Field(unique=True)
    template: str
    payload: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    """What the message says (see pbem.payloads)."""
    facts: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON))
    """What the message shows of its reader and its matches, as it was when it was queued (see facts)."""
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
    """The domain of the address if this answers somebody who was no player then (see rate_limits)."""
    standing: str | None = None
    """What spoke for the sender if this answers a message without proof (Standing)."""
    gist: str | None = None
    """A digest of what an answer says, by which the same one isn't sent again and again."""
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
    """The message that contains this one's news."""
    state: str = Field(default=OutgoingState.OWED.value, index=True)
    attempts: int = 0
    delivery_starts: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """How often delivery was started without finishing, including the current attempt."""
    due: datetime = Field(sa_type=Utc)
    error: str | None = None
    created: datetime = Field(sa_type=Utc)
    """When it was queued; the message is dated by it."""
    retried: datetime | None = Field(default=None, sa_type=Utc)
    """When the operator last had a failed message tried again."""
    sent: datetime | None = Field(default=None, sa_type=Utc)
    troubled: datetime | None = Field(default=None, sa_type=Utc)
    """Since when it needs the operator: no server accepts it, or a bug prevents it from being rendered."""
    removed: datetime | None = Field(default=None, sa_type=Utc)
    """When what it says was removed, and only the row was kept (see retention)."""


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


class Mention(SQLModel, table=True):
    """A player whom an outgoing message names, beside its reader and the players of its match."""

    outgoing: int = Field(foreign_key="outgoing.id", primary_key=True)
    player: int = Field(foreign_key="player.id", primary_key=True, index=True)


class Clock(SQLModel, table=True):
    """The clock as a daemon saw it last; a single row."""

    id: int = Field(primary_key=True)
    seen: datetime = Field(sa_type=Utc)
    steady_since: datetime = Field(sa_type=Utc)
    """When it last leapt, or was first looked at."""
    beat: datetime | None = Field(default=None, sa_type=Utc)
    """When a server was last known to be running (see outages)."""


class Outage(SQLModel, table=True):
    """A time in which no server was running."""

    id: int | None = Field(default=None, primary_key=True)
    since: datetime = Field(sa_type=Utc)
    until: datetime = Field(sa_type=Utc, index=True)


class Departure(SQLModel, table=True):
    """A player who has left, and what is known of them until all of their data is deleted."""

    player: int = Field(foreign_key="player.id", primary_key=True)
    name: str | None = None
    addresses: list[str] = Field(sa_column=Column(JSON, nullable=False))
    digest: str = Field(index=True)
    """A hash of the address, by which it is known for a day."""
    left: datetime = Field(sa_type=Utc, index=True)
    swept: datetime | None = Field(default=None, sa_type=Utc, index=True)
    """When the last of their data was deleted; name and addresses are empty from then on."""
