"""Leases: who works on a row, and until when. They stand in the row itself, so they hold behind any pooler.

A row is free if nobody has a lease on it, or if the lease has ended, by the database's clock: its holder is dead or
frozen. A lease that wasn't given back keeps its holder's name: the server ended while it worked on that row.

A lease only saves work that would be done twice. Who acts on a row checks in the same transaction that it is still
theirs.
"""

import os
import secrets
import socket
from datetime import timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, Connection, bindparam, or_, select, update
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlmodel import Field, Session, SQLModel, col

from pbem.storage.utc import Utc

LEASE = timedelta(minutes=1)  # many times what the work takes
HOST = socket.gethostname()[:200]
CLOCKS = {"postgresql": "clock_timestamp()", "sqlite": "'now'"}
"""What each kind of database calls the present time; tests stop these clocks."""


class Leased(SQLModel):
    """The columns of a row that one daemon at a time works on."""

    leased_until: Any = Field(default=None, sa_type=Utc, nullable=True)
    holder: str | None = None  # whose lease it is, or who never gave it back


class from_now(FunctionElement[Any]):  # noqa: N801 - a function of SQL
    """The time by the database's clock, that many seconds from now."""

    type = Utc()
    inherit_cache = True


@compiles(from_now, "postgresql")
def _on_postgresql(element: from_now, compiler: SQLCompiler, **kw: Any) -> str:
    return f"{CLOCKS['postgresql']} + make_interval(secs => {compiler.process(element.clauses, **kw)})"


@compiles(from_now, "sqlite")
def _on_sqlite(element: from_now, compiler: SQLCompiler, **kw: Any) -> str:
    """Write the time as SQLAlchemy stores it, with six digits after the seconds."""
    seconds = compiler.process(element.clauses, **kw)
    return f"strftime('%Y-%m-%d %H:%M:%f000', {CLOCKS['sqlite']}, {seconds} || ' seconds')"


def new_holder() -> str:
    return f"{HOST} {os.getpid()} {secrets.token_hex(8)}"


def is_free(row: Any) -> ColumnElement[bool]:
    until = col(row.leased_until)
    return or_(until.is_(None), until <= from_now(0))


def terms(lease: timedelta = LEASE) -> dict[str, Any]:
    """Return the columns of a row under a new lease, for a statement with the parameter `who`."""
    return {"leased_until": from_now(lease.total_seconds()), "holder": bindparam("who")}


ENDED: dict[str, Any] = {"leased_until": None, "holder": None}  # the columns of a row without a lease


def end(row: Any) -> None:
    row.leased_until, row.holder = None, None


def take(session: Session, table: type[Leased], number: int, holder: str, lease: timedelta = LEASE) -> bool:
    rows: Any = table
    statement = update(table).where(rows.id == number, is_free(rows)).values(**terms(lease)).returning(rows.id)
    return session.connection().execute(statement, {"who": holder}).first() is not None


def void(connection: Connection, table: type[Leased], *which: ColumnElement[bool]) -> None:
    """End the leases of daemons that don't run any more: all on SQLite, whose file has one, else of this machine."""
    rows: Any = table
    leased = (*which, rows.leased_until > from_now(0), rows.holder.is_not(None))
    dead = []
    for holder in connection.execute(select(rows.holder).where(*leased).distinct()).scalars():
        host, process, _ = holder.rsplit(" ", 2)
        if connection.dialect.name == "sqlite" or (host == HOST and not runs(int(process))):
            dead.append(holder)
    if dead:
        connection.execute(update(table).where(*leased, rows.holder.in_(dead)).values(leased_until=None))


def runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return process != os.getpid()


def in_words(process: int) -> str:
    if not is_stopped(process):
        return f"process {process}"
    return f"process {process}, which is stopped: kill -CONT {process} lets it go on, kill -KILL {process} ends it"


def is_stopped(process: int) -> bool:
    try:
        stat = Path(f"/proc/{process}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[:1] in (["T"], ["t"])
