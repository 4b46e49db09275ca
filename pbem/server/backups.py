"""Backups: all that a server has in one file, made while it runs, one a day by itself; and restoring one.

A backup is a compressed tar of a manifest, the configuration, the secrets, the certificates and the database as it is
at one moment. It gets its name once it is whole. No name in it is used as a path: its files are asked for by the names
that the settings have for them.

To restore one, everything is read and compared before anything is written, and nothing is overwritten. The database
comes last, all of it at once: until then no server starts there. So a restore that was interrupted is begun again.
"""

import glob
import gzip
import io
import os
import shutil
import sqlite3
import subprocess
import tarfile
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from typing import IO, Literal

import structlog
from pydantic import TypeAdapter, ValidationError
from sqlalchemy import Engine, inspect, text
from sqlalchemy.exc import DBAPIError

from pbem import config, failpoints
from pbem.config import Settings, certificates, secrets
from pbem.config.dump import veils
from pbem.failpoints import Step
from pbem.secret_setting import BadConfig, Secret
from pbem.server import key_of_database
from pbem.storage import atomic_files, database
from pbem.storage.database import Progress
from pbem.storage.setbacks import Setbacks

log = structlog.get_logger()

FORMAT = 2  # raised when an older version couldn't restore what a newer one has backed up
MANIFEST, CONFIG = "manifest.json", "pbem.toml"
DATABASES = {"sqlite": "database.sqlite", "postgresql": "database.dump"}
EVERY = timedelta(days=1)
_STAMP = "%Y%m%d"


class BackupError(BadConfig):
    """Why a backup can't be made, or not be restored there."""


@dataclass(frozen=True, slots=True)
class Manifest:
    made: datetime
    version: str  # of pbem
    address: str  # of the server
    kind: Literal["sqlite", "postgresql"]
    revision: str  # of the tables
    schema: str  # where they were in PostgreSQL; nothing for SQLite
    format: int = FORMAT

    def __str__(self) -> str:
        made = f"{self.made:%Y-%m-%d %H:%M} UTC, made by pbem {self.version}"
        return f"the backup of {self.address} of {made}, tables of version {self.revision}"


MANIFESTS = TypeAdapter(Manifest)


def named_files(settings: Settings) -> dict[str, Path]:
    """Return the files with secrets and certificates that the settings name, by their names in a backup."""
    files = {f"secrets/{path}": secret.file.expanduser() for path, secret in secrets(settings) if secret.file}
    if settings.oauth2 is not None:
        files["secrets/oauth2.token_file"] = settings.oauth2.token_file
    return files | {f"certificates/{path}": file for path, file in certificates(settings)}


def make(engine: Engine, settings: Settings, file: Path, now: datetime) -> Manifest:
    """Make a backup in a new file that only we can read; raises BackupError and database errors, and leaves nothing."""
    try:
        with atomic_files.folder(file.parent) as folder:
            if file.exists():
                raise BackupError("it exists, and nothing is overwritten; choose another name")
            revision, schema = copy_database(engine, folder / "database")
            kind: Literal["sqlite", "postgresql"] = "postgresql" if schema else "sqlite"
            manifest = Manifest(now, version("pbem"), settings.server.address, kind, revision, schema)
            (folder / MANIFEST).write_bytes(MANIFESTS.dump_json(manifest, indent=2))
            contents = {MANIFEST: folder / MANIFEST, CONFIG: settings.source, **named_files(settings)}
            if settings.oauth2 is not None and not settings.oauth2.token_file.exists():  # nobody has logged in yet
                del contents["secrets/oauth2.token_file"]
            with tarfile.open(folder / "backup", "x:gz", compresslevel=6, dereference=True) as tar:
                for name, path in {**contents, DATABASES[kind]: folder / "database"}.items():
                    if path is not None:
                        tar.add(path, name, recursive=False)
            failpoints.reach(Step.SAVING)
            atomic_files.publish(folder / "backup", file)
            return manifest
    except (BackupError, sqlite3.Error) as error:
        raise BackupError(f"{file.absolute()} is not made: {error}") from error
    except OSError as error:
        why = f"{error.filename or file.parent.absolute()}: {error.strerror or error}"
        raise BackupError(f"{file.absolute()} is not made: {why}") from error


def copy_database(engine: Engine, file: Path) -> tuple[str, str]:
    """Write a copy of the database, while others write. Return the revision of its tables, and their schema."""
    if engine.dialect.name == "sqlite" and not Path(str(engine.url.database)).exists():  # to connect would make it
        raise BackupError(f"there is no database {engine.url.database}")
    with database.reading(engine) as connection:
        revision = database.revision(connection)
    if revision is None:
        raise BackupError("the database has no tables of ours")
    if engine.dialect.name == "sqlite":
        with closing(engine.raw_connection()) as driver:
            driver.cursor().execute("VACUUM INTO ?", (str(file),))
        return revision, ""
    schema = current_schema(engine)
    run_program("pg_dump", "--format=custom", f"-n{schema}", "--lock-wait-timeout=60s", f"-f{file}", engine=engine)
    return revision, schema


