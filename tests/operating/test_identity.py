"""Whose database it is, with which key and by which clock: set-ups that would harm its players are refused.

Each row is a set-up that is really broken, with a player in the database, and the sentence that says so. Nothing is
changed by it.
"""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from pbem.config.server_and_small_tables import SHORTEST_KEY
from pbem.storage.utc import now
from tests.operating.matches import in_play
from tests.operating.site import KEY, Site
from tests.postgres import Postgres

RESTORE = "restore that key (backups with secrets have it as secrets/server.key). If it is lost or has leaked,"
WRONG = (
    f"{{folder}}/pbem.key isn't the key of this database, with which its players' reply addresses are signed: {RESTORE}"
)
MISSING = "there is no key in {folder}/pbem.key, and the database has players: restore the key with which"
MOUNTED = 'is its disk mounted? For a new server, "pbem init" makes it'
FOREIGN = (
    "the database belongs to another program: it has the tables album, photo. Give pbem a file, or a schema, of its"
)
SHORT = f"server.key: the key has 1 of at least {SHORTEST_KEY} characters, so it can be guessed: restore the one that"
RUN, INIT, CHECK, STATUS = ("run", "--once"), ("init",), ("check",), ("status",)


def with_player(site: Site) -> None:
    """Start the server once, and have two players join."""
    with site.server() as server:
        in_play(server, 1, lambda _: 0)


def content(folder: Path) -> dict[str, bytes]:
    """Return all files but the lock, which says who ran last."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file() and path.suffix != ".lock"}


def key(text: str) -> Callable[[Site], None]:
    return lambda site: (site.folder / "pbem.key").write_text(text, encoding="ascii") and None


def remove(name: str) -> Callable[[Site], None]:
    return lambda site: (site.folder / name).unlink()


def empty(site: Site) -> None:
    (site.folder / "pbem.sqlite").write_bytes(b"")


def without_tables(site: Site) -> None:
    """Leave a database in which SQLite has written no more than its header."""
    (site.folder / "pbem.sqlite").unlink()
    with closing(sqlite3.connect(site.folder / "pbem.sqlite")) as connection:
        connection.execute("pragma journal_mode=wal")


def foreign(site: Site, mode: str = "delete") -> None:
    (site.folder / "pbem.sqlite").unlink()
    with closing(sqlite3.connect(site.folder / "pbem.sqlite")) as connection:
        connection.execute(f"pragma journal_mode={mode}")
        connection.executescript("create table photo (id); create table album (id)")


def foreign_version(site: Site) -> None:
    site.rows("update alembic_version set version_num = 'ae1027a6acf'")


def not_a_database(site: Site) -> None:
    (site.folder / "pbem.sqlite").write_text("hello\n" * 1000, encoding="ascii")


NO_DATABASE = f"there is no database {{folder}}/pbem.sqlite: {MOUNTED}"
EMPTY = f"the database {{folder}}/pbem.sqlite is empty: {MOUNTED}"


@pytest.mark.own_database
@pytest.mark.parametrize(("break_it", "words", "sentence"), [
    (remove("pbem.sqlite"), (RUN, CHECK, STATUS), NO_DATABASE),
    (empty, (RUN, CHECK, STATUS), EMPTY),
    (without_tables, (RUN, CHECK, STATUS), EMPTY),
    (remove("pbem.key"), (INIT,), MISSING),
    (remove("pbem.key"), (RUN,), "server.key: the secret in {folder}/pbem.key can't be read: No such file"),
    (key("the key of another server\n"), (RUN, INIT, CHECK), WRONG),
    (key("x\n"), (RUN, INIT, CHECK), SHORT),
    (key("\n"), (RUN, INIT, CHECK), "the secret from {folder}/pbem.key is empty"),
    (foreign, (RUN, INIT, CHECK, STATUS), FOREIGN),
    (lambda site: foreign(site, "wal"), (RUN, INIT, CHECK, STATUS), FOREIGN),
    (foreign_version, (RUN, INIT, CHECK, STATUS), "another program: it has tables of version ae1027a6acf. Give pbem a"),
    (not_a_database, (RUN, INIT, CHECK, STATUS), "file is not a database. Correct database in [server], or restore a"),
])  # fmt: skip
def test_what_would_forget_the_players_is_refused(
    site: Site, break_it: Callable[[Site], None], words: tuple[tuple[str, ...], ...], sentence: str
) -> None:
    with_player(site)
    break_it(site)
    before = content(site.folder)
    for command in (*words, ("doctor",)):
        done = site.process(*command)
        assert done.code == (1 if command == ("doctor",) else 2), done.said
        if command != ("doctor",):
            assert sentence.format(folder=site.folder) in done.err
            assert done.out == ""
    assert content(site.folder) == before


def test_a_key_is_replaced_on_purpose_only(site: Site) -> None:
    with_player(site)
    assert "is the key of this database already: move it away" in site.pbem("init", "--new-key").err
    before = site.personal("x0")
    (site.folder / "pbem.key").unlink()
    assert "wrote the server's key" in site.pbem("init", "--new-key").out
    assert site.run_once() == [0, 0, 0]
    assert site.personal("x0") != before
    key(KEY)(site)
    assert "isn't the key of this database" in site.pbem("run", "--once").err


def test_a_database_that_knows_no_key_takes_the_one_that_it_is_first_run_with(site: Site) -> None:
    with_player(site)
    site.rows("delete from serverkey")
    (site.folder / "pbem.key").rename(site.folder / "moved")
    assert "and the database has players" in site.pbem("init").err
    (site.folder / "moved").rename(site.folder / "pbem.key")
    assert site.run_once() == [0, 0, 0]
    assert len(site.rows("select fingerprint from serverkey")) == 1
    key("the key of another server\n")(site)
    assert "isn't the key of this database" in site.pbem("run", "--once").err


# The clock


@pytest.mark.parametrize(
    ("away", "sentence"), [(timedelta(minutes=10), "10 minutes before"), (-timedelta(days=400), "400 days after")]
)
def test_no_server_starts_by_a_clock_that_must_be_wrong(site: Site, away: timedelta, sentence: str) -> None:
    assert site.run_once() == [0, 0, 0]
    site.rows("update clock set beat = :beat", beat=f"{now() + away + timedelta(seconds=20):%Y-%m-%d %H:%M:%S}")
    done = site.pbem("run", "--once")
    assert done.code == 2
    assert f"{sentence} a server last ran here; set it. If it is right," in done.err
    assert site.pbem("run", "--once", "--clock-is-right").code == 0
    assert site.run_once() == [0, 0, 0]


# PostgreSQL


@pytest.mark.slow
def test_postgresql_is_guarded_as_well(site: Site, postgres: Postgres) -> None:
    site.database = postgres.database()
    site.configure()
    schema = site.database.rpartition("%3D")[2]
    assert f"there are no tables in the schema {schema} of the database: {MOUNTED}" in site.pbem(*RUN).err
    for table in ("album", "photo"):
        site.rows(f"create table {table} (id int)")
    for words in (RUN, INIT):
        done = site.pbem(*words)
        assert (done.code, done.out) == (2, "")
        assert FOREIGN in done.err
