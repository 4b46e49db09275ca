"""The database: connecting to it, upgrading its tables, and the two kinds of transaction, reading and writing.

Statements that each message runs are constants of their modules, with a `bindparam` for each value: to build one takes
longer than to run it. One that reads columns is run by `session.connection()`, at half of what the session takes for
it; unlike that, it doesn't write the session's pending changes first.
"""

import fcntl
import os
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import IO, Any, TypeVar

from sqlalchemy import URL, Connection, Engine, create_engine, event, func, inspect, literal, make_url, select, text
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, IntegrityError, ProgrammingError
from sqlalchemy.sql.dml import ReturningInsert
from sqlmodel import Session, SQLModel

from pbem.storage import leases, sqlite

MIGRATIONS = Path(__file__).parent / "migrations"
Progress = Callable[[str, int, int], None]  # called with (step, done, total); may raise to cancel
_Row = TypeVar("_Row")
_NO_URL = "server.database can't be used: it is not the SQLAlchemy URL of a supported database"
"""Without the URL itself, which may contain a password."""
_BEFORE_FIRST, _FORMER = "1.0020", "1.0011"
"""Of the revisions before the tables started again at 0001, those with a step to them: the last one, and one more."""
_FOREIGN = "the database belongs to another program: it has {}. Give pbem a file, or a schema, of its own"
_VERSION = "alembic_version"
_READER = "pbem_reader"
_REACHING = {"connect_timeout": 10, "keepalives_idle": 30, "keepalives_interval": 10, "keepalives_count": 3}
"""Connection parameters that make a lost PostgreSQL server known after a minute instead of hours."""


class InUse(Exception):
    """Another daemon is running on this database."""


class Unusable(Exception):
    """A database that can't be used, and why."""


class Outdated(Unusable):
    """A database whose tables belong to an older or newer version of pbem."""


def connect(url: str) -> Engine:
    """Return an engine for the URL of an SQLite or PostgreSQL database. Raises Unusable."""
    if _parsed(url).get_backend_name() == "sqlite":
        return sqlite.connect(url, _require_none)
    try:
        engine = create_engine(url, pool_pre_ping=True, hide_parameters=True, connect_args=_REACHING)
    except ImportError as error:
        driver = "install it (for PostgreSQL: pbem[postgres])"
        raise Unusable(f"the database's driver can't be loaded, {error}: {driver}") from error
    except ArgumentError as error:
        raise Unusable(_NO_URL) from error
    event.listen(engine, "connect", _set_session)
    return engine


@contextmanager
def opened(url: str) -> Iterator[Engine]:
    """Provide an engine for that URL, and close its connections at the end. Raises Unusable."""
    engine = connect(url)
    try:
        yield engine
    finally:
        engine.dispose()


def _set_session(connection: Any, _record: object) -> None:
    """Set what we rely on, whatever a role has: sums of times in a zone with summer time would be wrong by an hour."""
    connection.prepare_threshold = None  # statements that are prepared belong to a session, which a pooler may change
    connection.execute("SET TIME ZONE 'UTC'")
    connection.execute("SET DateStyle = 'ISO'")  # the driver reads no other
    connection.execute("SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE")
    connection.execute("SET idle_in_transaction_session_timeout = '10min'")  # a frozen process gives its rows back
    connection.commit()


def _parsed(url: str) -> URL:
    try:
        return make_url(url)
    except ArgumentError as error:
        raise Unusable(_NO_URL) from error


def is_bug(error: Exception) -> bool:
    """Return whether an exception is a mistake of ours, and not a database that fails."""
    return not isinstance(error, DBAPIError) or isinstance(error, DataError | IntegrityError | ProgrammingError)


@contextmanager
def transaction(engine: Engine, *, can_wait: bool = False) -> Iterator[Session]:
    """Provide a session for writing; commit at the end. One that can wait lets all others of this process go first.

    On SQLite it holds the only write lock, so nothing slow belongs inside: no parsing, rendering, drawing, DNS or SMTP.
    """
    with (
        sqlite.write_turn(engine, can_wait=can_wait),
        Session(engine, expire_on_commit=False) as session,
        session.begin(),
    ):
        yield session