def current_schema(engine: Engine) -> str:
    """Return the PostgreSQL schema that the database's URL leads to."""
    with engine.connect() as connection:
        return str(connection.scalar(text("SELECT current_schema()")))


def run_program(program: str, *words: str, engine: Engine | None = None, given: IO[bytes] | None = None) -> None:
    """Run one of PostgreSQL's programs, of its version or a newer one, on a database. Raises BackupError."""
    if (path := shutil.which(program)) is None:
        raise BackupError(f"there is no {program}; it comes with PostgreSQL's client (postgresql-client)")
    command, environment = [path, "--no-owner", "--no-acl", *words], dict(os.environ)
    if engine is not None:
        from psycopg.conninfo import make_conninfo  # an optional extra, which there is for such an engine

        _, server = engine.dialect.create_connect_args(engine.url)
        server.pop("context", None)  # it is for the driver
        if "password" in server:
            environment["PGPASSWORD"] = str(server.pop("password"))  # not in a command line
        command += ["--no-password", f"--dbname={make_conninfo(**server)}"]
    with subprocess.Popen(  # noqa: S603 - a program of PostgreSQL's, and nothing but our own words
        command, env=environment, stdin=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        if given is not None and running.stdin is not None:
            with suppress(BrokenPipeError):  # then it says why; if we are killed, it ends too soon, and changes nothing
                shutil.copyfileobj(given, running.stdin)
        _, complaint = running.communicate()
    if running.returncode:
        lines = complaint.decode("utf-8", "replace").splitlines() or [f"it ended with {running.returncode}"]
        why = next((line for line in lines if "error" in line.lower()), lines[-1])
        raise BackupError(f"{program} failed: {why.removeprefix(f'{program}: ').removeprefix('error: ')}")


def name(address: str, now: datetime) -> str:
    """Return the name of the backup that a server makes of that day, in UTC."""
    return f"pbem-{address}-{now.astimezone(UTC):{_STAMP}}.tar.gz"


def kept(settings: Settings) -> list[Path]:
    """Return the server's own backups, oldest first; other files in the folder are nobody's business."""
    folder, pattern = settings.backup.folder, f"pbem-{glob.escape(settings.server.address)}-{8 * '[0-9]'}.tar.gz"
    return sorted(folder.glob(pattern)) if folder is not None else []


def day(backup: Path) -> datetime:
    """Return the day of which a backup is, which its name says."""
    return datetime.strptime(backup.name[-15:-7], _STAMP).replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Backups:
    """A backup each day. The folder says which there are: of several daemons, those that come too late find it."""

    engine: Engine
    settings: Settings
    clock: Callable[[], datetime]

    def step(self, _stopped: Callable[[], bool] = lambda: False) -> int:
        """Make today's backup if there is none. A server that stops doesn't wait; the next one removes the draft."""
        folder, now = self.settings.backup.folder, self.clock()
        if folder is None or (file := folder / name(self.settings.server.address, now)) in kept(self.settings):
            return 0
        setbacks, begun = Setbacks(self.engine, "backups", now), time.monotonic()
        if not list(setbacks.ready((0,))):
            return 0
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            make(self.engine, self.settings, file, now)
            removed = kept(self.settings)[: -self.settings.backup.keep]
            for old in removed:
                old.unlink(missing_ok=True)
        except (OSError, BackupError, DBAPIError) as error:
            if file not in kept(self.settings):  # otherwise another daemon has made it meanwhile
                why = str(error.orig) if isinstance(error, DBAPIError) else str(error)
                log.error("the backup failed", error=why, again="within an hour")  # noqa: TRY400 - no bug of ours
                setbacks.fails(0)
            return 0
        seconds, size = round(time.monotonic() - begun, 1), file.stat().st_size
        log.info("backup made", file=str(file), bytes=size, seconds=seconds, removed=len(removed))
        setbacks.works(0)
        return 1


def restore(file: Path, config_file: Path, progress: Progress) -> tuple[Manifest, list[Path]]:
    """Restore a backup; the configuration is the one at that path, or else the backup's, which is put there.

    Return the files besides the database that were written. Raises BackupError, InUse, Unusable, BadConfig, OSError
    and database errors.
    """
    progress("reading the backup", 0, 0)
    manifest, contents, settings = _read_to_restore(file, config_file)
    files = {path: contents[name] for name, path in named_files(settings).items() if name in contents}
    if not config_file.exists():
        files[config_file] = contents[CONFIG]
    written = [path for path in files if not path.exists()]
    for path in files.keys() - written:
        if path.read_bytes().strip() != files[path].strip():
            raise BackupError(f"{path} isn't what the backup has, and nothing is overwritten; move it away first")
    url = settings.server.database
    with database.opened(url) as engine:
        _require_place(engine, manifest)
        place = Path(str(engine.url.database)) if engine.dialect.name == "sqlite" else None
        if place is not None:
            place.parent.mkdir(parents=True, exist_ok=True)
        with database.alone(url):
            _require_place(engine, manifest)
            engine.dispose()  # what stays open would lose its locks when `alone` closes the file
            for folder in {path.parent for path in (*files, config_file) if path.parent.exists()}:
                atomic_files.sweep(folder)
            for path in written:
                is_open = path == config_file and not veils(settings)  # the server may run as another user
                _write(path, io.BytesIO(files[path]), 0o644 if is_open else 0o600)
            failpoints.reach(Step.RESTORING)
            progress("filling the database", 0, 0)
            if place is not None:
                atomic_files.adopt(Path(f"{place}.lock"), place.parent)
            _fill(file, manifest, engine)
        database.upgrade(engine, progress)
    return manifest, written


@contextmanager
def tried(file: Path, config_file: Path) -> Iterator[tuple[Manifest, Settings, Engine | None]]:
    """Provide the database of a backup in a temporary place, upgraded there, if it is SQLite's. Raises as `restore`."""
    manifest, contents, settings = _read_to_restore(file, config_file)
    if manifest.kind == "postgresql":
        _fill(file, manifest, None)
        yield manifest, settings, None
        return
    with tempfile.TemporaryDirectory() as folder, database.opened(f"sqlite:///{folder}/database") as engine:
        _fill(file, manifest, engine)
        database.upgrade(engine)
        if key := contents.get("secrets/server.key"):
            own = Secret.model_validate({"value": key.decode().partition("\n")[0]})
            key_of_database.require(engine, settings.server.model_copy(update={"key": own}))
        yield manifest, settings, engine


def read(file: Path) -> tuple[Manifest, Mapping[str, bytes]]:
    """Return the manifest, and all files but the database, by their names. Raises BackupError and OSError."""
    try:
        with gzip.open(file) as unpacked, tarfile.open(fileobj=unpacked, mode="r:") as tar:
            parts = {part.name: tar.extractfile(part) for part in tar if part.isreg()}
            contents = {name: part.read() for name, part in parts.items() if part and name not in DATABASES.values()}
            while unpacked.read(1 << 20):  # the checksum is at the end
                pass
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile) as error:
        why = (str(error) or type(error).__name__).partition("\n")[0].rstrip(":")
        raise BackupError(f"it is damaged, or was never a backup ({why})") from error
    try:
        manifest = MANIFESTS.validate_json(contents.pop(MANIFEST, b""))
    except ValidationError as error:
        raise BackupError("its manifest can't be read") from error
    if manifest.format > FORMAT:
        raise BackupError("it was made by a newer version of pbem, which makes backups of another kind")
    if DATABASES[manifest.kind] not in parts:
        raise BackupError(f"{DATABASES[manifest.kind]} is missing in it")
    return manifest, contents


