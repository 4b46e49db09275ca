"""The mark of a database whose restore was begun and hasn't ended: a table, which no server starts with.

Without it, a server would take a place that has its configuration and key, but no tables yet, for a new one.
"""

from sqlalchemy import Column, Connection, Inspector, MetaData, Table, Text, delete, insert, inspect, select

_MARK = Table("unfinished_restore", MetaData(), Column("backup", Text, nullable=False))
TABLE = _MARK.name


def mark(connection: Connection, backup: str) -> None:
    _MARK.create(connection, checkfirst=True)
    connection.execute(delete(_MARK))
    connection.execute(insert(_MARK).values(backup=backup))


def marked(connection: Connection) -> str | None:
    return connection.scalar(select(_MARK.c.backup)) if is_marked(inspect(connection)) else None


def is_marked(tables: Inspector) -> bool:
    return tables.has_table(TABLE)


def end(connection: Connection) -> None:
    """Remove the mark: the database is whole."""
    _MARK.drop(connection)
