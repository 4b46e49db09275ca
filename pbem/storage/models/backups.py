"""Whose database it is, and when a server made its last backup by itself."""

from datetime import datetime

from sqlmodel import Field

from pbem.storage.leases import Leased
from pbem.storage.rows import Table
from pbem.storage.utc import Utc


class ServerKey(Table, table=True):
    """A key that signs, or has signed, the reply addresses of the players here, and records of matches."""

    id: int | None = Field(default=None, primary_key=True)
    fingerprint: str
    """What tells it from others (see Keyring)."""
    public: str | None = None
    """The public key with which its signatures of records are checked; None if that was never noted."""
    since: datetime | None = Field(default=None, sa_type=Utc)
    until: datetime | None = Field(default=None, sa_type=Utc)
    """When another key took its place; None for the one in use."""


class Backup(Leased, table=True):
    """The backups that servers make by themselves; a single row."""

    id: int = Field(primary_key=True)
    made: datetime | None = Field(default=None, sa_type=Utc)
    """When the last one was made."""
    failed: datetime | None = Field(default=None, sa_type=Utc)
    """When the last attempt failed, if none has succeeded since."""
    troubled: datetime | None = Field(default=None, sa_type=Utc)
    """Since when attempts have failed; none if the last one succeeded."""
