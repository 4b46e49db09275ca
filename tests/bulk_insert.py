"""Bulk inserts of many rows, in a fraction of the time that statements of SQLAlchemy take."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from itertools import chain
from operator import itemgetter
from typing import Any

from sqlalchemy import Column, Connection

from pbem.storage.utc import Utc


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


def _conversion(column: Column[Any], connection: Connection) -> Callable[[Any], Any] | None:
    """Return what turns a value into one of the driver's; many rows have the same time."""
    convert = column.type.dialect_impl(connection.dialect).bind_processor(connection.dialect)
    return lru_cache(convert) if convert is not None and isinstance(column.type, Utc) else convert


@contextmanager
def indexed_afterwards(connection: Connection) -> Iterator[None]:
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
    for _, statement in indexes:
        connection.exec_driver_sql(statement)
