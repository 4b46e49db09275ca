"""The server: whose database it is, which daemons run and ran, and what of their work failed."""

from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Column, UniqueConstraint
from sqlmodel import Field, SQLModel

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
