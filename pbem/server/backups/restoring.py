"""Restoring: what a backup has is put into an empty place.

Everything is read and compared before anything is written, and nothing is overwritten. The database comes last, all of
it at once: until then no server starts there. So a restore that was interrupted is begun again.
"""

import tempfile
from pathlib import Path

from sqlalchemy import Engine

from pbem import config, failpoints
from pbem.config import Settings
from pbem.config.veiled import veils
from pbem.failpoints import Step
from pbem.server.backups import NotRestored, archive, copies
from pbem.server.backups.archive import CONFIG, Manifest
from pbem.storage import database, drafts
from pbem.storage.database import Progress


def restore(file: Path, config_file: Path, progress: Progress) -> tuple[Manifest, list[Path]]:
    """Restore a backup; the configuration is the one at that path, or else the backup's, which is put there.

    Return the files besides the database that were written. Raises NotRestored, InUse, Unusable, BadConfig, OSError
    and database errors.
    """
    progress("reading the backup", 0, 0)
    manifest, contents = archive.read(file)
    try:
        database.require_upgradable(manifest.revision)  # there is no way back to an older version
    except database.Outdated as error:
        raise NotRestored(f"it was made by pbem {manifest.version}: {error}") from error
    settings = _settings(config_file, contents.get(CONFIG))
    url = settings.server.database
    engine = database.connect(url)
    try:
        _require_fitting(engine, manifest)
        copies.require_empty(engine)
        files = {path: contents[name] for name, path in archive.named_files(settings).items() if name in contents}
        if not config_file.exists():
            files[config_file] = contents[CONFIG]
        written = [path for path, content in files.items() if _is_to_write(path, content)]
        if engine.dialect.name == "sqlite":
            Path(str(engine.url.database)).parent.mkdir(parents=True, exist_ok=True)
        with database.alone(url):
            copies.require_empty(engine)
            engine.dispose()  # what stays open would lose its locks when `alone` closes the file
            for folder in {path.parent for path in (*files, config_file) if path.parent.exists()}:
                drafts.sweep(folder)
            for path in written:
                is_open = path == config_file and not veils(settings)  # the server may run as another user
                _write(path, files[path], 0o644 if is_open else 0o600)
            failpoints.reach(Step.RESTORING)
            progress("filling the database", 0, 0)
            if engine.dialect.name == "sqlite":
                drafts.adopt(Path(f"{engine.url.database}.lock"), Path(str(engine.url.database)).parent)
            with archive.opened_database(file, manifest) as copy:
                copies.put(engine, copy, manifest.schema)
        database.upgrade(engine, progress)
    finally:
        engine.dispose()
    return manifest, written


def _settings(path: Path, configuration: bytes | None) -> Settings:
    """Return the settings at the path, or else those of the backup as if they were there."""
    if path.exists():
        return config.load(path)
    if configuration is None:
        raise NotRestored(
            f'it has no configuration, and there is none at {path}; write one first, as "pbem init" does, '
            "but without its database"
        )
    with tempfile.TemporaryDirectory() as folder:
        draft = Path(folder) / path.name
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


def _write(path: Path, content: bytes, mode: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with drafts.folder(path.parent) as folder:
        draft = folder / path.name
        draft.write_bytes(content)
        drafts.adopt(draft, path.parent)
        drafts.publish(draft, path, mode)