def _read_to_restore(file: Path, config_file: Path) -> tuple[Manifest, Mapping[str, bytes], Settings]:
    """Return that too, and the settings at the path, or else those of the backup as if they were there."""
    manifest, contents = read(file)
    try:
        database.require_upgradable(manifest.revision)  # there is no way back to an older version
    except database.Outdated as error:
        raise BackupError(f"it was made by pbem {manifest.version}: {error}") from error
    if config_file.exists():
        return manifest, contents, config.load(config_file)
    if CONFIG not in contents:
        here = f'there is none at {config_file}; write one, as "pbem init" does'
        raise BackupError(f"it has no configuration, and {here}")
    with tempfile.TemporaryDirectory() as folder:
        draft = Path(folder) / config_file.name
        draft.write_bytes(contents[CONFIG])
        return manifest, contents, config.load(draft, place=config_file)


def _require_place(engine: Engine, manifest: Manifest) -> None:
    """Raise BackupError unless the configured database is one of that kind, and has nothing yet."""
    ours = engine.dialect.name
    if ours != manifest.kind:
        raise BackupError(f"the database in it is one of {manifest.kind}, and the configuration has one of {ours}")
    if ours == "sqlite":
        for file in (Path(f"{engine.url.database}{ending}") for ending in ("", "-wal")):
            if file.exists() and file.stat().st_size:
                raise BackupError(f"there is a database at {file}")
    elif (schema := current_schema(engine)) != manifest.schema:
        raise BackupError(f'the copy is of the schema "{manifest.schema}", and the configured database uses "{schema}"')
    elif inspect(engine).get_table_names():
        raise BackupError("the database has tables already")


def _fill(file: Path, manifest: Manifest, engine: Engine | None) -> None:
    """Put the database of a backup where there is none, all of it or nothing; without an engine, only try its dump."""
    with tarfile.open(file, "r:gz") as tar:
        copy = tar.extractfile(DATABASES[manifest.kind])
        assert copy is not None  # noqa: S101 - it was read before
        if engine is not None and engine.dialect.name == "sqlite":
            _write(Path(str(engine.url.database)), copy, 0o600)
            return
        words = ("--file=/dev/null",) if engine is None else ("--single-transaction", f"-n{manifest.schema}")
        run_program("pg_restore", *words, "--exit-on-error", engine=engine, given=copy)


def _write(path: Path, content: IO[bytes], mode: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_files.folder(path.parent) as folder:
        draft = folder / path.name
        with draft.open("xb") as file:
            shutil.copyfileobj(content, file)
        atomic_files.adopt(draft, path.parent)
        atomic_files.publish(draft, path, mode)
