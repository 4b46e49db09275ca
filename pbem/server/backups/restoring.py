"""Restoring: what a backup holds is put into an empty place, the database last.

Everything is read and compared before anything is written, nothing is overwritten, and the database gets its name when
all else is there. Until then its place has a mark, with which no server starts. So a restore that was interrupted is
begun again.
"""

import os
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Engine, create_engine
from sqlalchemy.pool import NullPool

from pbem import config, failpoints
from pbem.config import Settings, certificates, secrets
from pbem.config.veiled import veils
from pbem.failpoints import Step
from pbem.server.backups import archive, copies, drafts
from pbem.server.backups.manifest import CERTIFICATES, DATABASES, SECRETS, TOKENS, Manifest, TooNew, TooOld
from pbem.storage import database, unfinished
from pbem.storage.database import Progress


class NotRestored(Exception):
    """A place into which a backup can't be restored, and why."""


@dataclass(frozen=True, slots=True)
class RestoredBackup:
    manifest: Manifest
    written: tuple[Path, ...]
    """The files besides the database."""
    missing: tuple[tuple[str, Path], ...]
    """The secrets that aren't there, with the files that should have them."""


def restore(file: Path, config_file: Path, progress: Progress) -> RestoredBackup:
    """Restore a backup; the configuration is the one at that path, or else the backup's, which is put there.

    Raises NotABackup, NotRestored, NotEmpty, NotCopied, InUse, Unusable, BadConfig, OSError and database errors.
    """
    manifest, configuration = archive.read_manifest(file)
    require_known(manifest)
    with ExitStack() as opened:
        settings = _settings(config_file, configuration)
        engine = database.connect(settings.server.database)
        opened.callback(engine.dispose)
        if engine.dialect.name != manifest.kind:
            raise NotRestored(
                f"the database in it is one of {manifest.kind}, and the configuration has one of {engine.dialect.name}"
            )
        is_sqlite, backup = manifest.kind == "sqlite", manifest.identity()
        if not is_sqlite:
            copies.require_schema(engine, manifest.schema)
        is_there = copies.require_empty(engine, backup)
        beside = Path(str(engine.url.database)).parent if is_sqlite else config_file.parent
        beside.mkdir(parents=True, exist_ok=True)
        folder = opened.enter_context(drafts.folder(beside))
        archive.unpack(file, folder, progress)
        files = _files(settings, manifest, folder)
        if configuration is not None and not config_file.exists():
            files = {**files, config_file: configuration}
        written = tuple(path for path, content in files.items() if _is_to_write(path, content))
        copy = folder / DATABASES[manifest.kind]
        if is_sqlite:
            _upgrade(copy, progress)
            _put(engine, _marked(folder / "unfinished", backup), backup)
        else:
            _mark(engine, backup)
        for around in {path.parent for path in (*files, config_file)}:
            drafts.sweep(around)
        for path in written:
            is_open = path == config_file and not veils(settings)  # the server may run as another user
            _write(path, files[path], 0o644 if is_open else 0o600)
        failpoints.reach(Step.RESTORING)
        if is_sqlite:
            _put(engine, copy, backup)
        else:
            if not is_there:
                copies.put(engine, copy, manifest.schema, progress)
            _end(engine, progress)
        missing = tuple(
            (path, secret.file)
            for path, secret in secrets(settings)
            if secret.file is not None and not secret.file.exists()
        )
        return RestoredBackup(manifest, written, missing)


def require_known(manifest: Manifest) -> None:
    """Raise TooNew or TooOld if this version can't upgrade the tables: there is no way back to an older one."""
    made = f"it was made by pbem {manifest.version}, whose tables have version {manifest.revision}"
    try:
        database.require_upgradable(manifest.revision)
    except database.TooEarly as error:
        raise TooOld(
            f"{made}, from which this pbem can't upgrade. Restore it with pbem of commit {database.UPGRADES_EARLY},"
            " which upgrades it, and then use this one"
        ) from error
    except database.TooLate as error:
        raise TooNew(
            f"{made}; those of this pbem have version {database.newest_revision()}. Install the newer pbem and use that"
        ) from error


def _settings(path: Path, configuration: bytes | None) -> Settings:
    """Return the settings at the path, or else those of the backup as if they were there."""
    if path.exists():
        return config.load(path)
    if configuration is None:
        raise NotRestored(
            f'it has no configuration, and there is none at {path}; write one first, as "pbem init" does, '
            "but without its database"
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    with drafts.folder(path.parent) as folder:
        draft = folder / path.name
        draft.write_bytes(configuration)
        return config.load(draft, place=path)


def _files(settings: Settings, manifest: Manifest, folder: Path) -> Mapping[Path, bytes]:
    """Return what belongs into the files of secrets and certificates that the settings name."""
    wanted = [(f"{SECRETS}{path}", secret.file.expanduser()) for path, secret in secrets(settings) if secret.file]
    if settings.oauth2 is not None:
        wanted.append((TOKENS, settings.oauth2.token_file))
    wanted += [(f"{CERTIFICATES}{path}", file) for path, file in certificates(settings)]
    return {path: (folder / name).read_bytes() for name, path in wanted if manifest.has(name)}


def _is_to_write(path: Path, content: bytes) -> bool:
    """Return whether there is no such file yet; raises NotRestored if there is another one."""
    if not path.exists():
        return True
    if path.read_bytes().strip() != content.strip():
        raise NotRestored(f"{path} isn't what the backup has, and nothing is overwritten; move it away first")
    return False


def _write(path: Path, content: bytes, mode: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with drafts.folder(path.parent) as folder:
        draft = folder / "file"
        draft.write_bytes(content)
        draft.chmod(mode)
        drafts.adopt(draft, path.parent)
        drafts.publish(draft, path)


def _upgrade(copy: Path, progress: Progress) -> None:
    engine = database.connect(f"sqlite:///{copy}")
    try:
        database.upgrade(engine, progress)
    finally:
        engine.dispose()


def _marked(file: Path, backup: str) -> Path:
    engine = create_engine(f"sqlite:///{file}", poolclass=NullPool)
    with engine.begin() as connection:
        unfinished.mark(connection, backup)
    return file


def _mark(engine: Engine, backup: str) -> None:
    """Keep servers from starting on a PostgreSQL database until it is whole."""
    with engine.begin() as connection:
        unfinished.mark(connection, backup)


def _end(engine: Engine, progress: Progress) -> None:
    with engine.begin() as connection:
        unfinished.end(connection)
    database.upgrade(engine, progress)


def _put(engine: Engine, whole: Path, backup: str) -> None:
    """Give an SQLite database its name, unless a server runs there, or somebody has made one meanwhile."""
    file = Path(str(engine.url.database))
    whole.chmod(0o600)
    with whole.open("rb") as opened:
        os.fsync(opened.fileno())
    with database.alone(engine.url.render_as_string(hide_password=False)):
        drafts.adopt(Path(f"{file}.lock"), file.parent)
        copies.require_empty(engine, backup)
        drafts.adopt(whole, file.parent)
        whole.replace(file)
        drafts.sync_folder(file.parent)
