"""Restoring: what a backup has is put into an empty place, or tried in a temporary one; and moving to PostgreSQL.

Everything is read and compared before anything is written, and nothing is overwritten. The database comes last, all of
it at once: until then no server starts there. So a restore that was interrupted is begun again.
"""

import gzip
import io
import shutil
import tarfile
import tempfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from pydantic import ValidationError
from sqlalchemy import Engine, func, insert, inspect, select
from sqlmodel import SQLModel

from pbem import config, failpoints
from pbem.config import Settings
from pbem.config.veiled import veils
from pbem.failpoints import Step
from pbem.secret import Secret
from pbem.server import server_key
from pbem.server.backups import (
    CONFIG,
    DATABASES,
    FORMAT,
    MANIFEST,
    MANIFESTS,
    Manifest,
    current_schema,
    named_files,
    run_program,
)
from pbem.storage import database, drafts
from pbem.storage.database import Progress

PIECE = 1_000
"""How many rows of a database that is moved are in memory at once."""


class NotRestored(Exception):
    """What isn't restored or moved, or a place into which it can't be, and why."""


def restore(file: Path, config_file: Path, progress: Progress) -> tuple[Manifest, list[Path]]:
    """Restore a backup; the configuration is the one at that path, or else the backup's, which is put there.

    Return the files besides the database that were written. Raises NotRestored, InUse, Unusable, BadConfig, OSError
    and database errors.
    """
    progress("reading the backup", 0, 0)
    manifest, contents, settings = _read(file, config_file)
    url = settings.server.database
    engine = database.connect(url)
    try:
        _require_fitting(engine, manifest)
        _require_empty(engine)
        files = {path: contents[name] for name, path in named_files(settings).items() if name in contents}
        if not config_file.exists():
            files[config_file] = contents[CONFIG]
        written = [path for path, content in files.items() if _is_to_write(path, content)]
        if engine.dialect.name == "sqlite":
            Path(str(engine.url.database)).parent.mkdir(parents=True, exist_ok=True)
        with database.alone(url):
            _require_empty(engine)
            engine.dispose()  # what stays open would lose its locks when `alone` closes the file
            for folder in {path.parent for path in (*files, config_file) if path.parent.exists()}:
                drafts.sweep(folder)
            for path in written:
                is_open = path == config_file and not veils(settings)  # the server may run as another user
                _write(path, io.BytesIO(files[path]), 0o644 if is_open else 0o600)
            failpoints.reach(Step.RESTORING)
            progress("filling the database", 0, 0)
            if engine.dialect.name == "sqlite":
                drafts.adopt(Path(f"{engine.url.database}.lock"), Path(str(engine.url.database)).parent)
            fill(file, manifest, engine)
        database.upgrade(engine, progress)
    finally:
        engine.dispose()
    return manifest, written


@contextmanager
def tried(file: Path, config_file: Path) -> Iterator[tuple[Manifest, Settings, Engine | None]]:
    """Provide the database of a backup in a temporary place, upgraded there, if it is one of SQLite.

    Raises as `restore`, and if the key in the backup isn't the one of its database. Nothing else is changed.
    """
    manifest, contents, settings = _read(file, config_file)
    if manifest.kind == "postgresql":
        fill(file, manifest, None)
        yield manifest, settings, None
        return
    with tempfile.TemporaryDirectory() as folder:
        engine = database.connect(f"sqlite:///{folder}/database")
        try:
            fill(file, manifest, engine)
            database.upgrade(engine)
            if key := contents.get("secrets/server.key"):
                own = Secret.model_validate({"value": key.decode().partition("\n")[0]})
                server_key.require(engine, settings.server.model_copy(update={"key": own}))
            yield manifest, settings, engine
        finally:
            engine.dispose()


def read(file: Path) -> tuple[Manifest, Mapping[str, bytes]]:
    """Return the manifest, and all files but the database, by their names. Raises NotRestored and OSError."""
    try:
        with gzip.open(file) as unpacked, tarfile.open(fileobj=unpacked, mode="r:") as tar:
            parts = {part.name: tar.extractfile(part) for part in tar if part.isreg()}
            contents = {name: part.read() for name, part in parts.items() if part and name not in DATABASES.values()}
            while unpacked.read(1 << 20):  # the checksum is at the end
                pass
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        why = (str(error) or type(error).__name__).partition("\n")[0].rstrip(":")
        raise NotRestored(f"it is damaged, or was never a backup ({why})") from error
    try:
        manifest = MANIFESTS.validate_json(contents.pop(MANIFEST, b""))
    except ValidationError as error:
        raise NotRestored("its manifest can't be read") from error
    if manifest.format > FORMAT:
        raise NotRestored("it was made by a newer version of pbem, which makes backups of another kind")
    if DATABASES[manifest.kind] not in parts:
        raise NotRestored(f"{DATABASES[manifest.kind]} is missing in it")
    return manifest, contents


