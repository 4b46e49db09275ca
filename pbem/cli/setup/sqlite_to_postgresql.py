"""The command `move`: all rows from an SQLite database to PostgreSQL, in one transaction."""

from typing import Annotated

import typer
from sqlalchemy import Engine, func, insert, inspect, select
from sqlmodel import SQLModel

from pbem.cli import log_format, shared
from pbem.cli.shared import app, out
from pbem.config import LogSettings
from pbem.config.dump import veiled_url
from pbem.storage import database
from pbem.storage.database import Progress


@app.command()
def move(
    source: Annotated[str, typer.Argument(metavar="FROM", help="The URL of the SQLite database, as configured.")],
    target: Annotated[str, typer.Argument(metavar="TO", help="The URL of an empty PostgreSQL database.")],
) -> None:
    log_format.configure(LogSettings(level="error"))
    with database.opened(source) as old, database.opened(target) as new, shared.progress() as progress:
        rows = copy_rows(old, new, progress)
    out.print(f"{rows:,} rows are in {veiled_url(target)} now")
    out.print("next: set database in [server] to that; move the SQLite file away, so that no server starts with it")


PIECE = 1_000  # how many rows are in memory at once


def copy_rows(source: Engine, target: Engine, progress: Progress) -> int:
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
