"""Matches and what belongs to them: turns, clocks, searches, watchers, ratings and tournaments."""

from datetime import date, datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, Column, Index, UniqueConstraint, false, text
from sqlmodel import Field, SQLModel

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
    """The match from a position of which this one began (see matches.branching); None where it began as usual."""
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
    """The offers since the last turn, by kind (see matches.offers)."""
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
    """The version that its spectators have seen, while there are any (see matches.unseen_by_spectators)."""
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
    """Turns in canonical texts, the opponent's first (see matches.conditional_moves)."""
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


class Watch(SQLModel, table=True):
    player: int = Field(foreign_key="player.id", primary_key=True)
    match: int = Field(foreign_key="match.id", primary_key=True, index=True)
    created: datetime = Field(sa_type=Utc)


class Tournament(SQLModel, table=True):
    """A tournament. It is open to everybody until it begins, and over or called off once it has ended."""

    __table_args__ = (
        partial_index("ix_tournament_closes", "closes", where="started IS NULL AND ended IS NULL"),
        partial_index("ix_tournament_reopens", "reopens", where="reopens IS NOT NULL"),
        partial_index("ix_tournament_told", "told", where="told IS NOT NULL"),
    )

    id: int | None = Field(default=None, primary_key=True)
    title: str
    kind: str  # how opponents are found (tournaments.standings.Format)
    game: str
    options: dict[str, str] = Field(sa_column=Column(JSON, nullable=False))
    time: str  # the time control, as time_control.to_stored writes it; there always is one
    rated: bool = Field(default=False, sa_column_kwargs={"server_default": false()})
    places: int
    wanted_rounds: int | None = None  # of a Swiss, as its host chose; None where that follows from the entrants
    rounds: int | None = None  # None until it begins
    at_once: int | None = None
    """How many rounds are played at the same time, None for all of them; on a ladder, how many others one can have
    challenged at a time."""
    reach: int | None = None  # on a ladder, how many rungs above one's own a challenge can go; None for all other kinds
    previous: int | None = Field(default=None, index=True, unique=True)
    """The season before this one, of a tournament that comes again."""
    season: int = Field(default=1, sa_column_kwargs={"server_default": "1"})
    every: str | None = None
    """How often it comes again (tournaments.host_syntax), each season after the `previous` one; None for once."""
    entry_days: int | None = None  # how many days players have to enter each season
    reopens: datetime | None = Field(default=None, sa_type=Utc)
    """When the next one opens; None once it has, and where none does."""
    host: int | None = Field(default=None, foreign_key="player.id", index=True)
    """The player who has opened it; None for the operator."""
    closes: datetime = Field(sa_type=Utc)  # when it begins, or is called off if there are too few players
    created: datetime = Field(sa_type=Utc)
    started: datetime | None = Field(default=None, sa_type=Utc)
    ended: datetime | None = Field(default=None, sa_type=Utc)
    told: int | None = None
    """While players are told of a round, its last pairing of which they were, and whose match has begun; once it has
    ended, the last player who was told. None if nobody waits."""


class Entry(SQLModel, table=True):
    __table_args__ = (
        partial_index("ix_entry_rung", "tournament", "rung", where="rung IS NOT NULL"),
        partial_index("ix_entry_gone", "withdrawn", where="rung IS NOT NULL AND withdrawn IS NOT NULL"),
    )

    tournament: int = Field(foreign_key="tournament.id", primary_key=True)
    player: int = Field(foreign_key="player.id", primary_key=True, index=True)
    entered: datetime = Field(sa_type=Utc)
    withdrawn: datetime | None = Field(default=None, sa_type=Utc)
    """Since when they are not paired any more. Who withdraws before it begins has no row."""
    seed: int | None = None  # their number, from the beginning of the tournament on
    rung: int | None = None  # where they stand on a ladder, from 1 at the top (see tournaments.ladders)


class Pairing(SQLModel, table=True):
    """Two entrants who meet in a round. How it ended stands in their match, if there is one."""

    __table_args__ = (
        UniqueConstraint("tournament", "round", "game", "first"),
        UniqueConstraint("tournament", "round", "game", "second"),
        UniqueConstraint("tournament", "round", "game", "board"),
    )

    id: int | None = Field(default=None, primary_key=True)
    tournament: int = Field(foreign_key="tournament.id")
    round: int
    board: int
    game: int = 1  # 2 for the second match of two who have drawn the first one, in a knock-out
    first: int = Field(foreign_key="player.id")  # the player who moves first, or who has a bye
    second: int | None = Field(default=None, foreign_key="player.id")
    match: int | None = Field(default=None, foreign_key="match.id", unique=True)
    """None for a bye, where one of the two had withdrawn, and until the match begins."""
    result: str | None = None  # how that ended without a match (tournaments.standings.Score)
