"""Bulk inserts of many rows, in a fraction of the time that statements of SQLAlchemy take."""

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from itertools import chain, islice
from operator import itemgetter
from typing import Any

from sqlalchemy import Column, Connection, Engine

from pbem.storage.utc import Utc

Tell = Callable[[str], object]
"""Is told what is being added."""
TOGETHER = 2_000
"""How many rows are written at once."""


def silent(_what: str) -> None:
    """Tell nobody."""


@dataclass(frozen=True, slots=True)
class Alike:
    """Rows of a table that differ only in the named columns, whose values are written as the database reads them."""

    table: Any
    same: dict[str, Any]
    names: Sequence[str]
    rows: Iterator[tuple[Any, ...]]


def add(connection: Connection, table: Any, rows: Iterator[dict[str, Any]]) -> None:
    """Add rows to a table; each has the same columns, and the others get their defaults."""
    first = next(rows, None)
    if first is None:
        return
    columns = [each for each in table.__table__.columns if each.name in first or each.default is not None]
    usual = {each.name: each.default.arg for each in columns if each.name not in first}
    converted = [(place, convert) for place, each in enumerate(columns) if (convert := _conversion(each, connection))]
    names = ", ".join(f'"{each.name}"' for each in columns)
    of_row = itemgetter(*(each.name for each in columns))

    def values() -> Iterator[list[Any]]:
        for row in chain([first], rows):
            found = list(of_row(usual | row))
            for place, convert in converted:
                if found[place] is not None:
                    found[place] = convert(found[place])
            yield found

    driver: Any = connection.connection.dbapi_connection
    if connection.dialect.name == "postgresql":
        with driver.cursor() as cursor, cursor.copy(f'copy "{table.__tablename__}" ({names}) from stdin') as copy:
            for row in values():
                copy.write_row(row)
        return
    marks = ", ".join("?" * len(columns))
    driver.executemany(f'insert into "{table.__tablename__}" ({names}) values ({marks})', values())


def add_alike(connection: Connection, alike: Alike) -> None:
    """Add such rows to their table; the columns that aren't named at all get their defaults.

    What they share is written into the statement, or into a pattern for the lines of COPY: five times as fast as `add`.
    """
    table, names = alike.table.__table__, alike.names
    usual = {each.name: each.default.arg for each in table.columns if each.default is not None}
    same = {name: value for name, value in (usual | alike.same).items() if name not in names}
    columns = ", ".join(f'"{name}"' for name in (*same, *names))
    driver: Any = connection.connection.dbapi_connection
    if connection.dialect.name == "postgresql":
        line = "\t".join([*(_in_copy(value).replace("%", "%%") for value in same.values()), *["%s"] * len(names)])
        with driver.cursor() as cursor, cursor.copy(f'copy "{table.name}" ({columns}) from stdin') as copy:
            while lines := "".join([f"{line}\n" % row for row in islice(alike.rows, TOGETHER)]):
                copy.write(lines)
        return
    values = ", ".join([*(_in_sql(value) for value in same.values()), *"?" * len(names)])
    driver.executemany(f'insert into "{table.name}" ({columns}) values ({values})', alike.rows)


def _in_copy(value: Any) -> str:
    """Return the value as COPY reads it."""
    if isinstance(value, bytes):
        value = rf"\x{value.hex()}"
    return r"\N" if value is None else _in_words(value).replace("\\", "\\\\").replace("\n", "\\n")


def _in_sql(value: Any) -> str:
    """Return the value as SQLite reads it in a statement."""
    if isinstance(value, bytes):
        return f"x'{value.hex()}'"
    quoted = _in_words(value).replace("'", "''")
    return "null" if value is None else f"'{quoted}'"


def _in_words(value: Any) -> str:
    """Return the value as both databases understand it."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).replace(tzinfo=None).isoformat(" ", "microseconds")
    if isinstance(value, list | dict):
        return json.dumps(value)
    return str(int(value)) if isinstance(value, bool) else str(value)


def _conversion(column: Column[Any], connection: Connection) -> Callable[[Any], Any] | None:
    """Return what turns a value into one of the driver's; many rows have the same time."""
    convert = column.type.dialect_impl(connection.dialect).bind_processor(connection.dialect)
    return lru_cache(convert) if convert is not None and isinstance(column.type, Utc) else convert


@contextmanager
def loading(engine: Engine) -> Iterator[Connection]:
    """Provide a connection for writing many rows in one transaction: no foreign key is checked, and SQLite syncs later.

    An SQLite file that nobody else has open keeps no log meanwhile, so nothing is written twice.
    """
    if engine.dialect.name == "postgresql":
        with engine.begin() as connection:
            for setting in ("time zone 'UTC'", "session_replication_role = replica", "maintenance_work_mem = '1GB'"):
                connection.exec_driver_sql(f"set local {setting}")
            yield connection
        return
    with engine.connect() as connection:
        driver: Any = connection.connection.dbapi_connection
        for pragma in ("foreign_keys=OFF", "synchronous=OFF", "cache_size=-500000"):
            driver.execute(f"PRAGMA {pragma}").close()
        with suppress(sqlite3.OperationalError):  # somebody has opened the file
            driver.execute("PRAGMA journal_mode=OFF").close()
        with connection.begin():
            yield connection
        driver.execute("PRAGMA journal_mode=WAL").close()
        connection.invalidate()  # another connection has the usual settings again


@contextmanager
def indexed_afterwards(connection: Connection, tell: Tell = silent) -> Iterator[None]:
    """Drop the indexes of all tables, but for those of their keys, and make them again at the end."""
    if connection.dialect.name == "postgresql":
        found = connection.exec_driver_sql(
            "select indexname, indexdef from pg_indexes where schemaname = current_schema() and not exists"
            " (select 1 from pg_constraint where conname = indexname and connamespace = current_schema()::regnamespace)"
        )
    else:
        found = connection.exec_driver_sql("select name, sql from sqlite_master where type = 'index' and sql <> ''")
    indexes = [tuple(row) for row in found]
    for name, _ in indexes:
        connection.exec_driver_sql(f'drop index "{name}"')
    yield
    for name, statement in indexes:
        tell(name)
        connection.exec_driver_sql(statement)
