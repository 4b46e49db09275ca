"""Copies of the database: taken as it is at one moment, while servers use it, and put where there is none.

SQLite's VACUUM INTO reads within one transaction, which doesn't keep anybody from writing. PostgreSQL's programs do
the same there: pg_dump and pg_restore, of its version or a newer one.
"""

import os
import shutil
import subprocess
import tempfile
from contextlib import closing, suppress
from pathlib import Path
from typing import IO

from sqlalchemy import Engine, inspect, text

from pbem.server.backups import NotBackedUp, NotRestored
from pbem.storage import database, drafts


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
    if why := _run("pg_dump", engine, "--format=custom", f"--schema={schema}", "--lock-wait-timeout=60s", f"-f{file}"):
        raise NotBackedUp(why)
    return revision, schema


def current_schema(engine: Engine) -> str:
    """Return the PostgreSQL schema that the database's URL leads to."""
    with engine.connect() as connection:
        return str(connection.scalar(text("SELECT current_schema()")))


def require_empty(engine: Engine) -> None:
    """Raise NotRestored if there is a database."""
    if engine.dialect.name == "sqlite":
        for file in (Path(f"{engine.url.database}{ending}") for ending in ("", "-wal")):
            if file.exists() and file.stat().st_size:
                raise NotRestored(f"there is a database at {file}")
    elif inspect(engine).get_table_names():
        raise NotRestored("the database has tables already")


def put(engine: Engine, copy: IO[bytes], schema: str) -> None:
    """Put a copy where there is no database, all of it or nothing."""
    if engine.dialect.name == "sqlite":
        path = Path(str(engine.url.database))
        with drafts.folder(path.parent) as folder:
            draft = folder / path.name
            with draft.open("xb") as file:
                shutil.copyfileobj(copy, file)
            drafts.adopt(draft, path.parent)
            drafts.publish(draft, path)
    elif why := _run("pg_restore", engine, "--single-transaction", "--exit-on-error", f"-n{schema}", given=copy):
        raise NotRestored(why)


def _run(program: str, engine: Engine, *words: str, given: IO[bytes] | None = None) -> str:
    """Run one of PostgreSQL's programs on the database. Return why it failed, if it did.

    What is given goes through a pipe: if we are killed, it ends too soon, and so pg_restore changes nothing.
    """
    if (found := shutil.which(program)) is None:
        return f"there is no {program}; it comes with PostgreSQL's client (postgresql-client)"
    from psycopg.conninfo import make_conninfo  # an optional extra, which there is for such an engine

    _, where = engine.dialect.create_connect_args(engine.url)
    secrets = {"PGPASSWORD": str(where.pop("password"))} if "password" in where else {}  # not in a command line
    where.pop("context", None)  # it is for the driver
    database = f"--dbname={make_conninfo(**where)}"
    command = [found, "--no-password", "--no-owner", "--no-acl", database, *words]
    with tempfile.TemporaryFile() as said:
        with subprocess.Popen(  # noqa: S603 - a program of PostgreSQL's, and nothing but our own words
            command, env=os.environ | secrets, stdin=subprocess.PIPE, stderr=said
        ) as running:
            with suppress(BrokenPipeError):  # then it says why
                if given is not None and running.stdin is not None:
                    shutil.copyfileobj(given, running.stdin)
            running.communicate()
        said.seek(0)
        lines = said.read().decode("utf-8", "replace").splitlines() or [f"it ended with {running.returncode}"]
    why = next((line for line in lines if "error" in line.lower()), lines[-1])
    return f"{program} failed: {why.removeprefix(f'{program}: ').removeprefix('error: ')}" if running.returncode else ""
