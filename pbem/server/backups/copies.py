"""Copies of the database: taken as it is at one moment, while servers use it, and put where there is none.

SQLite's VACUUM INTO reads within one transaction, which doesn't keep anybody from writing. PostgreSQL's programs do
the same there: pg_dump and pg_restore, of its version or a newer one.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy import Engine, inspect, text
from sqlalchemy.exc import DBAPIError

from pbem.server.backups import NotBackedUp, NotRestored, drafts
from pbem.storage import database, unfinished

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


def take(engine: Engine, file: Path) -> tuple[str, str]:
    """Write a copy of the database, whatever its version. Return the revision of its tables, and their schema."""
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
    if why := _run(
        "pg_dump", engine, "--format=custom", f"--schema={schema}", "--lock-wait-timeout=60s", f"--file={file}"
    ):
        raise NotBackedUp(why)
    return revision, schema


def current_schema(engine: Engine) -> str:
    """Return the PostgreSQL schema that the database's URL leads to."""
    with engine.connect() as connection:
        return str(connection.scalar(text("SELECT current_schema()")))


def require_empty(engine: Engine, backup: str) -> bool:
    """Raise NotRestored if there is a database.

    Return whether that backup's is there, put there whole by a restore that was interrupted afterwards.
    """
    taken = "the database has tables already"
    is_sqlite = engine.dialect.name == "sqlite"
    if is_sqlite:
        file = Path(str(engine.url.database))
        there = [each for each in (file, Path(f"{file}-wal")) if each.exists() and each.stat().st_size]
        if not there:
            return False
        taken = f"there is a database at {there[0]}"
        if there[0] != file:
            raise NotRestored(taken)
    try:
        with engine.connect() as connection:
            names = {*inspect(connection).get_table_names()} - {unfinished.TABLE}
            is_there = unfinished.marked(connection) == backup
    except (database.Foreign, DBAPIError) as error:
        if is_sqlite:
            raise NotRestored(taken) from error
        raise
    finally:
        engine.dispose()  # what stays open would lose its locks when `alone` closes the file
    if names and not is_there:
        raise NotRestored(taken)
    return bool(names)


def put(engine: Engine, copy: Path, schema: str, backup: str) -> None:
    """Put a copy where there is no database, all of it or nothing; until `end`, no server starts there."""
    if engine.dialect.name == "sqlite":
        file, draft = Path(str(engine.url.database)), database.connect(f"sqlite:///{copy}")
        with draft.begin() as connection:
            unfinished.mark(connection, backup)
        draft.dispose()
        drafts.adopt(copy, file.parent)
        drafts.publish(copy, file)
        return
    with engine.begin() as connection:
        unfinished.mark(connection, backup)
    if why := _run("pg_restore", engine, "--single-transaction", "--exit-on-error", f"--schema={schema}", str(copy)):
        raise NotRestored(why)


def _run(program: str, engine: Engine, *words: str) -> str:
    """Run one of PostgreSQL's programs on the database. Return why it failed, if it did."""
    if (found := shutil.which(program)) is None:
        return f"there is no {program}; it comes with PostgreSQL's client (postgresql-client)"
    command = [*_DYING_WITH_US, found, "--no-password", "--no-owner", "--no-acl", "--dbname=service=pbem", *words]
    with _service(engine) as variables:
        done = subprocess.run(command, env=os.environ | variables, capture_output=True, check=False)  # noqa: S603
    lines = done.stderr.decode("utf-8", "replace").splitlines() or [f"it ended with {done.returncode}"]
    why = next((line for line in lines if "error" in line.lower()), lines[-1])
    return f"{program} failed: {why.removeprefix(f'{program}: ').removeprefix('error: ')}" if done.returncode else ""


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
