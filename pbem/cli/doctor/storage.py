"""Checks of the database: its version, whether it can be written, its disk, the clock, its games, and backups."""

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import Engine, make_url, text
from sqlalchemy.exc import DBAPIError

from notation.games import GAMES
from pbem.cli.doctor.findings import Finding, finding, unwritable
from pbem.cli.doctor.trial import obstacle, unusable
from pbem.config import Settings
from pbem.config.veiled import veiled_url
from pbem.matches import missing
from pbem.secret import BadConfig
from pbem.server import backups, server_key
from pbem.storage import database, outages
from pbem.storage.clock import IF_RIGHT, apart, doubt
from pbem.storage.models import MatchState
from pbem.storage.utc import now

MEGABYTE = 1 << 20
LEAST_FREE, ENOUGH_FREE = 100 * MEGABYTE, 1024 * MEGABYTE
ASKEW = timedelta(seconds=5)
"""How far two clocks may differ."""


@contextmanager
def _opened(settings: Settings) -> Iterator[Engine]:
    engine = database.connect(settings.server.database)
    try:
        yield engine
    finally:
        engine.dispose()


def database_in_use(settings: Settings) -> Iterator[Finding]:
    """Open the database and write to it, without changing anything."""
    try:
        with _opened(settings) as engine:
            yield from _disk(settings)
            database.require_current(engine)
            if why := obstacle(engine):
                yield why
                return
            version, revision = _version(engine), database.newest_revision()
            url = veiled_url(settings.server.database)
            yield finding("database.fine", url=url, version=version, revision=revision)
            yield _clock(engine)
            with suppress(BadConfig):  # which is told with the other secrets
                server_key.require(engine, settings.server)
    except (database.Unusable, DBAPIError) as error:
        yield unusable(error, settings.server.database)


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
    lock = Path(f"{file}.lock")
    if lock.exists() and not os.access(lock, os.W_OK):
        yield finding("database.lock", lock=lock)


def _version(engine: Engine) -> str:
    if engine.dialect.name == "sqlite":
        return f"SQLite {sqlite3.sqlite_version}"
    with engine.connect() as connection:
        return f"PostgreSQL {connection.scalar(text('SHOW server_version'))}"


def _clock(engine: Engine) -> Finding:
    """Compare this machine's clock with the database's, and with when a server last ran."""
    with database.read_only(engine) as session:
        ours = now()
        if engine.dialect.name == "postgresql":
            theirs: datetime = session.connection().execute(text("SELECT clock_timestamp()")).scalar_one()
            if abs(between := theirs.astimezone(UTC) - ours) > ASKEW:
                return finding("database.two_clocks", apart=apart(between))
        if why := doubt(session, ours) or outages.leap(session, ours):
            return finding("database.wrong_clock", why=why, otherwise=IF_RIGHT)
        return finding("database.clock", time=ours)


def games(settings: Settings) -> Iterator[Finding]:
    GAMES.enable(settings.games.enabled)
    offered = ", ".join(GAMES)  # which loads them
    found = [finding("games.missing", why=why) for why in GAMES.missing.values()]
    with suppress(DBAPIError, database.Unusable), _opened(settings) as engine:
        database.require_current(engine)
        with database.read_only(engine) as session:
            needed = missing.counted(session, MatchState.RUNNING, MatchState.OVER)
        for (key, version), number in needed.items():
            if key not in GAMES.missing and (why := GAMES.why_missing(key, version)):
                found.append(finding("games.stuck", key=key, number=number, why=why))
    yield from found or [finding("games.fine", number=len(GAMES), games=offered)]


def backup_folder(settings: Settings) -> Iterator[Finding]:
    folder = settings.backup.folder
    if folder is None:
        yield finding("backup.none_wanted")
        return
    if found := list(unwritable(folder, "folder in [backup]")):
        yield from found
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
