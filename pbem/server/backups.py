"""Backups: all that a server has in one file, made while it runs, and one a day that it makes by itself.

A backup is a compressed tar, whose manifest says what made it: a copy of the database as it is at one moment, the
configuration, the secrets and the certificates. It gets its name once it is whole. No name in it is used as a path: its
files are asked for by the names that the settings have for them.
"""

import glob
import io
import os
import shutil
import sqlite3
import subprocess
import tarfile
import time
from collections.abc import Callable, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from typing import IO, Literal

import structlog
from pydantic import TypeAdapter
from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError

from pbem import failpoints
from pbem.config import Settings, certificates, secrets
from pbem.failpoints import Step
from pbem.secret import BadConfig
from pbem.storage import database, drafts
from pbem.storage.setbacks import Setbacks

log = structlog.get_logger()

FORMAT = 2
"""Raised when an older version couldn't restore what a newer one has backed up."""
MANIFEST, CONFIG = "manifest.json", "pbem.toml"
DATABASES = {"sqlite": "database.sqlite", "postgresql": "database.dump"}
DOING = "backups"
EVERY = timedelta(days=1)
_STAMP = "%Y%m%d"


class NotBackedUp(BadConfig):
    """A backup that isn't made, and why."""


@dataclass(frozen=True, slots=True)
class Manifest:
    made: datetime
    version: str  # of pbem
    address: str  # of the server
    kind: Literal["sqlite", "postgresql"]
    revision: str  # of the tables
    schema: str  # where they were in PostgreSQL; nothing for SQLite
    format: int = FORMAT


MANIFESTS = TypeAdapter(Manifest)


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
    try:
        with drafts.folder(file.parent) as folder:
            if file.exists():
                raise NotBackedUp("it exists, and nothing is overwritten; choose another name")
            copy, draft = folder / "database", folder / "backup"
            revision, schema = copy_database(engine, copy)
            kind: Literal["sqlite", "postgresql"] = "postgresql" if schema else "sqlite"
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
        for name, content in {MANIFEST: MANIFESTS.dump_json(manifest, indent=2), **contents}.items():
            header = tarfile.TarInfo(name)
            header.size, header.mode, header.mtime = len(content), 0o600, int(manifest.made.timestamp())
            tar.addfile(header, io.BytesIO(content))
        tar.add(copy, DATABASES[manifest.kind])


def copy_database(engine: Engine, file: Path) -> tuple[str, str]:
    """Write a copy of the database, whatever its version. Return the revision of its tables, and their schema.

    SQLite's VACUUM INTO and PostgreSQL's pg_dump read within one transaction, which keeps nobody from writing.
    """
    if engine.dialect.name == "sqlite" and not Path(str(engine.url.database)).exists():  # to connect would make it
        raise NotBackedUp(f"there is no database {engine.url.database}")
    with database.reading(engine) as connection:
        revision = database.revision(connection)
    if revision is None:
        raise NotBackedUp("the database has no tables of ours")
    if engine.dialect.name == "sqlite":
        with closing(engine.raw_connection()) as driver:
            driver.cursor().execute("VACUUM INTO ?", (str(file),))
        return revision, ""
    schema = current_schema(engine)
    words = ("--format=custom", f"--schema={schema}", "--lock-wait-timeout=60s", f"-f{file}")
    if why := run_program("pg_dump", *words, engine=engine):
        raise NotBackedUp(why)
    return revision, schema


def current_schema(engine: Engine) -> str:
    """Return the PostgreSQL schema that the database's URL leads to."""
    with engine.connect() as connection:
        return str(connection.scalar(text("SELECT current_schema()")))


def run_program(program: str, *words: str, engine: Engine | None = None, given: IO[bytes] | None = None) -> str:
    """Run one of PostgreSQL's programs, of its version or a newer one, on a database. Return why it failed, if it did.

    What is given goes through a pipe: if we are killed, it ends too soon, and so pg_restore changes nothing.
    """
    if (found := shutil.which(program)) is None:
        return f"there is no {program}; it comes with PostgreSQL's client (postgresql-client)"
    command, secrets = [found, "--no-owner", "--no-acl", *words], {}
    if engine is not None:
        from psycopg.conninfo import make_conninfo  # an optional extra, which there is for such an engine

        _, where = engine.dialect.create_connect_args(engine.url)
        where.pop("context", None)  # it is for the driver
        if "password" in where:
            secrets["PGPASSWORD"] = str(where.pop("password"))  # not in a command line
        command += ["--no-password", f"--dbname={make_conninfo(**where)}"]
    with subprocess.Popen(  # noqa: S603 - a program of PostgreSQL's, and nothing but our own words
        command, env=os.environ | secrets, stdin=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        if given is not None and running.stdin is not None:
            with suppress(BrokenPipeError):  # then it says why
                shutil.copyfileobj(given, running.stdin)
        _, said = running.communicate()
    lines = said.decode("utf-8", "replace").splitlines() or [f"it ended with {running.returncode}"]
    why = next((line for line in lines if "error" in line.lower()), lines[-1])
    return f"{program} failed: {why.removeprefix(f'{program}: ').removeprefix('error: ')}" if running.returncode else ""


def name(address: str, now: datetime) -> str:
    """Return the name of the backup that a server makes of that day, in UTC.

    >>> name("games@example.org", datetime(2026, 11, 23, 3, 15, tzinfo=UTC))
    'pbem-games@example.org-20261123.tar.gz'
    """
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
        setbacks = Setbacks(self.engine, DOING, now)
        if not list(setbacks.ready((0,))):
            return 0
        begun = time.monotonic()
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            make(self.engine, self.settings, file, now)
            removed = kept(self.settings)[: -self.settings.backup.keep]
            for old in removed:
                old.unlink(missing_ok=True)
            size = file.stat().st_size
        except (OSError, BadConfig, DBAPIError) as error:
            if file in kept(self.settings):  # another daemon has made it meanwhile
                return 0
            why = str(error.orig) if isinstance(error, DBAPIError) else str(error)
            log.error("the backup failed", error=why, again="within an hour")  # noqa: TRY400 - no bug of ours
            setbacks.fails(0)
            return 0
        seconds = round(time.monotonic() - begun, 1)
        log.info("backup made", file=str(file), bytes=size, seconds=seconds, removed=len(removed))
        setbacks.works(0)
        return 1
