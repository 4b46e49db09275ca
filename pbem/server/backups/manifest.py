"""The manifest, the first file in a backup: what the others are, and what made them."""

import hashlib
import json
import re
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any, Literal, get_args

FORMAT = 1
"""Raised when an older version couldn't restore what a newer one has backed up."""
DatabaseKind = Literal["sqlite", "postgresql"]
CONFIG = "pbem.toml"
DATABASES = {"sqlite": "database.sqlite", "postgresql": "database.dump"}
SECRETS, CERTIFICATES = "secrets/", "certificates/"
TOKENS = f"{SECRETS}oauth2.token_file"
_NAME = re.compile(r"[a-z][a-z0-9_.]*(?:/[a-z][a-z0-9_.]*)?")


class NotABackup(Exception):
    """A file that can't be restored from, and why."""


class TooNew(NotABackup):
    """A backup that was made by a newer version of pbem."""


class TooOld(NotABackup):
    """A backup with tables that only an earlier version of pbem can upgrade."""


@dataclass(frozen=True, slots=True)
class File:
    name: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    made: datetime
    version: str
    """The version of pbem."""
    address: str
    """The address of the server."""
    kind: DatabaseKind
    """The kind of its database."""
    revision: str
    """The version of its tables."""
    schema: str
    """Where they were in PostgreSQL; nothing for SQLite."""
    has_secrets: bool
    files: tuple[File, ...]

    def has(self, name: str) -> bool:
        return any(file.name == name for file in self.files)

    def to_json(self) -> bytes:
        return json.dumps({"format": FORMAT, **asdict(self), "made": self.made.isoformat()}, indent=2).encode()

    def identity(self) -> str:
        return hashlib.sha256(self.to_json()).hexdigest()


def from_json(raw: bytes) -> Manifest:
    """Return the manifest; raises NotABackup, and TooNew."""
    try:
        stored: dict[str, Any] = json.loads(raw)
        if stored.pop("format") > FORMAT:
            raise TooNew("it was made by a newer version of pbem, which makes backups of another kind")
        files = tuple(File(**file) for file in stored.pop("files"))
        made = datetime.fromisoformat(stored.pop("made")).astimezone(UTC)
        manifest = Manifest(**stored, made=made, files=files)
        names = [file.name for file in files]
        if (
            manifest.kind not in get_args(DatabaseKind)
            or len({*names}) < len(names)
            or not all(_NAME.fullmatch(name) for name in names)
            or not manifest.has(DATABASES[manifest.kind])
        ):
            raise ValueError
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise NotABackup("its manifest can't be read") from error
    return manifest
