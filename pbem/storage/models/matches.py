"""Matches and what belongs to them: turns, clocks, watchers, and what the house searches."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, Column, Index, UniqueConstraint, false
from sqlmodel import Field, SQLModel

from pbem.storage.leases import Leased
from pbem.storage.models.partial_index import partial_index
from pbem.storage.utc import Utc


class MatchState(StrEnum):
    OFFERED = "offered"
    RUNNING = "running"
    OVER = "over"
    DECLINED = "declined"
    WITHDRAWN = "withdrawn"


IS_NEWS = "tournament IS NOT NULL AND ended IS NOT NULL AND reported IS NULL"
UNSEEN = "shown IS NOT NULL AND (shown <> plies + shift OR ended IS NOT NULL)"
HISTORY, IS_OVER = ("ended", "id", "game", "winner", "termination"), "termination IS NOT NULL"
FINISHED = ("ended", "id", "termination", "termination_seat", "level", "imported")
AMONG_PEOPLE = f"{IS_OVER} AND level IS NULL AND imported IS NULL"


class Match(SQLModel, table=True):
    """A contest: the game, the players, and everything about its state that the rules don't cover."""

    __table_args__ = (
        Index("ix_match_seat0_to_move", "seat0", "to_move"),
        Index("ix_match_seat1_to_move", "seat1", "to_move"),
        Index("ix_match_challenger_state", "challenger", "state"),
        Index("ix_match_challenger_created", "challenger", "created"),
        partial_index("ix_match_due", "due", where="due IS NOT NULL"),
        # Of matches that are over: whose they were, the newest first, and all that counts them.
        partial_index("ix_match_seat0_ended", "seat0", *HISTORY, where=IS_OVER),
        partial_index("ix_match_seat1_ended", "seat1", *HISTORY, where=IS_OVER),
        partial_index("ix_match_pair_ended", "seat0", "seat1", "ended", "id", "winner", "termination", where=IS_OVER),
        # How people finished their matches with each other.
        partial_index("ix_match_seat0_finished", "seat0", *FINISHED, where=AMONG_PEOPLE),
        partial_index("ix_match_seat1_finished", "seat1", *FINISHED, where=AMONG_PEOPLE),
        partial_index("ix_match_ended", "ended", "id", where="termination IS NOT NULL AND level IS NULL"),
        # The lists of the site.
        partial_index("ix_match_over", "ended", "id", where=IS_OVER),
        partial_index("ix_match_game_over", "game", "ended", "id", where=IS_OVER),
        partial_index("ix_match_tournament", "tournament", where="tournament IS NOT NULL"),
        partial_index("ix_match_resumes", "resumes", where="resumes IS NOT NULL"),
        partial_index("ix_match_counted", "game", "counted", where="counted IS NOT NULL"),
        partial_index("ix_match_remind", "remind", where="remind IS NOT NULL"),
        partial_index("ix_match_unreported", "tournament", where=IS_NEWS),
        partial_index("ix_match_unseen", "shown", where=UNSEEN),
        partial_index("ix_match_imported", "imported", where="imported IS NOT NULL", unique=True),
        partial_index("ix_match_unreached", "unreached", where="unreached IS NOT NULL"),
    )

    id: int | None = Field(default=None, primary_key=True)
    game: str
    rules: int = Field(default=1, sa_column_kwargs={"server_default": "1"})
    options: dict[str, str] = Field(sa_column=Column(JSON, nullable=False))
    seat0: int = Field(foreign_key="player.id")
    seat1: int = Field(foreign_key="player.id")
    challenger: int = Field(foreign_key="player.id")
    time: str | None = None
    """The time control, as notation.time_control writes it, the first seat's first; None without one."""
    rated: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    free_undo: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Whether a turn can be taken back without asking until it is answered."""
    counted: datetime | None = Field(default=None, sa_type=Utc)
    """When it ended with a result that counts for ratings (see lifecycle); the week of that time has it."""
    imported: str | None = None
    """What a match is known by that was imported (see PlayedElsewhere.key); None for those played here."""
    begun_from: int | None = None
    """The match at a position of which this one began; None where it began as usual."""
    begun_after: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """The number of turns that it has from that match, as the first of its own. They can't be taken back."""
    tournament: int | None = None
    round: int | None = None
    reported: datetime | None = Field(default=None, sa_type=Utc)  # when the tournament has noted that it is over
    level: int | None = None  # how well the house plays, in a match against it; None between two people
    by_address: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Whether the challenger named an address; they learn whose it is when the match is accepted."""
    state: str = Field(default=MatchState.OFFERED.value, index=True)
    to_move: int | None = None
    """The seat whose turn it is; None while nobody's is. It and `plies` are what the turns replay to."""
    plies: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    shift: int = Field(default=0, sa_column_kwargs={"server_default": "0"})
    """How far the version of the match is ahead of `plies`: it grows whenever turns are taken back."""
    part: str | None = None
    offers: dict[str, Any] = Field(default_factory=dict, sa_column=Column(JSON, nullable=False, server_default="{}"))
    """The offers since the last turn, by kind (see matches.stored_offers)."""
    paused: datetime | None = Field(default=None, sa_type=Utc)
    resumes: datetime | None = Field(default=None, sa_type=Utc)
    """When the pause ends by itself, if the players agreed on that."""
    clock: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    """The clock that the events add up to, from the start of a match with a time control (see clock.timekeeping)."""
    due: datetime | None = Field(default=None, sa_type=Utc)
    """When the time of the player whose turn it is runs out, if nothing happens until then; after that, when the match
    ends without a claim."""
    remind: datetime | None = Field(default=None, sa_type=Utc)
    """When that player is reminded next (see clock.reminder_times)."""
    unreached: datetime | None = Field(default=None, sa_type=Utc)
    """When its player ran out of time and lost, if messages to them had come back."""
    shown: int | None = None
    """The version that its spectators have seen, while there are any (see features.watching.due)."""
    muted0: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    muted1: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    """Whether the player in that seat wants no offers and notes of the opponent."""
    rematch: int | None = None  # the match last offered as its rematch
    winner: int | None = None
    termination: str | None = None  # how the match ended (notation.ending.Termination); None until then
    termination_seat: int | None = None
    """The seat this concerns: that of the player who resigned, left or ran out of time, or whose win was proven."""
    reason: str | None = None
    """The result in the words of the rules, where they ended the match; or the turns that prove it."""
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
    shift: int  # the `shift` of the match until it was taken back: messages about a match with that one still show it
    incoming: int | None = Field(default=None, foreign_key="incoming.id")
    played: datetime = Field(sa_type=Utc)
    taken_back: datetime = Field(sa_type=Utc)


