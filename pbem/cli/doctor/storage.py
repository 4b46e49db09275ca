"""Checks of the database: whether a message could be stored now, its version, disk, clock, games, and backups."""

import os
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Engine, insert, make_url, select, text
from sqlalchemy.exc import DBAPIError
from sqlmodel import SQLModel

from notation.games import GAMES
from pbem.cli.doctor.findings import Finding, database_advice, finding, problem, unwritable
from pbem.config import Settings
from pbem.config.dump import veiled_url
from pbem.mail.reading.limits import LARGEST_MESSAGE
from pbem.matches import missing_games
from pbem.secret_setting import BadConfig
from pbem.server import backups, key_of_database
from pbem.storage import database, sqlite
from pbem.storage.clock_doubts_and_outages import IF_RIGHT, doubt, leap
from pbem.storage.database import Unusable
from pbem.storage.models import Incoming, MatchState, RawMessage
from pbem.storage.sqlite import Newest
from pbem.storage.utc import apart, now

MEGABYTE = 1 << 20
LEAST_FREE, ENOUGH_FREE = 100 * MEGABYTE, 1024 * MEGABYTE
ASKEW = timedelta(seconds=5)
SECONDS = 2.0
T = TypeVar("T")


class Late(TimeoutError):
    """A question that wasn't answered in time."""


def within(seconds: float, ask: Callable[[], T]) -> T:
    """Return the answer. Raises Late; the question is left to a thread then, which ends with the process."""
    answer: Future[T] = Future()

    def run() -> None:
        try:
            answer.set_result(ask())
        except BaseException as error:  # noqa: BLE001 - it is raised where the answer is waited for
            answer.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    try:
        return answer.result(seconds)
    except TimeoutError as error:
        if answer.done():
            raise
        raise Late(f"no answer within {seconds:g} seconds: is the database frozen, or a table locked?") from error


def obstacle(engine: Engine) -> Finding | None:
    """Return why no message can be stored now; None if one can be."""
    url, file = engine.url.render_as_string(hide_password=False), engine.url.database
    try:
        within(SECONDS, lambda: _store_and_take_back(engine))
    except Late:
        if who := sqlite.writing(engine.url):
            return finding("database.held", said="database is locked", who=who)
        return finding("database.silent", url=veiled_url(url), seconds=SECONDS)
    except DBAPIError as error:
        return _unusable(error, url)
    if engine.dialect.name == "sqlite" and file:  # it writes to the disk at the end of a transaction only
        return next(unwritable(Path(file).parent, "database in [server]", LARGEST_MESSAGE), None)
    return None


def missing_messages(engine: Engine) -> str:
    """Return that messages are missing which the database had, in words; "" if none are known to be."""
    if engine.dialect.name != "sqlite":
        return ""
    with database.read_only(engine) as session:
        return Newest(engine.url).missing(session.connection())


def _store_and_take_back(engine: Engine) -> None:
    """Look at each column that we use, too."""
    row = {"id": 0, "key": "trial", "size": 0, "source": "trial", "recipients": [], "state": "new", "received": now()}
    with engine.connect() as connection, connection.begin() as transaction:
        connection.execute(insert(Incoming).values(row))
        connection.execute(insert(RawMessage).values(incoming=0, raw=b""))
        for table in SQLModel.metadata.sorted_tables:
            connection.execute(select(table).limit(0))
        transaction.rollback()


def _unusable(error: Unusable | DBAPIError, url: str) -> Finding:
    reason = str(error)
    if isinstance(error, DBAPIError):
        reason = f"{veiled_url(url)}: {' '.join(str(error.orig).split())}"
        if who := sqlite.behind(error, make_url(url)):
            return finding("database.held", said=reason, who=who)
    advice = database_advice(error, reason, make_url(url))
    return problem(reason, advice or "start the database, or correct database in [server], or its rights")


