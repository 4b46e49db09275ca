"""The databases of the tests: SQLite files in the tests' folders, or schemas on a PostgreSQL server of their own.

`PBEM_TEST_DATABASE=postgresql` selects the latter for every test that doesn't choose its database itself.
"""

import os
import sqlite3
import tempfile
from contextlib import closing
from functools import cache
from hashlib import sha256
from pathlib import Path

from sqlalchemy import Engine, make_url

from pbem.storage import database
from tests import postgres
from tests.postgres import running

VARIABLE = "PBEM_TEST_DATABASE"
KINDS = ("sqlite", "postgresql")


def kind() -> str:
    """Return the kind of database that this test run uses."""
    chosen = os.environ.get(VARIABLE, KINDS[0])
    assert chosen in KINDS, f"{VARIABLE} is one of {KINDS}"
    return chosen


def at(folder: Path) -> str:
    """Return the URL of the database that belongs to the folder, the same on every call."""
    if kind() == "sqlite":
        return f"sqlite:///{folder}/pbem.sqlite"
    note = folder / "database"
    if not note.exists():
        _LENT[folder] = running().migrated()
        note.write_text(_LENT[folder], encoding="ascii")
    return note.read_text(encoding="ascii")


_LENT: dict[Path, str] = {}
"""The PostgreSQL schemas of folders."""


def give_back(folder: Path) -> None:
    """Let others use what belongs to folders in this one, whose test is over."""
    for each in [each for each in _LENT if each.is_relative_to(folder)]:
        postgres.give_back(_LENT.pop(each))


def make(url: str) -> None:
    """Create the tables as the first start of a server does, unless the database exists."""
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite" or Path(str(parsed.database)).exists():
        return  # PostgreSQL: `at` has created them
    with closing(sqlite3.connect(str(parsed.database))) as connection:
        _tables().backup(connection)


@cache
def _tables() -> sqlite3.Connection:
    """Return an SQLite database with empty tables, made by the migrations once for all runs of the tests."""
    files = (path for kind in ("*.py", "*.sql") for path in sorted(database.MIGRATIONS.rglob(kind)))
    migrations = b"".join(path.read_bytes() for path in files)
    file = Path(tempfile.gettempdir()) / f"pbem-{os.getuid()}-tables-{sha256(migrations).hexdigest()[:20]}.sqlite"
    if not file.exists():
        connected = database.connect("sqlite://")
        with closing(connected.raw_connection()):  # the database exists only in this connection
            database.upgrade(connected)
            made = keep(connected)
        assert isinstance(made, sqlite3.Connection)
        draft = file.with_suffix(f".{os.getpid()}")
        with closing(sqlite3.connect(draft)) as connection:
            made.backup(connection)
        draft.rename(file)
    tables = sqlite3.connect(":memory:", check_same_thread=False)
    with closing(sqlite3.connect(file)) as connection:
        connection.backup(tables)
    return tables


def empty(folder: Path) -> str:
    """Return the URL of a database without tables."""
    return f"sqlite:///{folder}/empty.sqlite" if kind() == "sqlite" else running().database()


Kept = sqlite3.Connection | str
"""A copy of a database: an SQLite database in memory, or the name of a PostgreSQL schema."""


def keep(engine: Engine) -> Kept:
    """Return a copy of all rows."""
    if engine.dialect.name == "postgresql":
        return running().keep(engine)
    copy = sqlite3.connect(":memory:", check_same_thread=False)
    with closing(engine.raw_connection()) as connection:
        connection.driver_connection.backup(copy)
    return copy


def put_back(rows: Kept, engine: Engine) -> None:
    """Replace the content of the database with the copy."""
    if isinstance(rows, str):
        running().put_back(rows, engine)
        return
    with closing(engine.raw_connection()) as connection:
        rows.backup(connection.driver_connection)