def _read(file: Path, config_file: Path) -> tuple[Manifest, Mapping[str, bytes], Settings]:
    """Return that too, and the settings at the path, or else those of the backup as if they were there."""
    manifest, contents = read(file)
    try:
        database.require_upgradable(manifest.revision)  # there is no way back to an older version
    except database.Outdated as error:
        raise NotRestored(f"it was made by pbem {manifest.version}: {error}") from error
    if config_file.exists():
        return manifest, contents, config.load(config_file)
    if CONFIG not in contents:
        raise NotRestored(
            f'it has no configuration, and there is none at {config_file}; write one first, as "pbem init" does, '
            "but without its database"
        )
    with tempfile.TemporaryDirectory() as folder:
        draft = Path(folder) / config_file.name
        draft.write_bytes(contents[CONFIG])
        return manifest, contents, config.load(draft, place=config_file)


def _require_fitting(engine: Engine, manifest: Manifest) -> None:
    ours = engine.dialect.name
    if ours != manifest.kind:
        raise NotRestored(f"the database in it is one of {manifest.kind}, and the configuration has one of {ours}")
    if ours == "postgresql" and (schema := current_schema(engine)) != manifest.schema:
        raise NotRestored(
            f'the copy is of the schema "{manifest.schema}", and the database that is configured uses "{schema}"'
        )


def _require_empty(engine: Engine) -> None:
    if engine.dialect.name == "sqlite":
        for file in (Path(f"{engine.url.database}{ending}") for ending in ("", "-wal")):
            if file.exists() and file.stat().st_size:
                raise NotRestored(f"there is a database at {file}")
    elif inspect(engine).get_table_names():
        raise NotRestored("the database has tables already")


def _is_to_write(path: Path, content: bytes) -> bool:
    """Return whether there is no such file yet; raises NotRestored if there is another one."""
    if not path.exists():
        return True
    if path.read_bytes().strip() != content.strip():
        raise NotRestored(f"{path} isn't what the backup has, and nothing is overwritten; move it away first")
    return False


def fill(file: Path, manifest: Manifest, engine: Engine | None) -> None:
    """Put the database of a backup where there is none, all of it or nothing; without an engine, only try its dump."""
    with tarfile.open(file, "r:gz") as tar:
        copy = tar.extractfile(DATABASES[manifest.kind])
        assert copy is not None  # noqa: S101 - it was read before
        if engine is not None and engine.dialect.name == "sqlite":
            _write(Path(str(engine.url.database)), copy, 0o600)
            return
        words = ("--file=/dev/null",) if engine is None else ("--single-transaction", f"-n{manifest.schema}")
        if why := run_program("pg_restore", *words, "--exit-on-error", engine=engine, given=copy):
            raise NotRestored(why)


def _write(path: Path, content: IO[bytes], mode: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with drafts.folder(path.parent) as folder:
        draft = folder / path.name
        with draft.open("xb") as file:
            shutil.copyfileobj(content, file)
        drafts.adopt(draft, path.parent)
        drafts.publish(draft, path, mode)


def move(source: Engine, target: Engine, progress: Progress) -> int:
    """Copy all rows from SQLite into a PostgreSQL database without any, in one transaction; return how many there are.

    Raises NotRestored, Unusable, InUse and database errors. Then, and after a crash, the target has no rows.
    """
    if (source.dialect.name, target.dialect.name) != ("sqlite", "postgresql"):
        raise NotRestored("a database is moved from sqlite:///… to postgresql+psycopg://…")
    database.require_current(source)
    with database.alone(source.url.render_as_string(hide_password=False)):
        database.upgrade(target, progress)
        tables, done = SQLModel.metadata.sorted_tables, 0
        with database.read_only(source) as session, target.begin() as connection:
            database.exclude_others(connection, "upgrade")
            if taken := [table.name for table in tables if connection.scalar(select(table).limit(1)) is not None]:
                raise NotRestored(f"there are rows in the database already, in {', '.join(taken[:3])}")
            total = sum(session.scalar(select(func.count()).select_from(table)) or 0 for table in tables)
            for table in tables:
                newest_first = select(table).order_by(*(key.desc() for key in table.primary_key))  # what they point to
                found = session.connection().execution_options(yield_per=PIECE).execute(newest_first)
                for rows in found.mappings().partitions():
                    connection.execute(insert(table), [dict(row) for row in rows])
                    done += len(rows)
                    progress("moving the database", done, total)
                if "id" in table.c:  # PostgreSQL counts apart from the rows; where there are none, nothing changes
                    counted = func.setval(func.pg_get_serial_sequence(f'"{table.name}"', "id"), func.max(table.c.id))
                    connection.execute(select(counted))
        return done