class Prepared(SQLModel, table=True):
    """What a player has prepared for the opponent's next turn in a match; nobody else ever learns of it."""

    match: int = Field(foreign_key="match.id", primary_key=True)
    seat: int = Field(primary_key=True)
    version: int  # the version of the match for which it was prepared: `plies` and `shift` together
    lines: list[list[str]] = Field(sa_column=Column(JSON, nullable=False))
    """Turns in canonical texts, the opponent's first (see matches.condition_parsing)."""
    incoming: int | None = Field(default=None, foreign_key="incoming.id")  # the message that brought the last of them


class OwnText(SQLModel):
    """What a player keeps about a match for themselves: a feature's subclass is a table, whose name they read.

    It stands under the board in messages to them and nobody else, is exported, and goes when they leave.
    """

    match: int = Field(foreign_key="match.id", primary_key=True)
    seat: int = Field(primary_key=True)
    text: str


class ClockEvent(SQLModel, table=True):
    """What happened to the clock of a match (see clock.clock), in the order of the ids. Never changed."""

    id: int | None = Field(default=None, primary_key=True)
    match: int = Field(foreign_key="match.id", index=True)
    kind: str
    at: datetime = Field(sa_type=Utc)
    since: datetime | None = Field(default=None, sa_type=Utc)
    until: datetime | None = Field(default=None, sa_type=Utc)
    seat: int | None = None
    days: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    """The days that a player chose, or what both had left in a match that version 1.0 restored from a message."""
    taken: int | None = None  # how many seconds a turn had taken, or were given


class Watch(SQLModel, table=True):
    player: int = Field(foreign_key="player.id", primary_key=True)
    match: int = Field(foreign_key="match.id", primary_key=True, index=True)
    created: datetime = Field(sa_type=Utc)


class SearchKind(StrEnum):
    TURN = "turn"  # the turn of the house. It needs no row to be due: that it is the house's turn says so.
    HINT = "hint"  # what the house would play in its opponent's place; the row is stored when it is found


class Search(Leased, table=True):
    """A search of the house in one version of a match. What it found is played, or told, in the same transaction."""

    __table_args__ = (
        UniqueConstraint("match", "kind", "version"),
        Index("ix_search_player_kind_asked", "player", "kind", "asked"),
        partial_index("ix_search_troubled", "troubled", where="troubled IS NOT NULL"),
    )

    id: int | None = Field(default=None, primary_key=True)
    match: int = Field(foreign_key="match.id")
    kind: str
    version: int  # the version of the match: `plies` and `shift` together
    player: int = Field(foreign_key="player.id")
    asked: datetime = Field(sa_type=Utc)
    attempts: int = 0  # how many searches were begun, counted before each begins
    due: datetime = Field(sa_type=Utc)
    done: datetime | None = Field(default=None, sa_type=Utc)
    value: float | None = None  # what the house thought of the position: from -1, lost, to 1, won
    troubled: datetime | None = Field(default=None, sa_type=Utc)
    """Since when it needs the operator: it has failed too often. It is still tried, less and less often."""


class Analysis(Leased, table=True):
    """The analysis of a finished match for one of its players: a row for each, found in many short searches."""

    __table_args__ = (
        UniqueConstraint("match", "player"),
        Index("ix_analysis_player_asked", "player", "asked"),
        partial_index("ix_analysis_due", "due", "id", where="done IS NULL"),
        partial_index("ix_analysis_troubled", "troubled", where="troubled IS NOT NULL"),
    )

    id: int | None = Field(default=None, primary_key=True)
    match: int = Field(foreign_key="match.id")
    player: int = Field(foreign_key="player.id")
    asked: datetime = Field(sa_type=Utc)
    findings: list[Any] = Field(default_factory=list, sa_column=Column(JSON, nullable=False, server_default="[]"))
    """What was found for each position so far, the first one first (house.search_process.SearchFinding)."""
    attempts: int = 0  # how many searches for the next positions were begun, counted before each begins
    due: datetime = Field(sa_type=Utc)
    done: datetime | None = Field(default=None, sa_type=Utc)
    """When the player was told what was found, or that the house gave up."""
    troubled: datetime | None = Field(default=None, sa_type=Utc)
    """When the house gave up: the searches have failed too often. The admin is told."""
