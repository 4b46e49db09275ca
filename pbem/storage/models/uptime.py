"""The clock as the daemons see it, and when none of them was running."""

from datetime import datetime

from sqlmodel import Field, SQLModel

from pbem.storage.utc import Utc


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
