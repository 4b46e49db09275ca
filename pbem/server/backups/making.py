"""Making a backup: a copy of the database, the configuration, the secrets and the certificates, in one file."""

import sqlite3
from collections.abc import Mapping
from datetime import datetime
from importlib.metadata import version
from pathlib import Path

from sqlalchemy import Engine

from pbem import failpoints
from pbem.config import Settings
from pbem.config.veiled import lines, veils
from pbem.failpoints import Step
from pbem.server.backups import NotBackedUp, archive, copies, drafts
from pbem.server.backups.archive import CERTIFICATES, CONFIG, Manifest, named_files


def make(engine: Engine, settings: Settings, file: Path, now: datetime, *, with_secrets: bool) -> Manifest:
    """Make a backup in a new file, which only we can read.

    Raises NotBackedUp, BadConfig, database errors, and OSError for secrets; then nothing is left.
    """
    if file.exists():
        raise NotBackedUp(f"{file} exists, and nothing is overwritten; choose another name")
    contents, kind = _contents(settings, with_secrets=with_secrets), engine.dialect.name
    try:
        with drafts.folder(file.parent) as folder:
            copy, draft = folder / "database", folder / "backup"
            revision, schema = copies.take(engine, copy)
            manifest = Manifest(now, version("pbem"), settings.server.address, kind, revision, schema, with_secrets)
            archive.write(draft, manifest, contents, copy)
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