@contextmanager
def writing(engine: Engine, *, can_wait: bool = False) -> Iterator[Connection]:
    """Provide a connection for writing, as `transaction` does, for what needs no session; it costs half as much."""
    with sqlite.write_turn(engine, can_wait=can_wait), engine.begin() as connection:
        yield connection


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    """Provide a connection that sees one state of the database, takes no lock, and costs half as much as a session."""
    with _reader(engine).connect() as connection:
        connection.begin()  # closing the connection ends it: there is nothing to commit
        yield connection


@contextmanager
def read_only(engine: Engine) -> Iterator[Session]:
    """Provide a session that sees one state of the database and can't change it; it takes no lock."""
    with reading(engine) as connection, Session(connection, expire_on_commit=False) as session:
        yield session


def _reader(engine: Engine) -> Engine:
    reader: Engine | None = engine.get_execution_options().get(_READER)
    if reader is None:
        if engine.dialect.name == "postgresql":
            reader = engine.execution_options(postgresql_readonly=True, isolation_level="REPEATABLE READ")
        else:
            reader = sqlite.reader(engine)
        engine.update_execution_options(**{_READER: reader})
    return reader


@cache
def insert_new(dialect: str, table: type[SQLModel], key: str) -> ReturningInsert[Any]:
    """Return the statement that adds a row and returns its id, or nothing if its key is there."""
    insert: Any = import_module(f"sqlalchemy.dialects.{dialect}").insert  # of the other dialect nothing is loaded
    identity = SQLModel.metadata.tables[str(table.__tablename__)].columns.id
    statement: ReturningInsert[Any] = insert(table).on_conflict_do_nothing(index_elements=[key]).returning(identity)
    return statement


def lock(session: Session, table: type[_Row], number: int) -> _Row | None:
    """Return a row as it is now, locked until the transaction ends; wait for others that hold it. None if it's gone."""
    if session.get_bind().dialect.name == "sqlite":  # where the transaction has the one lock from its beginning
        return session.get(table, number)
    return session.get(table, number, with_for_update=True, populate_existing=True)


def lock_if_free(session: Session, table: type[_Row], number: int) -> _Row | None:
    """Return a row, locked until the transaction ends; None if another transaction holds it, or if there is none."""
    return session.get(table, number, with_for_update={"skip_locked": True}, populate_existing=True)


def exclude_others(connection: Connection, name: str) -> None:
    """Acquire the lock of that name until the transaction ends; on SQLite each one that writes has the only lock."""
    if connection.dialect.name == "postgresql":
        key = func.hashtextextended(func.concat(func.current_schema(), " ", literal(name)), 0)
        connection.execute(select(func.pg_advisory_xact_lock(key)))


def upgrade(engine: Engine, progress: Progress = lambda *_: None) -> None:
    """Create the tables, or upgrade them. Raises Outdated for those that this version can't upgrade."""
    with engine.begin() as connection:
        exclude_others(connection, "upgrade")
        present = revision(connection)
        require_upgradable(present)
        if present is not None:  # a database that can't be written is best told at the start
            connection.execute(text("UPDATE alembic_version SET version_num = version_num"))
        if present != newest_revision():
            progress("upgrading the tables", 0, 1)
            _migrate(connection, present)


def require_upgradable(present: str | None) -> None:
    """Raise Outdated for a revision from which this version can't upgrade; None is an empty database."""
    if present is None or present in (_FORMER, _BEFORE_FIRST, *revisions()):
        return
    if present < _BEFORE_FIRST:  # the commit is the last one with all steps between the tables of before 0001
        raise Outdated(
            f"the database is at revision {present} of an early version: run pbem of commit 4a22f6f0 once (pbem init),"
            " which upgrades it, then this one"
        )
    other = f"another version of pbem, which numbers its tables {present}"
    raise Outdated(f"the database was made by {other}: use that or a later one")


def _migrate(connection: Connection, present: str | None) -> None:
    from alembic import command  # to import it takes longer than to start without it
    from alembic.config import Config

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    if present in (_FORMER, _BEFORE_FIRST):
        from pbem.storage import migrations
        from pbem.storage.migrations import from_1_0011

        if present == _FORMER:
            from_1_0011.upgrade(connection)
        migrations.run(connection, MIGRATIONS / "from_1_0020.sql")
        command.stamp(config, revisions()[0], purge=True)
    command.upgrade(config, "head")


