"""The database: opening it safely, bringing its tables up to date, and one transaction at a time."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import ColumnElement, Connection, Engine, create_engine, event, func, literal, make_url, select
from sqlalchemy.exc import ArgumentError
from sqlmodel import Session

MIGRATIONS = Path(__file__).parent / "migrations"
BUSY_SECONDS = 30
_REACHING = {"connect_timeout": 10, "keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}
"""How PostgreSQL is reached: one that is gone is noticed after a minute, and not after hours."""


class InUse(Exception):
    """Another daemon works on this database."""


class Unusable(Exception):
    """A database that can't be worked with, and why."""


def connect(url: str) -> Engine:
    """An engine for any SQLAlchemy URL; SQLite gets a write-ahead log and syncs at every commit. Raises Unusable.

    What SQLite removes it overwrites, so that it is not to be found in the file either.
    """
    try:
        backend = make_url(url).get_backend_name()
        if backend != "sqlite":
            reaching = _REACHING if backend == "postgresql" else {}
            return create_engine(url, pool_pre_ping=True, hide_parameters=True, connect_args=reaching)
    except ModuleNotFoundError as error:
        raise Unusable(
            f"the database's driver {error.name} is not installed (for PostgreSQL: pbem[postgres])"
        ) from error
    except ArgumentError as error:  # never the URL itself, which may hold a password
        raise Unusable("server.database can't be used: it is no SQLAlchemy URL of a database known here") from error
    engine = create_engine(
        url, hide_parameters=True, connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False}
    )

    @event.listens_for(engine, "connect")
    def prepare(connection: Any, _record: object) -> None:
        connection.isolation_level = None  # the driver would begin its transactions late
        cursor = connection.cursor()
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
            cursor.execute(f"PRAGMA {pragma}")
        cursor.close()

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # Taking the write lock at once: a transaction that reads first and writes later would
        # otherwise fail when another one has written in between.
        connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


@contextmanager
def transaction(engine: Engine) -> Iterator[Session]:
    """A session whose work is committed at the end, or rolled back when an exception passes."""
    with Session(engine, expire_on_commit=False) as session, session.begin():
        yield session


def lock_key(what: ColumnElement[str]) -> ColumnElement[int]:
    """The key of PostgreSQL's advisory lock on it; a database has one set of them for all its schemas."""
    key: ColumnElement[int] = func.hashtextextended(func.concat(func.current_schema(), " ", what), 0)
    return key


def exclude_others(connection: Connection, what: str) -> None:
    """Wait until nobody else is at it, on PostgreSQL, and let nobody else until the transaction ends.

    On SQLite every transaction is alone from its beginning.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(lock_key(literal(what)))))


def _alembic(url: str) -> Config:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    config.set_main_option("sqlalchemy.url", url.replace("%", "%%"))
    return config


def upgrade(engine: Engine) -> None:
    """Bring the tables up to date, from nothing or from any earlier version; raises Unusable for a later one."""
    config = _alembic(str(engine.url))
    with engine.begin() as connection:
        exclude_others(connection, "upgrade")
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError as error:
            raise Unusable(f"the database was made by another version of pbem: {error}") from error


def is_current(engine: Engine) -> bool:
    """Whether the tables are those of this version."""
    head = ScriptDirectory.from_config(_alembic(str(engine.url))).get_current_head()
    with engine.connect() as connection:
        return MigrationContext.configure(connection).get_current_revision() == head


@contextmanager
def alone(url: str) -> Iterator[None]:
    """Hold the one daemon's place on a SQLite database; raises InUse. Other databases take several.

    The lock is the operating system's on a file beside the database, so a crash frees it.
    """
    parsed = make_url(url)
    if parsed.get_backend_name() != "sqlite" or not parsed.database or parsed.database == ":memory:":
        yield
        return
    path = Path(f"{parsed.database}.lock")
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+", encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            file.seek(0)
            raise InUse(
                f"another daemon (process {file.read().strip() or 'unknown'}) works on {parsed.database}"
            ) from error
        file.truncate(0)
        file.write(f"{os.getpid()}\n")
        file.flush()
        yield
