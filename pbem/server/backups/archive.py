"""A backup as a file: a copy of the database, the configuration, the secrets and the certificates.

It is a compressed tar, whose manifest says what made it. gzip's checksum tells whether it is whole. No name in it is
used as a path: its files are asked for by the names that the settings have for them.
"""

import gzip
import io
import sqlite3
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import IO, Literal

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Engine

from pbem import failpoints
from pbem.config import Settings, certificates, secrets
from pbem.failpoints import Step
from pbem.server.backups import NotBackedUp, NotRestored, copies
from pbem.storage import drafts

FORMAT = 2
"""Raised when an older version couldn't restore what a newer one has backed up."""
MANIFEST, CONFIG = "manifest.json", "pbem.toml"
DATABASES = {"sqlite": "database.sqlite", "postgresql": "database.dump"}
_DAMAGE = (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile)


@dataclass(frozen=True, slots=True)
class Manifest:
    made: datetime
    version: str
    """The version of pbem."""
    address: str
    """The address of the server."""
    kind: Literal["sqlite", "postgresql"]
    """The kind of its database."""
    revision: str
    """The version of its tables."""
    schema: str
    """Where they were in PostgreSQL; nothing for SQLite."""
    format: int = FORMAT


_MANIFEST = TypeAdapter(Manifest)


def named_files(settings: Settings) -> dict[str, Path]:
    """Return the files with secrets and certificates that the settings name, by their names in a backup."""
    named = {f"secrets/{path}": secret.file.expanduser() for path, secret in secrets(settings) if secret.file}
    if settings.oauth2 is not None:
        named["secrets/oauth2.token_file"] = settings.oauth2.token_file
    return named | {f"certificates/{path}": file for path, file in certificates(settings)}


def make(engine: Engine, settings: Settings, file: Path, now: datetime) -> Manifest:
    """Make a backup in a new file, which only we can read.

    Raises NotBackedUp, database errors, and OSError for secrets; then nothing is left.
    """
    contents = {name: path.read_bytes() for name, path in named_files(settings).items() if _is_expected(path, settings)}
    if settings.source is not None:
        contents = {CONFIG: settings.source.read_bytes(), **contents}
    kind: Literal["sqlite", "postgresql"] = "sqlite" if engine.dialect.name == "sqlite" else "postgresql"
    try:
        with drafts.folder(file.parent) as folder:
            if file.exists():
                raise NotBackedUp("it exists, and nothing is overwritten; choose another name")
            copy, draft = folder / "database", folder / "backup"
            revision, schema = copies.take(engine, copy)
            manifest = Manifest(now, version("pbem"), settings.server.address, kind, revision, schema)
            _write(draft, manifest, contents, copy)
            failpoints.reach(Step.SAVING)
            drafts.publish(draft, file)
            return manifest
    except (NotBackedUp, sqlite3.Error) as error:
        raise NotBackedUp(f"{file.absolute()} is not made: {error}") from error
    except OSError as error:
        why = f"nothing can be written in {file.parent.absolute()}: {error.strerror or error}"
        raise NotBackedUp(f"{file.absolute()} is not made: {why}") from error


def _is_expected(path: Path, settings: Settings) -> bool:
    """Return whether the file must be there: not the tokens, as long as nobody has logged in."""
    return settings.oauth2 is None or path != settings.oauth2.token_file or path.exists()


def _write(file: Path, manifest: Manifest, contents: Mapping[str, bytes], copy: Path) -> None:
    with tarfile.open(file, "x:gz", compresslevel=6) as tar:
        for name, content in {MANIFEST: _MANIFEST.dump_json(manifest, indent=2), **contents}.items():
            header = tarfile.TarInfo(name)
            header.size, header.mode, header.mtime = len(content), 0o600, int(manifest.made.timestamp())
            tar.addfile(header, io.BytesIO(content))
        tar.add(copy, DATABASES[manifest.kind])


def read(file: Path) -> tuple[Manifest, Mapping[str, bytes]]:
    """Return the manifest, and all files but the database, by their names. Raises NotRestored and OSError."""
    try:
        with gzip.open(file) as unpacked, tarfile.open(fileobj=unpacked, mode="r:") as tar:
            parts = {part.name: tar.extractfile(part) for part in tar if part.isreg()}
            contents = {name: part.read() for name, part in parts.items() if part and name not in DATABASES.values()}
            while unpacked.read(1 << 20):  # the checksum is at the end
                pass
    except _DAMAGE as error:
        why = (str(error) or type(error).__name__).partition("\n")[0].rstrip(":")
        raise NotRestored(f"it is damaged, or was never a backup ({why})") from error
    try:
        manifest = _MANIFEST.validate_json(contents.pop(MANIFEST, b""))
    except ValidationError as error:
        raise NotRestored("its manifest can't be read") from error
    if manifest.format > FORMAT:
        raise NotRestored("it was made by a newer version of pbem, which makes backups of another kind")
    if DATABASES[manifest.kind] not in parts:
        raise NotRestored(f"{DATABASES[manifest.kind]} is missing in it")
    return manifest, contents


@contextmanager
def opened_database(file: Path, manifest: Manifest) -> Iterator[IO[bytes]]:
    """Provide the copy of the database in a backup that was read before."""
    with tarfile.open(file, "r:gz") as tar:
        copy = tar.extractfile(DATABASES[manifest.kind])
        assert copy is not None  # noqa: S101 - it was read before
        yield copy
