"""The server: whose database it is, which daemons run and ran, and what of their work failed."""

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, Column, Index, UniqueConstraint
from sqlmodel import Field, SQLModel

from pbem.storage.leases import Leased
from pbem.storage.models.partial_index import partial_index
from pbem.storage.utc import Utc


class ServerKey(SQLModel, table=True):
    """The key that signs the reply addresses of the players here; a single row."""

    id: int | None = Field(default=None, primary_key=True)
    fingerprint: str  # what tells it from others (see Keyring)


class Clock(SQLModel, table=True):
    """When a server last ran; a single row."""

    id: int = Field(primary_key=True)
    beat: datetime | None = Field(default=None, sa_type=Utc)


class Daemon(SQLModel, table=True):
    """A running server and how it is, as it told last; removed when it stops in good order."""

    __table_args__ = (UniqueConstraint("host", "process"),)

    id: int | None = Field(default=None, primary_key=True)
    host: str
    process: int
    version: str
    started: datetime = Field(sa_type=Utc)
    told: datetime = Field(sa_type=Utc)
    state: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))  # see server.liveness


class Outage(SQLModel, table=True):
    id: int | None = Field(default=None, primary_key=True)
    since: datetime = Field(sa_type=Utc)
    until: datetime = Field(sa_type=Utc, index=True)


class Setback(SQLModel, table=True):
    """Scheduled work that failed because of a bug, and waits until it is tried again."""

    doing: str = Field(primary_key=True)  # the kind of work, such as "time-outs"
    number: int = Field(primary_key=True)
    """The row for which it is done: mostly the number of a match or a player; 0 if not even the rows could be found."""
    failures: int
    since: datetime = Field(sa_type=Utc)
    due: datetime = Field(sa_type=Utc)


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
