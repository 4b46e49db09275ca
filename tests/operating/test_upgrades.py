"""Upgrades from the tables of every earlier version, with matches in them that are being played."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import Engine

from pbem.storage import database
from tests.operating.matches import NextMove, in_play
from tests.operating.site import Site, rows
from tests.operating.test_backup import place, restore

LASTING = {
    "player": "id, name, address, epoch",
    "match": "id, game, options, seat0, seat1, challenger, state",
    "ply": "match, number, seat, text, incoming",
    "incoming": "id, size, source, state",
    "outgoing": "id, message_id, template, match, ply, player, address, state",
}
"""What has been there from the first version on, and must be the same in all of them."""


def lasting(engine: Engine) -> dict[str, list[Any]]:
    return {
        table: rows(engine, f'select {columns} from "{table}" order by id') for table, columns in LASTING.items()
    } | {"rawmessage": rows(engine, "select incoming, raw from rawmessage order by incoming")}


def played(site: Site) -> list[NextMove]:
    """Play some turns by email, and return the ones that come next."""
    with site.server() as server:
        moves = in_play(server, 4, lambda match: 3 * match)
    site.drop(*(move.raw for move in moves[:3]))
    assert site.run_once()[:2] == [3, 3]
    return moves


@pytest.fixture
def downgrade(site: Site) -> Callable[[Engine, str], None]:
    """Return a function that makes the tables those of an earlier version, with what they can have of the rows."""

    def make(engine: Engine, revision: str) -> None:
        config = Config()
        config.set_main_option("script_location", str(database.MIGRATIONS))
        config.set_main_option("sqlalchemy.url", site.database.replace("%", "%%"))
        command.downgrade(config, revision)

    return make


@pytest.mark.sql
@pytest.mark.slow
@pytest.mark.parametrize("revision", database.revisions()[:-1])
def test_matches_go_on_after_an_upgrade_from_any_version(
    site: Site, downgrade: Callable[[Engine, str], None], revision: str
) -> None:
    moves = played(site)
    engine = database.connect(site.database)
    before = lasting(engine)
    downgrade(engine, revision)
    done = site.pbem("check")
    assert done.code == 2
    assert "was made by an older version of pbem" in done.err
    assert site.run_once()[1:] == [0, 0], "run upgrades it"
    assert lasting(engine) == before
    done = site.pbem("check")
    assert done.code == 0, done.said
    assert "4 matches replayed, 0 problems" in done.out
    site.drop(moves[3].raw)
    assert site.run_once()[:2] == [1, 1]
    match, number, text = rows(engine, "select match, number, text from ply order by id desc limit 1")[0]
    assert (match, number, text) == (moves[3].match, moves[3].ply, moves[3].text)
    engine.dispose()


@pytest.mark.sql
@pytest.mark.slow
def test_an_upgrade_tells_how_far_it_is(site: Site, downgrade: Callable[[Engine, str], None]) -> None:
    engine = database.connect(site.database)
    first, second, third = database.revisions()[-3:]
    downgrade(engine, first)
    told: list[tuple[str, int, int]] = []
    database.upgrade(engine, lambda *step: told.append(step))
    assert told == [
        (f"upgrading the tables to version {second}", 0, 2),
        (f"upgrading the tables to version {third}", 1, 2),
    ]
    database.upgrade(engine, lambda *step: told.append(step))
    assert len(told) == 2, "nothing is left to do"
    downgrade(engine, first)
    log = [json.loads(line) for line in site.pbem("run", "--once").err.splitlines()]
    assert [line["steps"] for line in log if line["event"] == "upgrading the tables"] == [2]
    engine.dispose()


@pytest.mark.sql
@pytest.mark.slow
def test_what_messages_say_moves_to_its_own_table(site: Site, downgrade: Callable[[Engine, str], None]) -> None:
    played(site)
    engine = database.connect(site.database)
    contents = "select outgoing, cast(payload as text), cast(facts as text) from outgoingcontent order by outgoing"
    shown = "select id, cast(plies as text) from outgoing order by id"
    kept, removed = rows(engine, "select id from outgoing order by id")[:2]
    with engine.begin() as connection:
        connection.exec_driver_sql(f"delete from outgoingcontent where outgoing = {removed}")
        connection.exec_driver_sql(f"update outgoing set removed = created where id = {removed}")
        connection.exec_driver_sql(f"""update outgoing set plies = '{{"3":7}}' where id in ({kept}, {removed})""")
        connection.exec_driver_sql(
            f"""update outgoingcontent set payload = '{{"plies":{{"3":7}}}}' where outgoing = {kept}"""
        )
    before = (rows(engine, contents), rows(engine, shown))
    downgrade(engine, "0047")
    left = rows(engine, f"select cast(payload as text), cast(facts as text) from outgoing where id = {removed}")
    assert left == [('{"removed": true, "plies": {"3":7}}', None)]
    assert site.run_once()[1:] == [0, 0]
    assert (rows(engine, contents), rows(engine, shown)) == before
    assert len(before[0]) == len(before[1]) - 1 > 1
    engine.dispose()


@pytest.mark.sql
@pytest.mark.slow
def test_what_can_not_be_sent_any_more_is_dropped(site: Site, downgrade: Callable[[Engine, str], None]) -> None:
    """Earlier versions suspended messages that bounced, and tried to send them, after what they said was removed."""
    move = played(site)[3]
    engine = database.connect(site.database)
    (player,) = rows(engine, f"select id from player where address = '{move.sender}'")
    suspended, failed = rows(engine, "select id from outgoing order by id")[:2]
    with engine.begin() as connection:
        connection.exec_driver_sql(f"update player set bounces = 3, unreachable = created where id = {player}")
        for number, state in ((suspended, "suspended"), (failed, "failed")):
            connection.exec_driver_sql(
                f"update outgoing set state = '{state}', player = {player}, removed = created where id = {number}"
            )
            connection.exec_driver_sql(f"delete from outgoingcontent where outgoing = {number}")
    downgrade(engine, "0047")
    site.drop(move.raw)
    assert site.run_once() == [1, 1, 2]
    states = f"select id, state from outgoing where id in ({suspended}, {failed}) order by id"
    assert rows(engine, states) == [(suspended, "dropped"), (failed, "failed")]
    assert rows(engine, "select count(*) from outgoing where state = 'owed'") == [0]
    done = site.pbem("retry", "--out", f"{failed}")
    assert done.code == 1
    assert f"what message {failed} said has been removed, so it was dropped" in done.err
    assert rows(engine, states)[1] == (failed, "dropped")
    assert site.pbem("shunted").code == 0
    engine.dispose()


@pytest.mark.sql
@pytest.mark.slow
def test_a_backup_of_an_older_version_is_upgraded_when_it_is_restored(
    site: Site, downgrade: Callable[[Engine, str], None], tmp_path: Path
) -> None:
    played(site)
    engine = database.connect(site.database)
    before = lasting(engine)
    downgrade(engine, "0023")
    assert site.pbem("backup", str(tmp_path / "all.tar")).code == 0
    assert rows(engine, "select version_num from alembic_version") == ["0023"]
    engine.dispose()
    other = place(site, tmp_path / "other")
    done = restore(other, tmp_path / "all.tar")
    assert done.code == 0, done.said
    assert "tables of version 0023" in done.out
    engine = database.connect(other.database)
    assert lasting(engine) == before
    engine.dispose()


@pytest.mark.parametrize("words", [("run", "--once"), ("init",), ("check",), ("show", "1"), ("feed", "-")])
def test_tables_of_a_later_version_are_left_alone(site: Site, words: tuple[str, ...]) -> None:
    """There is no way back but the backup."""
    site.rows("update alembic_version set version_num = '9999'")
    done = site.pbem(*words, stdin=b"From: a@b.example\n\nx\n")
    assert done.code == 2
    assert done.err.startswith("pbem: the database was made by another version of pbem"), done.err
    assert "9999" in done.err
    assert site.rows("select version_num from alembic_version") == ["9999"]
