"""`pbem move`: a server on SQLite goes on with PostgreSQL, where it stopped."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from sqlmodel import SQLModel

from pbem.cli.setup import sqlite_to_postgresql
from pbem.mail.transports import receive_loop
from pbem.storage import database
from tests import databases, postgres
from tests.operating.places import filled
from tests.operating.site import Site
from tests.postgres import running

pytestmark = [
    pytest.mark.slow,
    pytest.mark.own_database,
    pytest.mark.skipif(databases.kind() != "sqlite", reason="it begins with SQLite"),
]


@pytest.fixture
def target() -> Iterator[str]:
    """Provide the URL of an empty PostgreSQL database."""
    url = running().database()
    yield url
    postgres.give_back(url)


def contents(url: str) -> dict[str, list[Any]]:
    engine = database.connect(url)
    try:
        with engine.connect() as connection:
            tables = SQLModel.metadata.sorted_tables
            return {
                table.name: [tuple(row) for row in connection.execute(select(table).order_by(*table.primary_key))]
                for table in tables
            }
    finally:
        engine.dispose()


def test_a_server_goes_on_where_it_stopped(site: Site, target: str) -> None:
    moves = filled(site)
    site.drop(moves[1].raw)
    assert site.run_once() == [1, 1, 2]
    site.rows("update outgoing set merged_into = (select max(id) from outgoing) where id = 1")
    site.drop(moves[2].raw)
    with site.server() as server:
        receive_loop.receive_once(server.inboxes[0], server.take)
    before = contents(site.database)

    done = site.pbem("move", site.database, target)

    assert done.code == 0, done.said
    assert contents(target) == before == contents(site.database)
    site.drop(moves[3].raw)
    assert site.run_once(PBEM_SERVER__DATABASE=target) == [1, 2, 4], "what waited, and what came since"
    after = contents(target)
    assert len(after["ply"]) == len(before["ply"]) + 2, "reply addresses of before prove who writes"
    assert site.pbem("check", PBEM_SERVER__DATABASE=target).code == 0


def test_a_move_that_ends_in_the_middle_leaves_no_row_and_can_be_made_again(site: Site, target: str) -> None:
    filled(site)
    old, new = database.connect(site.database), database.connect(target)

    def end(doing: str, done: int, total: int) -> None:
        if doing == "moving the database" and done > total / 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        sqlite_to_postgresql.copy_rows(old, new, end)
    assert not any(contents(target).values())
    sqlite_to_postgresql.copy_rows(old, new, lambda *_: None)
    assert contents(target) == contents(site.database)
    old.dispose()
    new.dispose()


def test_what_would_mix_two_servers_is_refused(site: Site, target: str, tmp_path: Path) -> None:
    filled(site)
    for words, sentence in (
        ((site.database, f"sqlite:///{tmp_path}/other.sqlite"), "a database is moved from sqlite:///"),
        ((target, site.database), "a database is moved from sqlite:///"),
        ((f"sqlite:///{tmp_path}/none.sqlite", target), "there is no database"),
    ):
        done = site.pbem("move", *words)
        assert (done.code, sentence in done.err) == (2, True), done.said
    with database.alone(site.database):
        assert "another daemon" in site.pbem("move", site.database, target).err
    site.rows("create table other (id integer)")
    assert "tables that this version doesn't know: other" in site.pbem("move", site.database, target).err
    site.rows("drop table other")
    assert site.pbem("move", site.database, target).code == 0
    assert "there are rows in the database already, in " in site.pbem("move", site.database, target).err
