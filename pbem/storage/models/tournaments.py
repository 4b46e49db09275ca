"""Tournaments, who entered them, and who met whom."""

from datetime import datetime

from sqlalchemy import JSON, Column, UniqueConstraint, false
from sqlmodel import Field, SQLModel

from pbem.storage.models.partial_index import partial_index
from pbem.storage.utc import Utc


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
    """How often it comes again (tournaments.openings), each season after the `previous` one; None for once."""
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
    result: str | None = None  # how that ended without a match, a Score
