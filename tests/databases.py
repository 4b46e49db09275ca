"""Where the databases of the tests are: SQLite files in the tests' folders, or places on a PostgreSQL of their own.

`PBEM_TEST_DATABASE=postgresql` chooses the second for every test that does not name its database itself.
"""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import Engine, make_url

from pbem.storage import database
from tests.postgres import running

VARIABLE = "PBEM_TEST_DATABASE"
KINDS = ("sqlite", "postgresql")


def kind() -> str:
    """What this run of the tests keeps its data in."""
    chosen = os.environ.get(VARIABLE, KINDS[0])
    assert chosen in KINDS, f"{VARIABLE} is one of {KINDS}"
    return chosen


def at(folder: Path) -> str:
    """The URL of the database that belongs to the folder: the same one whenever it is asked for."""
    if kind() == "sqlite":
        return f"sqlite:///{folder}/pbem.sqlite"
    note = folder / "database"
    if not note.exists():
        note.write_text(running().migrated(), encoding="ascii")
    return note.read_text(encoding="ascii")


def make(url: str) -> None:
    """Make the tables as the first start of a server does, unless the database is there already."""
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite" or Path(str(parsed.database)).exists():
        return  # `at` gives out places on PostgreSQL that have them
    if not _made:
        connected = database.connect("sqlite://")
        with closing(connected.raw_connection()):  # the only connection: it holds the database
            database.upgrade(connected)
            _made.append(keep(connected))
    with closing(sqlite3.connect(str(parsed.database))) as connection:
        _made[0].backup(connection)


_made: list[sqlite3.Connection] = []
"""An SQLite database with the tables and nothing in them."""


def empty(folder: Path) -> str:
    """The URL of a database without tables."""
    return f"sqlite:///{folder}/empty.sqlite" if kind() == "sqlite" else running().database()


Kept = sqlite3.Connection | str
"""The rows of a database at some moment: in memory, or in a schema that nobody else uses."""


def keep(engine: Engine) -> Kept:
    """Return a copy of all rows."""
    if engine.dialect.name == "postgresql":
        return running().keep(engine)
    copy = sqlite3.connect(":memory:", check_same_thread=False)
    with closing(engine.raw_connection()) as connection:
        connection.driver_connection.backup(copy)
    return copy


def put_back(rows: Kept, engine: Engine) -> None:
    """Make these all the rows of a database that was just made, or that has some of them."""
    if isinstance(rows, str):
        running().put_back(rows, engine)
        return
    with closing(engine.raw_connection()) as connection:
        rows.backup(connection.driver_connection)
