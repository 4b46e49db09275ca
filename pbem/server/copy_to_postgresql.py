"""Moving a server from SQLite to PostgreSQL: all rows, in one transaction."""

from sqlalchemy import Engine, func, insert, inspect, select
from sqlmodel import SQLModel

from pbem.storage import database
from pbem.storage.database import Progress

PIECE = 1_000  # how many rows are in memory at once


def move(source: Engine, target: Engine, progress: Progress) -> int:
    """Copy all rows from SQLite into an empty PostgreSQL database, or none if it fails; return how many there are."""
    import pbem.features.all  # noqa: F401 - features declare tables, and load slowly

    if (source.dialect.name, target.dialect.name) != ("sqlite", "postgresql"):
        raise database.Unusable("a database is moved from sqlite:///… to postgresql+psycopg://…")
    database.require_current(source)
    with database.alone(source.url.render_as_string(hide_password=False)):
        database.upgrade(target, progress)
        tables, done = SQLModel.metadata.sorted_tables, 0
        if unknown := {*inspect(source).get_table_names()} - {"alembic_version", *(table.name for table in tables)}:
            raise database.Unusable(f"there are tables that this version doesn't know: {', '.join(sorted(unknown))}")
        with database.read_only(source) as session, target.begin() as connection:
            database.exclude_others(connection, "upgrade")
            if taken := [table.name for table in tables if connection.scalar(select(table).limit(1)) is not None]:
                raise database.Unusable(f"there are rows in the database already, in {', '.join(taken[:3])}")
            total = sum(session.scalar(select(func.count()).select_from(table)) or 0 for table in tables)
            for table in tables:
                newest_first = select(table).order_by(*(key.desc() for key in table.primary_key))  # what they point to
                found = session.connection().execution_options(yield_per=PIECE).execute(newest_first)
                for rows in found.mappings().partitions():
                    connection.execute(insert(table), [dict(row) for row in rows])
                    done += len(rows)
                    progress("moving the database", done, total)
                if "id" in table.c:  # PostgreSQL counts apart from the rows; where there are none, nothing changes
                    counted = func.setval(func.pg_get_serial_sequence(f'"{table.name}"', "id"), func.max(table.c.id))
                    connection.execute(select(counted))
        return done
