"""Every statement that is built once is compiled and run, so that none waits for the first player who needs it."""

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ARRAY, Boolean, Connection, Date, Executable, Float, Integer, LargeBinary, select
from sqlalchemy.dialects import sqlite
from sqlalchemy.exc import IntegrityError
from sqlalchemy.sql import Delete, Insert, Update
from sqlalchemy.sql.elements import BinaryExpression, BindParameter, ColumnElement
from sqlalchemy.sql.operators import in_op, not_in_op
from sqlalchemy.sql.visitors import iterate
from sqlalchemy.types import NullType
from sqlmodel import SQLModel

import pbem
from pbem.storage import database, rows
from pbem.storage.utc import Utc
from tests.correspondence import Correspondence

NOW = datetime(2026, 3, 2, tzinfo=UTC)
VALUES: dict[type, Any] = {
    Utc: NOW,
    Date: NOW.date(),
    Boolean: True,
    Integer: 1,
    Float: 1.0,
    ARRAY: ["x"],
    LargeBinary: b"x",
    NullType: "1",
}
OF_POSTGRESQL = ("pg_", "current_schema", "unnest", "on conflict")
"""What is in statements that only PostgreSQL knows, or that have another one of the same kind for SQLite."""


def modules() -> Iterator[Any]:
    for found in pkgutil.walk_packages(pbem.__path__, "pbem."):
        if "migrations" not in found.name and not found.name.endswith("__main__"):
            yield importlib.import_module(found.name)


def within(value: object) -> Iterator[ColumnElement[Any] | Executable]:
    """Yield what a constant has of SQL."""
    match value:
        case ColumnElement() | Executable() if not isinstance(value, BindParameter):
            yield value
        case Mapping():
            yield from (found for each in value.values() for found in within(each))
        case tuple() | list() | frozenset() | set():
            yield from (found for each in value for found in within(each))


def statements(dialect: str) -> Iterator[tuple[str, Any]]:
    """Yield every statement and condition of pbem that is built once, under its name."""
    for module in modules():
        for name, value in vars(module).items():
            for found in within(value):
                statement: Any = found if isinstance(found, Executable) else select(found)
                if dialect == "postgresql" or not any(
                    each in str(statement.compile(dialect=sqlite.dialect())).lower() for each in OF_POSTGRESQL
                ):
                    yield f"{module.__name__}.{name}", statement
    for table in (each.class_ for each in SQLModel._sa_registry.mappers if each.class_.__module__.startswith("pbem.")):
        key, *others = (column.name for column in table.__table__.primary_key)
        if key == "id":
            yield f"insert_new: {table.__name__}", database.insert_new(dialect, table, key)
        if not others:
            yield f"by_number: {table.__name__}", rows._by_number(table)


def dummy(type_: Any) -> Any:
    """Return a value that a parameter of that type can have."""
    return next((value for kind, value in VALUES.items() if isinstance(type_, kind)), "x")


def run(connection: Connection, statement: Any) -> None:
    """Run a statement with any values; what they break doesn't matter, nor what it returns."""
    bound = [each for each in statement.compile(dialect=connection.dialect).binds.values() if each.required]
    values = {each.key: [dummy(each.type)] if each.expanding else dummy(each.type) for each in bound}
    if isinstance(statement, Insert) and not values and not statement.select:
        values = {each.name: dummy(each.type) for each in statement.table.columns if each.name != "id"}
    if isinstance(statement, Update) and not statement._values:
        (changed, *_) = (each for each in statement.table.columns if not each.primary_key)
        values |= {changed.name: dummy(changed.type)}
    with suppress(IntegrityError):
        connection.execute(statement, values)


def test_every_statement_is_compiled_and_run(letters: Correspondence) -> None:
    tried, failed = 0, []
    with letters.server.engine.connect() as connection:
        connection.detach()  # some take locks that the connection holds until it is closed
        for name, statement in statements(connection.dialect.name):
            savepoint = connection.begin_nested()
            try:
                run(connection, statement)
            except Exception as error:  # noqa: BLE001 - each is told
                failed.append(f"{name}: {error}")
            savepoint.rollback()
            tried += 1

    assert failed == []
    assert tried > 100


def test_no_statement_changes_what_a_subquery_with_a_limit_finds() -> None:
    """PostgreSQL may run such a subquery once for each row, so it finds others each time (see storage/queue.py)."""
    changes = [(name, each) for name, each in statements("postgresql") if isinstance(each, Update | Delete)]
    found = [
        name
        for name, statement in changes
        for each in iterate(statement)
        if isinstance(each, BinaryExpression) and each.operator in (in_op, not_in_op)
        if getattr(getattr(each.right, "element", each.right), "_limit_clause", None) is not None
    ]

    assert len(changes) > 10
    assert found == []
