"""Alembic migrations: SQL for both databases, in the words of PostgreSQL, four of which are others in SQLite."""

from pathlib import Path

from sqlalchemy import Connection, text

_IN_SQLITE = {"SERIAL": "INTEGER NOT NULL", "TIMESTAMPTZ": "DATETIME", "BYTEA": "BLOB", "DEFAULT false": "DEFAULT 0"}


def run(connection: Connection, file: Path) -> None:
    """Run the statements of a file, each of which ends with a semicolon at the end of its line."""
    script = file.read_text(encoding="utf-8")
    if connection.dialect.name == "sqlite":
        for word, instead in _IN_SQLITE.items():
            script = script.replace(word, instead)
    for statement in script.rstrip().removesuffix(";").split(";\n"):
        connection.execute(text(statement))
