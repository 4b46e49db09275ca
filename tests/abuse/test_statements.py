"""The statements that are built once, as PostgreSQL runs them."""

import importlib
import pkgutil
from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Executable
from sqlalchemy.sql import Delete, Update
from sqlalchemy.sql.elements import BinaryExpression, BindParameter, ColumnElement
from sqlalchemy.sql.operators import in_op, not_in_op
from sqlalchemy.sql.visitors import iterate
from sqlmodel import SQLModel

import pbem
from pbem.storage import database


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


def statements() -> Iterator[tuple[str, Any]]:
    """Yield every statement and condition of pbem that is built once, under its name."""
    for module in modules():
        for name, value in vars(module).items():
            for found in within(value):
                yield f"{module.__name__}.{name}", found
    for table in (each.class_ for each in SQLModel._sa_registry.mappers if each.class_.__module__.startswith("pbem.")):
        key, *_ = (column.name for column in table.__table__.primary_key)
        if key == "id":
            yield f"insert_new: {table.__name__}", database.insert_new("postgresql", table, key)


def test_no_statement_changes_what_a_subquery_with_a_limit_finds() -> None:
    """PostgreSQL may run such a subquery once for each row, so it finds others each time (see storage/queue.py)."""
    changes = [(name, each) for name, each in statements() if isinstance(each, Update | Delete)]
    found = [
        name
        for name, statement in changes
        for each in iterate(statement)
        if isinstance(each, BinaryExpression) and each.operator in (in_op, not_in_op)
        if getattr(getattr(each.right, "element", each.right), "_limit_clause", None) is not None
    ]

    assert len(changes) > 5
    assert found == []
