"""Statements as SQL, compiled once for all databases of a process: doing it anew for each takes more than a test."""

from typing import Any

from sqlalchemy import Engine
from sqlalchemy.dialects.postgresql.psycopg import PGDialect_psycopg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite

_COMPILED: dict[Any, Any] = {}


def share() -> None:
    """Let the engines of this process share what they compile, for which their dialects must be equal."""
    for dialect in (SQLiteDialect_pysqlite, PGDialect_psycopg):
        replaced: dict[str, Any] = {
            "__eq__": lambda one, other: type(one) is type(other),
            "__hash__": lambda one: hash(type(one)),
            "engine_created": classmethod(_keep),
        }
        for name, method in replaced.items():
            setattr(dialect, name, method)


def _keep(_dialect: type[Any], engine: Engine) -> None:
    engine.update_execution_options(compiled_cache=_COMPILED)
