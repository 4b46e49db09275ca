"""Moving a whole database from SQLite to PostgreSQL: all rows or none, in one transaction."""

from collections.abc import Iterator

from sqlalchemy import Connection, Engine, Table, bindparam, func, insert, select, text, update
from sqlmodel import Session, SQLModel

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
                for rows in _pieces(session, table):
                    _insert(connection, table, rows)
                    done += len(rows)
                    progress("moving the database", done, total)
            for table in tables:
                _point_out(session, connection, table)
                _go_on_counting(connection, table)
        return done


def _pieces(session: Session, table: Table) -> Iterator[list[dict[str, object]]]:
    result = session.connection().execution_options(yield_per=PIECE).execute(select(table))
    for rows in result.mappings().partitions():
        yield [dict(row) for row in rows]


def _insert(connection: Connection, table: Table, rows: list[dict[str, object]]) -> None:
    """Insert rows, without what points to other rows of their own table: those may come later."""
    none = dict.fromkeys(_own(table))
    connection.execute(insert(table), [{**row, **none} for row in rows])


def _point_out(session: Session, connection: Connection, table: Table) -> None:
    """Add what points to other rows of the same table."""
    for name in _own(table):
        pointing = select(table.c.id.label("row"), table.c[name].label("other")).where(table.c[name].is_not(None))
        if found := [dict(row) for row in session.connection().execute(pointing).mappings()]:
            where = update(table).where(table.c.id == bindparam("row"))
            connection.execute(where.values({name: bindparam("other")}), found)


def _own(table: Table) -> list[str]:
    """Return the columns that point to rows of the same table."""
    return [key.parent.name for key in table.foreign_keys if key.column.table is table]


def _go_on_counting(connection: Connection, table: Table) -> None:
    """Let the next row have a number of its own: PostgreSQL counts apart from the rows."""
    if "id" in table.c and (last := connection.scalar(select(func.max(table.c.id)))) is not None:
        named = {"table": f'"{table.name}"', "last": last}
        connection.execute(text("SELECT setval(pg_get_serial_sequence(:table, 'id'), :last)"), named)
