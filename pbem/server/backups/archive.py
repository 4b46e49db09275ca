"""A backup as a file: a copy of the database, the configuration, the secrets and the certificates.

It is a compressed tar, whose manifest says what made it. gzip's checksum tells whether it is whole. No name in it is
used as a path: its files are asked for by the names that the settings have for them.
"""

import gzip
import io
import shutil
import sqlite3
import tarfile
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Engine

from pbem import failpoints
from pbem.config import Settings, certificates, secrets
from pbem.config.veiled import lines, veils
from pbem.failpoints import Step
from pbem.server.backups import NotBackedUp, NotRestored, copies, drafts

FORMAT = 2
"""Raised when an older version couldn't restore what a newer one has backed up."""
MANIFEST, CONFIG, CERTIFICATES = "manifest.json", "pbem.toml", "certificates/"
DATABASES = {"sqlite": "database.sqlite", "postgresql": "database.dump"}
_PIECE = 1 << 20
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
    has_secrets: bool
    format: int = FORMAT

    def identity(self) -> str:
        return f"{self.address} {self.made.isoformat()}"


_MANIFEST = TypeAdapter(Manifest)


def named_files(settings: Settings) -> dict[str, Path]:
    """Return the files with secrets and certificates that the settings name, by their names in a backup."""
    named = {f"secrets/{path}": secret.file.expanduser() for path, secret in secrets(settings) if secret.file}
    if settings.oauth2 is not None:
        named["secrets/oauth2.token_file"] = settings.oauth2.token_file
    return named | {f"{CERTIFICATES}{path}": file for path, file in certificates(settings)}


def make(engine: Engine, settings: Settings, file: Path, now: datetime, *, with_secrets: bool) -> Manifest:
    """Make a backup in a new file, which only we can read.

    Raises NotBackedUp, BadConfig, database errors, and OSError for secrets; then nothing is left.
    """
    if file.exists():
        raise NotBackedUp(f"{file} exists, and nothing is overwritten; choose another name")
    contents = _contents(settings, with_secrets=with_secrets)
    kind: Literal["sqlite", "postgresql"] = "sqlite" if engine.dialect.name == "sqlite" else "postgresql"
    try:
        with drafts.folder(file.parent) as folder:
            copy, draft = folder / "database", folder / "backup"
            revision, schema = copies.take(engine, copy)
            manifest = Manifest(now, version("pbem"), settings.server.address, kind, revision, schema, with_secrets)
            _write(draft, manifest, contents, copy)
            failpoints.reach(Step.SAVING)
            drafts.publish(draft, file)
            return manifest
    except (NotBackedUp, sqlite3.Error) as error:
        raise NotBackedUp(f"{file.absolute()} is not made: {error}") from error
    except OSError as error:
        why = f"nothing can be written in {file.parent.absolute()}: {error.strerror or error}"
        raise NotBackedUp(f"{file.absolute()} is not made: {why}") from error


def _contents(settings: Settings, *, with_secrets: bool) -> Mapping[str, bytes]:
    """Return the configuration, and what it takes from other files, by the names that they have in a backup.

    Without secrets, the configuration is the one in force, in which secrets stand in files of their own; if it has some
    itself, it is left out. Its paths are relative to its folder, as they may have been.
    """
    files = {
        name: file for name, file in named_files(settings).items() if with_secrets or name.startswith(CERTIFICATES)
    }
    if settings.oauth2 is not None and not settings.oauth2.token_file.exists():  # nobody has logged in yet
        files = {name: file for name, file in files.items() if file != settings.oauth2.token_file}
    contents = {name: file.read_bytes() for name, file in files.items()}
    if with_secrets and settings.source is not None:
        return {CONFIG: settings.source.read_bytes(), **contents}
    if not with_secrets and not veils(settings):
        folder = settings.source.parent if settings.source is not None else Path.cwd()
        portable = (
            "\n".join(lines(settings)).replace(f'"{folder}/', '"').replace(f'"sqlite:///{folder}/', '"sqlite:///')
        )
        return {CONFIG: portable.encode(), **contents}
    return contents


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
            while unpacked.read(_PIECE):  # the checksum is at the end
                pass
    except _DAMAGE as error:
        why = (str(error) or type(error).__name__).partition("\n")[0].rstrip(":")
        raise NotRestored(f"it is damaged, or was never a backup ({why})") from error
    manifest = _manifest(contents.pop(MANIFEST, b""))
    if DATABASES[manifest.kind] not in parts:
        raise NotRestored(f"{DATABASES[manifest.kind]} is missing in it")
    return manifest, contents


def unpack_database(file: Path, manifest: Manifest, copy: Path) -> None:
    with tarfile.open(file, "r:gz") as tar, copy.open("xb") as target:
        source = tar.extractfile(DATABASES[manifest.kind])
        assert source is not None  # noqa: S101 - it was read before
        shutil.copyfileobj(source, target, _PIECE)


def _manifest(raw: bytes) -> Manifest:
    try:
        manifest = _MANIFEST.validate_json(raw)
    except ValidationError as error:
        raise NotRestored("its manifest can't be read") from error
    if manifest.format > FORMAT:
        raise NotRestored("it was made by a newer version of pbem, which makes backups of another kind")
    return manifest
