"""The migrations create the tables that the models describe, and SQLite is opened so that commits are durable."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, event, inspect, text
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, SQLModel, select

from pbem.config import LimitsSettings, ServerSettings
from pbem.errors import Refused
from pbem.players import invitations
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
    """Return every table with its columns, keys and indexes."""
    inspector = inspect(engine)
    ask = (
        inspector.get_columns,
        inspector.get_pk_constraint,
        inspector.get_foreign_keys,
        inspector.get_unique_constraints,
        inspector.get_indexes,
    )

    def shown(told: object) -> object:
        """Return the value with conditions of indexes as text, since they are different objects each time."""
        if isinstance(told, dict):
            return {key: shown(value) for key, value in told.items()}
        return [shown(each) for each in told] if isinstance(told, list) else str(told)

    return {table: "\n".join(repr(shown(about(table))) for about in ask) for table in inspector.get_table_names()}


@pytest.mark.slow
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


def test_the_models_make_the_same_indexes_as_the_migrations(engine: Engine) -> None:
    """With the same conditions, which each database gets in its own words."""
    database.upgrade(engine)
    migrated = indexes(engine)
    with engine.begin() as connection:
        SQLModel.metadata.drop_all(connection)
    SQLModel.metadata.create_all(engine)
    assert indexes(engine) == migrated
    assert sum(" IS NOT NULL" in shown for shown in migrated.values()) > 10


def indexes(engine: Engine) -> dict[str, str]:
    """Return each index with its columns and its condition."""
    inspector = inspect(engine)
    found = [index for table in SQLModel.metadata.tables for index in inspector.get_indexes(table)]
    return {str(index["name"]): repr((index["column_names"], _condition(index))) for index in found}


def _condition(index: Any) -> str:
    options = index.get("dialect_options", {})
    return " ".join(str(value) for key, value in options.items() if key.endswith("_where"))


def test_there_is_one_line_of_migrations(engine: Engine) -> None:
    assert ScriptDirectory.from_config(alembic(engine)).get_heads() == [database.newest_revision()]


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


TABLES = ("player", "match", "incoming", "outgoing", "ply")
ROWS = """
insert into player (id, name, address, epoch, created)
 values (1, 'a', 'a@b', 0, '2026-01-01'), (2, 'b', 'b@b', 0, '2026-01-01');
insert into match (id, game, options, seat0, seat1, challenger, state, created)
 values (1, 'quadraphages', '{}', 1, 2, 1, 'running', '2026-01-01');
insert into incoming (id, key, raw, size, source, recipients, state, player, received)
 values (1, 'k', '', 0, 'imap', '[]', 'done', 1, '2026-01-01');
insert into outgoing (id, message_id, template, payload, match, ply, player, epoch, token_subject, address, incoming,
 "references", state, merged_into, attempts, due, created)
 values (1, '1', 'digest', '{}', 1, 1, 1, 0, 0, 'a@b', 1, '[]', 'sent', null, 1, '2026-01-01', '2026-01-01'),
 (2, '2', 'turn', '{}', 1, 1, 1, 0, 0, 'a@b', 1, '[]', 'merged', 1, 0, '2026-01-01', '2026-01-01');
insert into ply (match, number, seat, text, incoming, played) values (1, 1, 0, 'x', 1, '2026-01-01')
"""
"""Rows that refer to each other, which makes their deletion difficult in SQLite."""


@pytest.mark.slow
def test_a_downgrade_takes_every_table_and_an_upgrade_brings_them_back(engine: Engine) -> None:
    command.upgrade(alembic(engine), "0023")
    with engine.begin() as connection:
        for statement in ROWS.split(";\n"):
            connection.execute(text(statement))
        connection.execute(text("update incoming set raw = :raw"), {"raw": b"\0A"})
    database.upgrade(engine)
    before = schema(engine)
    with engine.connect() as connection:
        assert connection.execute(text("select incoming, raw from rawmessage")).all() == [(1, b"\0A")]
    command.downgrade(alembic(engine), "0001")
    with engine.connect() as connection:
        assert connection.execute(text("select raw from incoming")).all() == [(b"\0A",)]
        counts = [connection.execute(text(f"select count(*) from {table}")).scalar() for table in TABLES]
    assert counts == [2, 1, 1, 2, 1]
    command.downgrade(alembic(engine), "base")
    assert inspect(engine).get_table_names() == ["alembic_version"]
    command.upgrade(alembic(engine), "head")
    assert schema(engine) == before


OLD_ROWS = """
update player set stopped = '2026-01-01' where id = 2;
insert into player (id, name, address, epoch, created) values (3, 'c', 'c@b', 0, '2026-01-01');
update incoming set player = null, raw = 'x', verdict = 'confirmed; done: join';
insert into incoming (id, key, raw, size, source, recipients, state, player, received)
 values (2, 'l', '', 0, 'imap', '[]', 'done', 1, '2026-01-01');
