"""Checks of the database: its version, whether it can be written, its disk, its log, the clock, and backups."""

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import Engine, make_url, text
from sqlalchemy.exc import DBAPIError

from notation.games import GAMES
from pbem.cli.doctor import database_advice
from pbem.cli.doctor.findings import Finding, note, ok, problem
from pbem.config import ServerSettings, Settings
from pbem.config.veiled import veiled_url
from pbem.matches import missing
from pbem.secret import BadConfig
from pbem.server import server_key
from pbem.server.backups import rotation
from pbem.storage import database, holders
from pbem.storage.clock import IF_RIGHT, apart, doubt
from pbem.storage.models import MatchState

MEGABYTE = 1 << 20
LEAST_FREE, ENOUGH_FREE = 100 * MEGABYTE, 1024 * MEGABYTE
LARGE_LOG = 64 * MEGABYTE
"""SQLite's log starts again at a few megabytes, unless somebody reads the database for a long time."""
UPGRADE = "pbem init makes or upgrades the tables; there is no way back to an older version"
ASKEW = timedelta(seconds=5)
"""How far two clocks may differ."""


def check(settings: ServerSettings, now: Callable[[], datetime]) -> Iterator[Finding]:
    """Open the database and write to it, without changing anything."""
    shown = veiled_url(settings.database)
    try:
        engine = database.connect(settings.database)
    except database.Unusable as error:
        yield problem(str(error), "correct database in [server]")
        return
    try:
        yield from _disk(engine)
        database.require_current(engine)
        with database.transaction(engine) as session:
            session.connection().execute(text("UPDATE alembic_version SET version_num = version_num"))
        yield ok(f"{shown}: {_version(engine)}, tables of version {database.newest_revision()}, can be written")
        yield from _log(engine)
        yield from _clock(engine, now)
        with suppress(BadConfig):  # which is told with the other secrets
            server_key.require(engine, settings)
    except database.HalfRestored as error:
        yield problem(str(error), "pbem restore, with the same backup")
    except database.NoDatabase as error:
        yield problem(str(error), "mount its disk, correct database in [server], or restore a backup")
    except database.Foreign as error:
        yield problem(str(error), "correct database in [server]; then pbem init makes one")
    except server_key.WrongKey as error:
        yield problem(str(error), "until then the server doesn't start")
    except database.TooEarly as error:
        yield problem(str(error), "install that commit and run its pbem init; then install this version again")
    except database.TooLate as error:
        yield problem(str(error), "install that version, or restore a backup made by this one")
    except database.Outdated as error:
        yield problem(str(error), UPGRADE)
    except DBAPIError as error:
        said = " ".join(str(error.orig).split())
        if who := holders.behind(error, settings.database):
            yield problem(
                f"{shown}: {said} by {who}", "let that process go on, or end it; a server loses nothing by it"
            )
            return
        advice = database_advice.find(said, engine.url)
        yield problem(
            f"{shown}: {said}", advice or "start the database, or correct database in [server], or its rights"
        )
    finally:
        engine.dispose()


def backups(settings: Settings, now: Callable[[], datetime]) -> Iterator[Finding]:
    wanted = settings.backup
    folder = wanted.folder
    if folder is None:
        yield note(
            "the server makes no backups by itself", 'write folder = "…" in [backup], or run "pbem backup" regularly'
        )
        return
    there = next(each for each in (folder, *folder.parents) if each.exists())
    try:
        with tempfile.NamedTemporaryFile(dir=there):
            pass
        kept = rotation.kept(folder, settings.server.address) if folder.exists() else []
    except OSError as error:
        yield problem(f"no file can be made in {there}: {error.strerror}", "correct folder in [backup], or its rights")
        return
    url = make_url(settings.server.database)
    if url.get_backend_name() == "postgresql" and shutil.which("pg_dump") is None:
        yield problem("there is no pg_dump, which makes the backups", "install PostgreSQL's client (postgresql-client)")
    file = Path(url.database) if url.get_backend_name() == "sqlite" and url.database else None
    needed = 2 * file.stat().st_size if file is not None and file.exists() else 0
    if shutil.disk_usage(there).free < needed:
        yield problem(
            f"there is no room in {there} for a copy of the database", "make room, or correct folder in [backup]"
        )
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


def _file(engine: Engine) -> Path | None:
    is_file = engine.dialect.name == "sqlite" and engine.url.database
    return Path(str(engine.url.database)) if is_file else None


def _disk(engine: Engine) -> Iterator[Finding]:
    file = _file(engine)
    if file is None or not file.parent.exists():
        return
    free = shutil.disk_usage(file.parent).free
    said = f"{free // MEGABYTE} MB are free in {file.parent}"
    if free < LEAST_FREE:
        yield problem(said, "make room: when the disk is full, messages wait in the mailbox and nobody gets an answer")
    elif free < ENOUGH_FREE:
        yield note(
            said, "a busy server needs some hundred megabytes; keep_mail_days in [limits] is how long it keeps mail"
        )
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


def _log(engine: Engine) -> Iterator[Finding]:
    file = _file(engine)
    if file is None:
        return
    log = Path(f"{file}-wal")
    size = log.stat().st_size if log.exists() else 0
    if size > LARGE_LOG:
        yield note(
            f"the log {log} has {size // MEGABYTE} MB",
            "end programs that read the database for long; the log starts again after that",
        )


def _clock(engine: Engine, now: Callable[[], datetime]) -> Iterator[Finding]:
    """Compare this machine's clock with the database's, and with when a server last ran."""
    with database.read_only(engine) as session:
        ours = now()
        if engine.dialect.name == "postgresql":
            theirs: datetime = session.connection().execute(text("SELECT clock_timestamp()")).scalar_one()
            if abs(theirs.astimezone(UTC) - ours) > ASKEW:
                yield problem(
                    f"this machine's clock and the database's differ by {apart(theirs.astimezone(UTC) - ours)}",
                    "set both clocks, and keep them in step with NTP",
                )
                return
        if why := doubt(session, ours):
            yield problem(why, f"set the clock: players' time runs by it. {IF_RIGHT}")
        else:
            yield ok(f"the clock says {ours:%Y-%m-%d %H:%M:%S} UTC, which agrees with what is stored")


def games(settings: Settings) -> Iterator[Finding]:
    GAMES.enable(settings.games.enabled)
    found, _ = False, len(GAMES)  # which loads them
    for why in GAMES.missing.values():
        found = True
        yield problem(why, "until then nobody can play it, and no server starts while a match of it is being played")
    with suppress(DBAPIError, database.Unusable):
        engine = database.connect(settings.server.database)
        database.require_current(engine)
        with database.read_only(engine) as session:
            needed = missing.counted(session, MatchState.RUNNING, MatchState.OVER)
            for (key, version), number in needed.items():
                if key not in GAMES.missing and (why := GAMES.why_missing(key, version)):
                    found = True
                    yield problem(f"matches of {key} can't be shown or go on ({number})", why)
        engine.dispose()
    if not found:
        yield ok(f"{len(GAMES)} games are offered: {', '.join(GAMES)}")
