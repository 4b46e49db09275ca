"""Restoring: what a backup has is put into an empty place.

Everything is read and compared before anything is written, and nothing is overwritten. The database comes first, with a
mark with which no server starts, and loses it when all else is there. So a restore that was interrupted is begun again.
"""

from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Engine

from pbem import config, failpoints
from pbem.config import Settings, secrets
from pbem.config.veiled import veils
from pbem.failpoints import Step
from pbem.server.backups import NotRestored, archive, copies, drafts
from pbem.server.backups.archive import CONFIG, Manifest
from pbem.storage import database, unfinished
from pbem.storage.database import Progress


@dataclass(frozen=True, slots=True)
class RestoredBackup:
    manifest: Manifest
    written: tuple[Path, ...]
    """The files besides the database."""
    missing: tuple[tuple[str, Path], ...]
    """The secrets that aren't there, with the files that should have them."""


def restore(file: Path, config_file: Path, progress: Progress) -> RestoredBackup:
    """Restore a backup; the configuration is the one at that path, or else the backup's, which is put there.

    Raises NotRestored, InUse, Unusable, BadConfig, OSError and database errors.
    """
    progress("reading the backup", 0, 0)
    manifest, contents = archive.read(file)
    try:
        database.require_upgradable(manifest.revision)  # there is no way back to an older version
    except database.Outdated as error:
        raise NotRestored(f"it was made by pbem {manifest.version}: {error}") from error
    settings = _settings(config_file, contents.get(CONFIG))
    engine = database.connect(settings.server.database)
    try:
        _require_fitting(engine, manifest)
        copies.require_empty(engine, manifest.identity())
        files = {path: contents[name] for name, path in archive.named_files(settings).items() if name in contents}
        if not config_file.exists():
            files[config_file] = contents[CONFIG]
        written = [path for path, content in files.items() if _is_to_write(path, content)]
        _put_database(engine, file, manifest, config_file.parent, progress)
        for folder in {path.parent for path in (*files, config_file) if path.parent.exists()}:
            drafts.sweep(folder)
        for path in written:
            is_open = path == config_file and not veils(settings)  # the server may run as another user
            _write(path, files[path], 0o644 if is_open else 0o600)
        failpoints.reach(Step.RESTORING)
        with engine.begin() as connection:
            unfinished.end(connection)
        database.upgrade(engine, progress)
    finally:
        engine.dispose()
    named = [(path, secret.file) for path, secret in secrets(settings) if secret.file is not None]
    return RestoredBackup(manifest, tuple(written), tuple((path, at) for path, at in named if not at.exists()))


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


def _require_fitting(engine: Engine, manifest: Manifest) -> None:
    ours = engine.dialect.name
    if ours != manifest.kind:
        raise NotRestored(f"the database in it is one of {manifest.kind}, and the configuration has one of {ours}")
    if ours == "postgresql" and (schema := copies.current_schema(engine)) != manifest.schema:
        raise NotRestored(
            f'the copy is of the schema "{manifest.schema}", and the database that is configured uses "{schema}"'
        )


def _is_to_write(path: Path, content: bytes) -> bool:
    """Return whether there is no such file yet; raises NotRestored if there is another one."""
    if not path.exists():
        return True
    if path.read_bytes().strip() != content.strip():
        raise NotRestored(f"{path} isn't what the backup has, and nothing is overwritten; move it away first")
    return False


def _put_database(engine: Engine, file: Path, manifest: Manifest, beside: Path, progress: Progress) -> None:
    """Put the database where none is, unless a server runs there, or a restore that was interrupted has done it."""
    if engine.dialect.name == "sqlite":
        beside = Path(str(engine.url.database)).parent
    beside.mkdir(parents=True, exist_ok=True)
    with database.alone(engine.url.render_as_string(hide_password=False)), drafts.folder(beside) as folder:
        if engine.dialect.name == "sqlite":
            drafts.adopt(Path(f"{engine.url.database}.lock"), beside)
        if not copies.require_empty(engine, manifest.identity()):
            progress("filling the database", 0, 0)
            archive.unpack_database(file, manifest, folder / "database")
            copies.put(engine, folder / "database", manifest.schema, manifest.identity())


def _write(path: Path, content: bytes, mode: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with drafts.folder(path.parent) as folder:
        draft = folder / "file"
        draft.write_bytes(content)
        drafts.adopt(draft, path.parent)
        drafts.publish(draft, path, mode)
