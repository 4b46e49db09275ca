"""Copies of the database: taken as it is at one moment, while servers use it, and put where there is none.

SQLite's own backup reads within one transaction, which doesn't keep anybody from writing. PostgreSQL's programs do the
same there: pg_dump and pg_restore, of its version or a newer one.
"""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Engine, inspect, text
from sqlmodel import Session

from pbem.storage import database, unfinished
from pbem.storage.database import Progress

PAGES = 2_000
"""How many pages are copied at once; about eight megabytes."""
LOOK_SECONDS = 0.2
LOCK_SECONDS = 60
"""How long pg_dump waits for somebody who changes the tables."""
_DYING_WITH_US = (
    sys.executable,
    "-IS",
    "-c",
    (
        "import ctypes, os, signal, sys; prctl = getattr(ctypes.CDLL(None), 'prctl', None); "
        "prctl and prctl(1, signal.SIGKILL); os.execv(sys.argv[1], sys.argv[1:])"
    ),  # PR_SET_PDEATHSIG, of Linux
)
"""What starts a program that is killed when we are: pg_restore would go on, into a database that we begin anew."""


class NotCopied(Exception):
    """The database can't be copied, and why."""


class NotEmpty(Exception):
    """There is a database already."""


@dataclass(frozen=True, slots=True)
class Copied:
    revision: str
    schema: str


def take(engine: Engine, file: Path, progress: Progress) -> Copied:
    """Write a copy of the database to the file, whatever its version; raises NotCopied, and what `progress` raises."""
    if engine.dialect.name == "sqlite":
        return _take_sqlite(engine, file, progress)
    schema = current_schema(engine)
    with database.read_only(engine) as session:
        revision = _revision(session)
    words = ("--format=custom", f"--schema={schema}", f"--lock-wait-timeout={LOCK_SECONDS}s", f"--file={file}")
    _run("pg_dump", engine, words, lambda: progress("copying the database", _size(file), 0))
    return Copied(revision, schema)


def _take_sqlite(engine: Engine, file: Path, progress: Progress) -> Copied:
    def tell(_status: int, remaining: int, total: int) -> None:
        progress("copying the database", total - remaining, total)

    if not Path(str(engine.url.database)).exists():  # to connect would make it
        raise NotCopied(f"there is no database {engine.url.database}")
    with database.read_only(engine) as session, closing(sqlite3.connect(file)) as target:
        revision = _revision(session)  # from here on it sees one state
        source: Any = session.connection().connection.driver_connection
        for pragma in ("journal_mode=OFF", "synchronous=OFF"):  # it isn't needed unless it becomes whole
            target.execute(f"PRAGMA {pragma}")
        try:
            source.backup(target, pages=PAGES, progress=tell)
        except sqlite3.Error as error:
            raise NotCopied(f"the database can't be copied to {file.parent.parent.absolute()}: {error}") from error
    return Copied(revision, "")


def _revision(session: Session) -> str:
    revision = database.revision(session.connection())
    if revision is None:
        raise NotCopied("the database has no tables of ours")
    return revision


def current_schema(engine: Engine) -> str:
    """Return the PostgreSQL schema that the database's URL leads to; raises NotCopied if there is none."""
    with engine.connect() as connection:
        schema: str | None = connection.scalar(text("SELECT current_schema()"))
    if schema is None:
        raise NotCopied("the database has no schema for our tables")
    return schema


def require_empty(engine: Engine, backup: str) -> bool:
    """Raise NotEmpty if there are tables, or an SQLite file with anything in it, but for the mark of a restore.

    Return whether that backup has been put there, by a restore that was interrupted right after: it comes whole.
    """
    if engine.dialect.name == "sqlite":
        file = Path(str(engine.url.database))
        taken = next((each for each in (file, Path(f"{file}-wal")) if each.exists() and each.stat().st_size), None)
        if taken is not None and not (taken == file and _is_only_marked(file)):
            raise NotEmpty(f"there is a database at {taken}")
        return False
    with engine.connect() as connection:
        names = {*inspect(connection).get_table_names()} - {unfinished.TABLE}
        if names and unfinished.marked(connection) != backup:
            raise NotEmpty(f"the database has {len(names)} tables already")
    return bool(names)


def _is_only_marked(file: Path) -> bool:
    try:
        with closing(sqlite3.connect(f"file:{quote(str(file))}?mode=ro", uri=True)) as connection:
            names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master")]
    except sqlite3.Error:  # something else
        return False
    return names == [unfinished.TABLE]


def require_schema(engine: Engine, schema: str) -> None:
    """Raise NotCopied if a copy of that PostgreSQL schema can't be put into the database."""
    ours = current_schema(engine)
    if ours != schema:
        raise NotCopied(f'the copy is of the schema "{schema}", and the database that is configured uses "{ours}"')


def put(engine: Engine, file: Path, schema: str, progress: Progress) -> None:
    """Put a copy into an empty PostgreSQL database, all of it or nothing; raises NotCopied."""
    require_schema(engine, schema)
    words = ("--single-transaction", "--exit-on-error", f"--schema={schema}", str(file))
    _run("pg_restore", engine, words, lambda: progress("filling the database", 0, 0))


def _runs(process: subprocess.Popen[bytes]) -> bool:
    try:
        process.wait(LOOK_SECONDS)
    except subprocess.TimeoutExpired:
        return True
    return False


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def _run(program: str, engine: Engine, words: tuple[str, ...], tell: Callable[[], None]) -> None:
    """Run one of PostgreSQL's programs on the database; raises NotCopied, and what `tell` raises while it runs."""
    with _service(engine) as variables, tempfile.TemporaryFile() as said:
        if (found := shutil.which(program)) is None:
            raise NotCopied(f"there is no {program}; it comes with PostgreSQL's client (postgresql-client)")
        command = [*_DYING_WITH_US, found, "--no-password", "--no-owner", "--no-acl", "--dbname=service=pbem", *words]
        environment = {**os.environ, **variables}
        process = subprocess.Popen(  # noqa: S603 - PostgreSQL's own program
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            env=environment,
        )
        try:
            while _runs(process):
                tell()
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        if process.returncode:
            said.seek(0)
            lines = said.read(100_000).decode("utf-8", "replace").splitlines()
            why = next((line for line in lines if "error" in line.lower()), lines[-1] if lines else "")
            why = why or f"it ended with {process.returncode} and said nothing"
            raise NotCopied(f"{program} failed: {why.removeprefix(f'{program}: ').removeprefix('error: ')}")


@contextmanager
def _service(engine: Engine) -> Iterator[dict[str, str]]:
    """Provide the environment in which `service=pbem` is the database; no secret is in a command line."""
    _, given = engine.dialect.create_connect_args(engine.url)
    password = str(given.pop("password", ""))
    lines = [f"{key}={value}" for key, value in given.items() if key != "context"]
    with tempfile.NamedTemporaryFile("w", encoding="utf-8") as file:
        file.write("\n".join(("[pbem]", *lines, "")))
        file.flush()
        yield {"PGSERVICEFILE": file.name} | ({"PGPASSWORD": password} if password else {})
