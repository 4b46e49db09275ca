"""Whose database it is, and when a server made its last backup by itself."""

from datetime import datetime

from sqlmodel import Field, SQLModel

from pbem.storage.leases import Leased
from pbem.storage.utc import Utc


class ServerKey(SQLModel, table=True):
    """The key that signs the reply addresses of the players here; a single row."""

    id: int | None = Field(default=None, primary_key=True)
    fingerprint: str
    """What tells it from others (see Keyring)."""


class Backup(Leased, table=True):
    id: int = Field(primary_key=True)
    made: datetime | None = Field(default=None, sa_type=Utc)
    """When the last one was made."""
    failed: datetime | None = Field(default=None, sa_type=Utc)
    """When the last attempt failed, if none has succeeded since."""
    troubled: datetime | None = Field(default=None, sa_type=Utc)
    """Since when attempts have failed; none if the last one succeeded."""
