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
from pbem.cli.doctor import faults
from pbem.cli.doctor.findings import Finding, note, ok, problem, unwritable
from pbem.config import Settings
from pbem.config.veiled import veiled_url
from pbem.matches import missing
from pbem.secret import BadConfig
from pbem.server import server_key
from pbem.server.backups import rotation
from pbem.storage import database, holders
from pbem.storage.clock import IF_RIGHT, apart, doubt
from pbem.storage.models import MatchState
from pbem.storage.utc import now

MEGABYTE = 1 << 20
LEAST_FREE, ENOUGH_FREE = 100 * MEGABYTE, 1024 * MEGABYTE
ASKEW = timedelta(seconds=5)
"""How far two clocks may differ."""
ADVICE: dict[type[Exception], str] = {
    database.HalfRestored: "pbem restore, with the same backup",
    database.NoDatabase: "mount its disk, correct database in [server], or restore a backup",
    database.Foreign: "correct database in [server]; then pbem init makes one",
    database.TooEarly: "install that commit and run its pbem init; then install this version again",
    database.TooLate: "install that version, or restore a backup made by this one",
    database.Outdated: "pbem init makes or upgrades the tables; there is no way back to an older version",
    server_key.WrongKey: "until then the server doesn't start",
    database.Unusable: "correct database in [server]",
}
"""What to do about a database that isn't used: of the first of these classes that fits."""


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
            with database.transaction(engine) as session:
                session.connection().execute(text("UPDATE alembic_version SET version_num = version_num"))
            version, revision = _version(engine), database.newest_revision()
            yield ok(f"{veiled_url(settings.server.database)}: {version}, tables of version {revision}, can be written")
            yield _clock(engine)
            with suppress(BadConfig):  # which is told with the other secrets
                server_key.require(engine, settings.server)
    except database.Unusable as error:
        yield problem(str(error), next(advice for kind, advice in ADVICE.items() if isinstance(error, kind)))
    except DBAPIError as error:
        yield _refused(error, settings.server.database)


def _refused(error: DBAPIError, url: str) -> Finding:
    said = f"{veiled_url(url)}: {' '.join(str(error.orig).split())}"
    if who := holders.behind(error, url):
        return problem(f"{said} by {who}", "let that process go on, or end it; a server loses nothing by it")
    advice = faults.database_advice(error, said, make_url(url))
    return problem(said, advice or "start the database, or correct database in [server], or its rights")


def _sqlite_file(url: str) -> Path | None:
    parsed = make_url(url)
    return Path(parsed.database) if parsed.get_backend_name() == "sqlite" and parsed.database else None


def _disk(settings: Settings) -> Iterator[Finding]:
    file = _sqlite_file(settings.server.database)
    if file is None or not file.parent.exists():
        return
    free = shutil.disk_usage(file.parent).free
    said = f"{free // MEGABYTE} MB are free in {file.parent}"
    if free < LEAST_FREE:
        yield problem(said, "make room: when the disk is full, messages wait in the mailbox and nobody gets an answer")
    elif free < ENOUGH_FREE:
        advice = "a busy server needs some hundred megabytes; keep_mail_days in [limits] is how long it keeps mail"
        yield note(said, advice)
    else:
        yield ok(said)
    lock = Path(f"{file}.lock")
    if lock.exists() and not os.access(lock, os.W_OK):
        yield problem(f"{lock} can't be written", "let the user that runs pbem write it: without it no server starts")


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
            if abs(theirs.astimezone(UTC) - ours) > ASKEW:
                return problem(
                    f"this machine's clock and the database's differ by {apart(theirs.astimezone(UTC) - ours)}",
                    "set both clocks, and keep them in step with NTP",
                )
        if why := doubt(session, ours):
            return problem(why, f"set the clock: players' time runs by it. {IF_RIGHT}")
        return ok(f"the clock says {ours:%Y-%m-%d %H:%M:%S} UTC, which agrees with what is stored")


def games(settings: Settings) -> Iterator[Finding]:
    GAMES.enable(settings.games.enabled)
    is_fine, offered = True, ", ".join(GAMES)  # which loads them
    for why in GAMES.missing.values():
        is_fine = False
        yield problem(why, "until then nobody can play it, and no server starts while a match of it is being played")
    with suppress(DBAPIError, database.Unusable), _opened(settings) as engine:
        database.require_current(engine)
        with database.read_only(engine) as session:
            needed = missing.counted(session, MatchState.RUNNING, MatchState.OVER)
        for (key, version), number in needed.items():
            if key not in GAMES.missing and (why := GAMES.why_missing(key, version)):
                is_fine = False
                yield problem(f"matches of {key} can't be shown or go on ({number})", why)
    if is_fine:
        yield ok(f"{len(GAMES)} games are offered: {offered}")


def backups(settings: Settings) -> Iterator[Finding]:
    folder = settings.backup.folder
    if folder is None:
        advice = 'write folder = "…" in [backup], or run "pbem backup" regularly'
        yield note("the server makes no backups by itself", advice)
        return
    if found := list(unwritable(folder, "folder in [backup]")):
        yield from found
        return
    file = _sqlite_file(settings.server.database)
    if file is None and shutil.which("pg_dump") is None:
        yield problem("there is no pg_dump, which makes the backups", "install PostgreSQL's client (postgresql-client)")
    there = next(each for each in (folder, *folder.parents) if each.exists())
    if file is not None and file.exists() and shutil.disk_usage(there).free < 2 * file.stat().st_size:
        advice = "make room, or correct folder in [backup]"
        yield problem(f"there is no room in {there} for a copy of the database", advice)
    kept = rotation.kept(folder, settings.server.address) if folder.exists() else []
    if not kept:
        yield note(f"there is no backup in {folder} yet", "a running server makes one within a minute")
    elif now() - kept[-1].made > 2 * rotation.EVERY:
        yield problem(
            f"the newest backup in {folder} was made {kept[-1].made:%Y-%m-%d %H:%M} UTC",
            'look for "the backup failed" in the log, and whether the server runs',
        )
    else:
        number = f"{len(kept)} {'backup' if len(kept) == 1 else 'backups'}"
        yield ok(f"{folder} has {number}, the newest of {kept[-1].made:%Y-%m-%d %H:%M} UTC")
