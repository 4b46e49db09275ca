"""The migrations make the tables that the models describe, and SQLite is opened so that commits last."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, inspect, text
from sqlalchemy.exc import IntegrityError
from sqlmodel import SQLModel

from pbem.storage import database, models
from tests import databases


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    engine = database.connect(databases.empty(tmp_path))
    yield engine
    engine.dispose()


def alembic(engine: Engine) -> Config:
    config = Config()
    config.set_main_option("script_location", str(database.MIGRATIONS))
    config.set_main_option("sqlalchemy.url", engine.url.render_as_string(hide_password=False).replace("%", "%%"))
    return config


def schema(engine: Engine) -> dict[str, str]:
    """Every table with its columns, keys and indexes."""
    inspector = inspect(engine)
    ask = (
        inspector.get_columns,
        inspector.get_pk_constraint,
        inspector.get_foreign_keys,
        inspector.get_unique_constraints,
        inspector.get_indexes,
    )
    return {table: "\n".join(repr(about(table)) for about in ask) for table in inspector.get_table_names()}


def test_the_migrations_make_exactly_the_tables_of_the_models(engine: Engine) -> None:
    database.upgrade(engine)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, SQLModel.metadata) == []
    assert {models.Match.__tablename__, "alembic_version"} < set(inspect(engine).get_table_names())


def test_there_is_one_line_of_migrations(engine: Engine) -> None:
    assert len(ScriptDirectory.from_config(alembic(engine)).get_heads()) == 1


def test_upgrading_an_up_to_date_database_changes_nothing(engine: Engine, tmp_path: Path) -> None:
    database.upgrade(engine)
    before = schema(engine)
    with engine.begin() as connection:
        connection.execute(
            text("insert into player (name, address, epoch, created) values ('ann', 'a@b', 0, '2007-01-01 00:00:00')")
        )
    database.upgrade(engine)
    assert schema(engine) == before
    with engine.connect() as connection:
        assert connection.execute(text("select name from player")).scalars().all() == ["ann"]


def test_a_downgrade_takes_every_table_and_an_upgrade_brings_them_back(engine: Engine) -> None:
    database.upgrade(engine)
    before = schema(engine)
    command.downgrade(alembic(engine), "base")
    assert inspect(engine).get_table_names() == ["alembic_version"]
    command.upgrade(alembic(engine), "head")
    assert schema(engine) == before


def test_a_failing_upgrade_leaves_the_database_as_it_was(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(text("create table ply (something text)"))  # the last table that the migration makes
    with pytest.raises(Exception, match="already exists"):
        database.upgrade(engine)
    assert "match" not in inspect(engine).get_table_names()


@pytest.mark.own_database
def test_sqlite_commits_last_through_a_power_cut_and_references_are_kept(engine: Engine) -> None:
    database.upgrade(engine)
    for _ in range(2):  # every connection anew
        with engine.connect() as connection:
            asked = ("journal_mode", "synchronous", "foreign_keys")
            pragmas = {name: connection.execute(text(f"pragma {name}")).scalar() for name in asked}
        assert pragmas == {"journal_mode": "wal", "synchronous": 2, "foreign_keys": 1}
        engine.dispose()
    with pytest.raises(IntegrityError, match="FOREIGN KEY"), engine.begin() as connection:
        connection.execute(
            text("insert into ply (match, number, seat, text, played) values (7, 1, 0, 'x', '2007-01-01 00:00:00')")
        )
