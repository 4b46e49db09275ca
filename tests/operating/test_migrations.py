"""The migrations create the tables that the models describe, and SQLite is opened so that commits are durable."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Engine, inspect, text
from sqlalchemy.exc import IntegrityError
from sqlmodel import SQLModel

import pbem.features.all  # noqa: F401 - features declare tables
from pbem.storage import database, models
from tests import databases


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = database.connect(databases.empty(tmp_path))
    yield engine
    engine.dispose()


def is_comparable(_thing: object, name: str | None, kind: str, *_: object) -> bool:
    """Return whether SQLite tells all about it: of an index that is sorted downwards, it doesn't tell so."""
    return (kind, name) != ("index", "ix_playerrating_standings")


def test_the_migrations_make_exactly_the_tables_of_the_models(engine: Engine) -> None:
    database.upgrade(engine)
    options: dict[str, Any] = {"compare_type": True}
    if engine.dialect.name == "sqlite":
        options["include_object"] = is_comparable
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts=options)
        assert compare_metadata(context, SQLModel.metadata) == []
    assert {models.Match.__tablename__, "alembic_version"} < set(inspect(engine).get_table_names())


def test_the_models_make_the_same_indexes_and_defaults_as_the_migrations(engine: Engine) -> None:
    """With the same conditions, which each database gets in its own words."""
    database.upgrade(engine)
    migrated = indexes(engine), defaults(engine)
    with engine.begin() as connection:
        SQLModel.metadata.drop_all(connection)
    SQLModel.metadata.create_all(engine)
    assert (indexes(engine), defaults(engine)) == migrated
    assert sum(" IS NOT NULL" in shown for shown in migrated[0].values()) > 10
    assert "0" in str(migrated[1]["player", "bounces"])


def defaults(engine: Engine) -> dict[tuple[str, str], object]:
    """Return what the database puts into each column for which an inserted row has nothing."""
    inspector = inspect(engine)
    tables = SQLModel.metadata.tables
    return {(table, str(each["name"])): each["default"] for table in tables for each in inspector.get_columns(table)}


def indexes(engine: Engine) -> dict[str, str]:
    """Return each index with its columns and its condition."""
    inspector = inspect(engine)
    found = [index for table in SQLModel.metadata.tables for index in inspector.get_indexes(table)]
    return {str(index["name"]): repr((index["column_names"], _condition(index))) for index in found}


def _condition(index: Any) -> str:
    options = index.get("dialect_options", {})
    return " ".join(str(value) for key, value in options.items() if key.endswith("_where"))


@pytest.mark.own_database
def test_sqlite_commits_last_through_a_power_cut_and_references_are_kept(engine: Engine) -> None:
    database.upgrade(engine)
    for _ in range(2):  # with a new connection each time
        with engine.connect() as connection:
            asked = ("journal_mode", "synchronous", "foreign_keys")
            pragmas = {name: connection.execute(text(f"pragma {name}")).scalar() for name in asked}
        assert pragmas == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}
        engine.dispose()
    with pytest.raises(IntegrityError, match="FOREIGN KEY"), engine.begin() as connection:
        connection.execute(
            text("insert into ply (match, number, seat, text, played) values (7, 1, 0, 'x', '2007-01-01 00:00:00')")
        )
