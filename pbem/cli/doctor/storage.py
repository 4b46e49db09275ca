"""Checks of the database: its version, whether it can be written, its disk, its log, and the clock."""

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError
from sqlmodel import col, select

from pbem.cli.doctor.findings import Finding, note, ok, problem
from pbem.cli.setup.showing import veiled_url
from pbem.config import ServerSettings
from pbem.storage import database
from pbem.storage.models import Incoming

MEGABYTE = 1 << 20
LEAST_FREE, ENOUGH_FREE = 100 * MEGABYTE, 1024 * MEGABYTE
LARGE_LOG = 64 * MEGABYTE
"""SQLite's log starts again at a few megabytes, unless somebody reads the database for a long time."""
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
    except database.Outdated as error:
        yield problem(str(error), "pbem init makes or upgrades the tables; there is no way back to an older version")
    except DBAPIError as error:
        yield problem(f"{shown}: {error.orig}", "start the database, or correct database in [server], or its rights")
    finally:
        engine.dispose()


def _file(engine: Engine) -> Path | None:
    """Return the file of an SQLite database."""
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
            said, "a busy server needs some hundred megabytes; keep_mail_days in [server] is how long it keeps mail"
        )
    else:
        yield ok(said)


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
    """Compare this machine's clock with the database's, and with the newest message."""
    with database.read_only(engine) as session:
        ours = now()
        if engine.dialect.name == "postgresql":
            theirs: datetime = session.connection().execute(text("SELECT clock_timestamp()")).scalar_one()
            if abs(theirs.astimezone(UTC) - ours) > ASKEW:
                yield problem(
                    f"this machine's clock and the database's differ by {_apart(theirs.astimezone(UTC) - ours)}",
                    "set both clocks, and keep them in step with NTP",
                )
                return
        newest = session.exec(select(Incoming.received).order_by(col(Incoming.id).desc()).limit(1)).first()
    if newest is not None and newest - ours > ASKEW:
        yield problem(
            f"the clock says {ours:%Y-%m-%d %H:%M} UTC, {_apart(newest - ours)} before the newest message was received",
            "set the clock: players' time runs by it",
        )
    else:
        yield ok(f"the clock says {ours:%Y-%m-%d %H:%M:%S} UTC, which agrees with what is stored")


def _apart(time: timedelta) -> str:
    seconds = abs(time).total_seconds()
    return f"{seconds:.0f} seconds" if seconds < 120 else f"{seconds / 60:.0f} minutes"