insert into outgoing (id, message_id, template, payload, match, ply, player, epoch, token_subject, address, incoming,
 "references", state, error, attempts, due, created)
 values (3, '3', 'confirm', '{}', null, 0, 1, 0, 0, 'a@b', 1, '[]', 'sent', null, 1, '2026-01-01', '2026-01-01'),
 (4, '4', 'answer', '{"sections": [{"player": "c", "rows": [{"opponent": "b", "title": "a"}]}]}',
 null, 0, 1, 0, 0, 'a@b', 1, '[]', 'sent', null, 1, '2026-01-01', '2026-01-01'),
 (5, '5', 'turn', '{"by": "b"}', 1, 1, 1, 0, 0, 'a@b', 1, '[]', 'failed', '550', 1, '2026-01-01', '2026-01-01'),
 (6, '6', 'turn', '{"removed": true}', 1, 1, 2, 0, 0, 'b@b', 1, '[]', 'sent', null, 1, '2026-01-01', '2026-01-01'),
 (7, '7', 'turn', '{"by": "a"}', 1, 1, 2, 0, 0, 'b@b', 1, '[]', 'batched', null, 0, '2026-01-01', '2026-01-01')
"""


def test_old_messages_learn_whom_they_name_and_what_they_wait_for(engine: Engine) -> None:
    command.upgrade(alembic(engine), "0013")
    with engine.begin() as connection:
        for statement in (*ROWS.split(";\n"), *OLD_ROWS.split(";\n")):
            connection.exec_driver_sql(statement)
    database.upgrade(engine)
    with engine.connect() as connection:

        def rows(asked: str) -> list[tuple[object, ...]]:
            return [tuple(row) for row in connection.execute(text(asked))]

        assert rows("select outgoing, player from mention order by outgoing, player") == [(4, 2), (4, 3)]
        assert rows("select id, state, removed is null, troubled is null from outgoing where id > 4 order by id") == [
            (5, "failed", True, False),
            (6, "sent", False, True),
            (7, "paused", True, True),
        ]
        assert rows("select id, player, removed is null from incoming order by id") == [(1, 1, True), (2, 1, False)]


def test_a_failing_upgrade_leaves_the_database_as_it_was(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(text("create table ply (something text)"))  # the last table that the migration creates
    with pytest.raises(Exception, match="already exists"):
        database.upgrade(engine)
    assert "match" not in inspect(engine).get_table_names()


TURNS = ("1 a7b7 i3i2", "c1d1 g9h9 2 d1f1 h9h7", "b7b5 i2i4 1 b5b4 i4i5")


def old_matches(engine: Engine, number: int) -> None:
    """Create matches as the version before stored them: offered, running after 0 to 3 turns, and over."""
    command.upgrade(alembic(engine), "0008")
    stamp = "'2026-01-01 00:00:00'"
    with engine.begin() as connection:
        connection.execute(
            text(
                "insert into player (id, name, address, epoch, created)"
                f" values (1, 'a', 'a@b', 0, {stamp}), (2, 'b', 'b@b', 0, {stamp})"
            )
        )
        states = ["offered", *["running"] * (number - 2), "over"]
        rows = [{"id": at, "state": state, "turns": at % 4} for at, state in enumerate(states, start=1)]
        connection.execute(
            text(
                "insert into match (id, game, options, seat0, seat1, challenger, state, created)"
                f" values (:id, 'quadraphages', '{{}}', 1, 2, 1, :state, {stamp})"
            ),
            rows,
        )
        plies = [
            {"match": row["id"], "number": turn, "text": TURNS[turn - 1], "seat": (turn - 1) % 2}
            for row in rows
            for turn in range(1, 1 + (0 if row["state"] == "offered" else int(str(row["turns"]))))
        ]
        connection.execute(
            text(
                f"insert into ply (match, number, seat, text, played) values (:match, :number, :seat, :text, {stamp})"
            ),
            plies,
        )


@pytest.mark.slow
def test_old_matches_learn_whose_turn_it_is(engine: Engine) -> None:
    old_matches(engine, 1100)  # more than two batches
    with engine.begin() as connection:
        connection.execute(text("update ply set text = 'nonsense' where match = 6"))
    database.upgrade(engine)
    with engine.connect() as connection:
        found = connection.execute(text("select id, plies, to_move from match order by id")).all()
    assert [tuple(row) for row in found[:8]] == [
        (1, 0, None),  # on offer
        (2, 2, 0),
        (3, 3, 1),
        (4, 0, 0),
        (5, 1, 1),
        (6, 2, None),  # doesn't replay
        (7, 3, 1),
        (8, 0, 0),
    ]
    assert tuple(found[-1]) == (1100, 0, None)  # over
    assert all(to_move == plies % 2 for number, plies, to_move in found[6:-1])


@pytest.mark.slow
def test_an_upgrade_that_ends_amid_the_old_matches_is_begun_again(engine: Engine) -> None:
    old_matches(engine, 600)
    before, batches = schema(engine), []

    def die(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if "SET to_move=" in statement:
            batches.append(statement)
            if len(batches) == 2:
                raise KeyboardInterrupt

    event.listen(engine, "before_cursor_execute", die)
    with pytest.raises(KeyboardInterrupt):
        database.upgrade(engine)
    event.remove(engine, "before_cursor_execute", die)
    assert schema(engine) == before
    database.upgrade(engine)
    with engine.connect() as connection:
        assert connection.execute(text("select count(*) from match where to_move is not null")).scalar() == 598


@pytest.mark.slow
def test_the_sentences_of_old_matches_become_terminations(engine: Engine) -> None:
    old_matches(engine, 6)
    command.upgrade(alembic(engine), "0009")
    ends = [(1, 0, "b resigned"), (2, 1, "a left"), (3, 0, "a left"), (4, 1, "no stones left"), (5, None, "39 to 39")]
    with engine.begin() as connection:
        for number, winner, reason in ends:
            connection.execute(
                text("update match set state = 'over', winner = :winner, reason = :reason where id = :id"),
                {"id": number, "winner": winner, "reason": reason},
            )
        connection.execute(text("update match set state = 'running' where id = 6"))
    database.upgrade(engine)
    asked = "select winner, termination, termination_seat, reason from match order by id"
    with engine.connect() as connection:
        found = [tuple(row) for row in connection.execute(text(asked))]
    assert found == [
        (0, "resignation", 1, None),
        (1, "left", 0, None),
        (0, "rules", None, "a left"),  # the loser has another name, so the words aren't ours
        (1, "rules", None, "no stones left"),
        (None, "rules", None, "39 to 39"),
        (None, None, None, None),
    ]
    command.downgrade(alembic(engine), "0009")
    with engine.connect() as connection:
        reasons = connection.execute(text("select reason from match order by id")).scalars().all()
    assert reasons == [*(reason for *_, reason in ends), None]


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


def test_whoever_was_invited_before_is_not_invited_again_at_once(engine: Engine) -> None:
    command.upgrade(alembic(engine), "0014")
    day = "'2026-01-01 00:00:00'"
    with engine.begin() as connection:
        for number, address in enumerate(("Nora+games@mail.example", "nora@mail.example")):
            connection.execute(
                text(
                    'insert into outgoing (message_id, template, payload, address, "references", due, created, ply, '
                    "epoch, token_subject, is_notice, state, attempts, delivery_starts) values "
                    f"('{number}', 'invitation', '{{}}', '{address}', '[]', {day}, {day}, 0, 0, 0, false, 'sent', 1, 0)"
                )
            )
    database.upgrade(engine)
    server, limits = ServerSettings(address="games@pbem.example"), LimitsSettings()
    with Session(engine) as session:
        (invited,) = session.exec(select(models.Invitee)).all()
        assert invited.invited == datetime(2026, 1, 1, tzinfo=UTC)
        with pytest.raises(Refused, match="someone did before"):
            invitations.remember(session, "nora@mail.example", limits, server, datetime(2026, 2, 1, tzinfo=UTC))
