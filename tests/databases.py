"""Where the databases of the tests are: SQLite files in the tests' folders, or places on a PostgreSQL of their own.

`PBEM_TEST_DATABASE=postgresql` chooses the second for every test that does not name its database itself.
"""

import os
from pathlib import Path

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


def empty(folder: Path) -> str:
    """The URL of a database without tables."""
    return f"sqlite:///{folder}/empty.sqlite" if kind() == "sqlite" else running().database()
