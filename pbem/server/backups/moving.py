"""Moving a whole database from SQLite to PostgreSQL: all rows or none, in one transaction."""

from sqlalchemy import Connection, Engine, Table, func, insert, select, text
from sqlmodel import SQLModel

from pbem.storage import database
from pbem.storage.database import Progress

PIECE = 1_000
"""How many rows are in memory at once."""


class NotMoved(Exception):
    """A database that isn't moved, and why."""


def move(source: Engine, target: Engine, progress: Progress) -> int:
    """Copy all rows into a database without any, whose tables are made if need be; return how many there are.

    Raises NotMoved, Unusable, InUse and database errors. Then, and after a crash, the target has no rows.
    """
    if (source.dialect.name, target.dialect.name) != ("sqlite", "postgresql"):
        raise NotMoved("a database is moved from sqlite:///… to postgresql+psycopg://…")
    database.require_current(source)
    with database.alone(source.url.render_as_string(hide_password=False)):
        database.upgrade(target, progress)
        tables, done = SQLModel.metadata.sorted_tables, 0
        with database.read_only(source) as session, target.begin() as connection:
            database.exclude_others(connection, "upgrade")
            if taken := [table.name for table in tables if connection.scalar(select(table).limit(1)) is not None]:
                raise NotMoved(f"there are rows in the database already, in {', '.join(taken[:3])}")
            total = sum(session.scalar(select(func.count()).select_from(table)) or 0 for table in tables)
            for table in tables:
                newest_first = select(table).order_by(*(key.desc() for key in table.primary_key))  # what they point to
                found = session.connection().execution_options(yield_per=PIECE).execute(newest_first)
                for rows in found.mappings().partitions():
                    connection.execute(insert(table), [dict(row) for row in rows])
                    done += len(rows)
                    progress("moving the database", done, total)
                _go_on_counting(connection, table)
        return done


def _go_on_counting(connection: Connection, table: Table) -> None:
    """Let the next row have a number of its own: PostgreSQL counts apart from the rows."""
    if "id" in table.c and (last := connection.scalar(select(func.max(table.c.id)))) is not None:
        named = {"table": f'"{table.name}"', "last": last}
        connection.execute(text("SELECT setval(pg_get_serial_sequence(:table, 'id'), :last)"), named)