def database_in_use(settings: Settings) -> Iterator[Finding]:
    """Open the database and write to it, without changing anything."""
    try:
        with database.opened(settings.server.database) as engine:
            yield from _disk(settings)
            database.require_current(engine)
            if why := obstacle(engine):
                yield why
                return
            url, version = veiled_url(settings.server.database), f"SQLite {sqlite3.sqlite_version}"
            if engine.dialect.name != "sqlite":
                with engine.connect() as connection:
                    version = f"PostgreSQL {connection.scalar(text('SHOW server_version'))}"
            yield finding("database.fine", url=url, version=version, revision=database.newest_revision())
            if why_missing := missing_messages(engine):
                yield finding("database.missing", why=why_missing)
            yield _clock(engine)
            with suppress(BadConfig):  # which is told with the other secrets
                key_of_database.require(engine, settings.server)
    except (database.Unusable, DBAPIError) as error:
        yield _unusable(error, settings.server.database)


def _sqlite_file(url: str) -> Path | None:
    parsed = make_url(url)
    return Path(parsed.database) if parsed.get_backend_name() == "sqlite" and parsed.database else None


def _disk(settings: Settings) -> Iterator[Finding]:
    file = _sqlite_file(settings.server.database)
    if file is None or not file.parent.exists():
        return
    free = shutil.disk_usage(file.parent).free
    scarce = "database.full" if free < LEAST_FREE else "database.filling"
    row = "database.room" if free >= ENOUGH_FREE else scarce
    yield finding(row, free=free // MEGABYTE, folder=file.parent)
    for beside in (Path(f"{file}.lock"), Path(f"{file}.newest")):
        if beside.exists() and not os.access(beside, os.W_OK):
            yield finding("database.beside", file=beside)


def _clock(engine: Engine) -> Finding:
    """Compare this machine's clock with the database's, and with when a server last ran."""
    with database.read_only(engine) as session:
        ours = now()
        if engine.dialect.name == "postgresql":
            theirs: datetime = session.connection().execute(text("SELECT clock_timestamp()")).scalar_one()
            if abs(between := theirs.astimezone(UTC) - ours) > ASKEW:
                return finding("database.two_clocks", apart=apart(between))
        if why := doubt(session, ours) or leap(session, ours):
            return finding("database.wrong_clock", why=why, otherwise=IF_RIGHT)
        return finding("database.clock", time=ours)


def games(settings: Settings) -> Iterator[Finding]:
    GAMES.enable(settings.games.enabled)
    titles = ", ".join(GAMES)  # which loads them
    problems = [finding("games.missing", why=why) for why in GAMES.missing.values()]
    with suppress(DBAPIError, database.Unusable), database.opened(settings.server.database) as engine:
        database.require_current(engine)
        with database.read_only(engine) as session:
            needed = missing_games.counted(session, MatchState.RUNNING, MatchState.OVER)
        for (key, version), number in needed.items():
            if key not in GAMES.missing and (why := GAMES.why_missing(key, version)):
                problems.append(finding("games.stuck", key=key, number=number, why=why))
    yield from problems or [finding("games.fine", number=len(GAMES), games=titles)]


def backup_folder(settings: Settings) -> Iterator[Finding]:
    folder = settings.backup.folder
    if folder is None:
        yield finding("backup.none_wanted")
        return
    if problems := list(unwritable(folder, "folder in [backup]")):
        yield from problems
        return
    file = _sqlite_file(settings.server.database)
    if file is None and shutil.which("pg_dump") is None:
        yield finding("backup.no_pg_dump")
    there = next(each for each in (folder, *folder.parents) if each.exists())
    if file is not None and file.exists() and shutil.disk_usage(there).free < 2 * file.stat().st_size:
        yield finding("backup.no_room", folder=there)
    if not (kept := backups.kept(settings)):
        yield finding("backup.none", folder=folder)
        return
    newest = backups.day(kept[-1])
    row = "backup.old" if now() - newest > 2 * backups.EVERY else "backup.fine"
    yield finding(row, folder=folder, number=len(kept), newest=newest)