def revision(connection: Connection) -> str | None:
    """Return the revision of the tables, as Alembic notes it; None where there are none."""
    tables = inspect(connection)
    if not tables.has_table(_VERSION):
        _require_none(tables.get_table_names())
        return None
    version: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
    if not re.fullmatch(r"(\d\.)?\d{4}", version or ""):
        raise Unusable(_FOREIGN.format(f"tables of version {version}"))
    return version


def _require_none(tables: Collection[str]) -> None:
    """Raise Unusable if there are tables, and none of ours."""
    if tables and _VERSION not in tables:
        raise Unusable(_FOREIGN.format(f"the tables {', '.join(sorted(tables)[:3])}{' …' if len(tables) > 3 else ''}"))


def revisions() -> list[str]:
    """Return the revisions of the tables up to this version: 3.0001 and so on, by the numbers of its migrations."""
    return sorted("3." + path.name.partition("_")[0] for path in (MIGRATIONS / "versions").glob("[0-9]*_*.py"))


@cache
def newest_revision() -> str:
    return revisions()[-1]


def require_made(engine: Engine) -> str:
    """Return the revision of the tables; raise Unusable if there are none. Nothing is changed, and no file made."""
    file = engine.url.database if engine.dialect.name == "sqlite" else None
    if not file or (Path(file).exists() and Path(file).stat().st_size):
        with read_only(engine) as session:
            if (present := revision(session.connection())) is not None:
                return present
            schema = None if file else session.connection().scalar(text("SELECT current_schema()"))
            missing = f"there are no tables in the schema {schema} of the database"
    if file:
        missing = f"the database {file} is empty" if Path(file).exists() else f"there is no database {file}"
    raise Unusable(
        f'{missing}: is its disk mounted? For a new server, "pbem init" makes it;'
        ' if "pbem restore" was interrupted, run it again'
    )


def require_current(engine: Engine) -> None:
    """Raise Outdated if the tables are not those of this version. Nothing is changed."""
    present = require_made(engine)
    if present == newest_revision():
        return
    require_upgradable(present)
    raise Outdated(
        "the database was made by an older version of pbem, which may still be running, so it was left alone."
        ' Stop that server; then "pbem init" or "pbem run" upgrades the database'
    )


@contextmanager
def alone(url: str) -> Iterator[None]:
    """Be the only daemon on a SQLite database, under whatever name. Raises InUse. Other databases allow several.

    Two locks of the operating system ensure it, which a crash frees: one on a file beside the database, which says what
    process is running, and one on the database itself, which is the same under all of its names: symbolic links,
    hard links, other mounts.
    """
    parsed = _parsed(url)
    if parsed.get_backend_name() != "sqlite" or not parsed.database or parsed.database == ":memory:":
        yield
        return
    path = Path(f"{parsed.database}.lock")
    if not path.parent.is_dir():
        raise Unusable(f"there is no folder {path.parent} for the database")
    try:
        opened = path.open("a+", encoding="ascii")
    except PermissionError as error:
        raise Unusable(f"{path} can't be written: let the user that runs pbem write it, and its folder") from error
    with opened as beside, ExitStack() as stack:
        if not _lock(beside):
            beside.seek(0)
            running = beside.read().strip()
            who = leases.in_words(int(running)) if running.isdecimal() else "process unknown"
            raise InUse(f"another daemon ({who}) is running on {parsed.database}")
        # An empty file is a new database for SQLite. Its own locks are of another kind (POSIX) and don't meet ours, but
        # a process loses them when it closes any descriptor of the file: so this one stays open for longer.
        descriptor = os.open(parsed.database, os.O_RDONLY | os.O_CREAT | os.O_CLOEXEC, 0o666)
        stack.callback(os.close, descriptor)
        if not _lock(descriptor):
            raise InUse(f"another daemon is running on {parsed.database}, which it knows by another name")
        try:
            beside.truncate(0)
            os.write(beside.fileno(), f"{os.getpid()}\n".encode())
        except OSError as error:
            raise Unusable(f"{path} can't be written: {error.strerror}") from error
        yield


def _lock(file: int | IO[str]) -> bool:
    """Lock the file without waiting. Return whether it succeeded."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
