"""Games whose packages fail: each failure is counted in the database, and a game that fails too often is suspended.

That is a row of the table of setbacks, so it is known to all servers and survives restarts. A suspended game isn't
there, until the operator resumes it.
"""

from collections.abc import Iterable
from datetime import UTC, datetime

import structlog
from sqlalchemy import Engine
from sqlmodel import Session, col, delete, select

from notation.allowance import PackFault
from notation.games import GAMES
from pbem.storage.database import read_only, transaction
from pbem.storage.models import Setback
from pbem.storage.setbacks import GAME, STALE

log = structlog.get_logger()

MOST = 3
"""How many messages may fail because of a game until it is suspended, each within a day of the one before."""
FOR_GOOD = datetime(9999, 1, 1, tzinfo=UTC)


def suspended(session: Session) -> list[str]:
    """Return the games that are suspended, in order."""
    rows = select(Setback.doing).where(col(Setback.doing).startswith(GAME), col(Setback.due) == FOR_GOOD)
    return sorted(doing.removeprefix(GAME) for doing in session.exec(rows))


def adopt(engine: Engine) -> None:
    """Offer no game that is suspended."""
    with read_only(engine) as session:
        GAMES.suspended = frozenset(suspended(session))


def note(engine: Engine, faults: Iterable[PackFault], now: datetime) -> None:
    """Count against each game that it failed in a message, once; suspend those that have failed too often."""
    for key, fault in {fault.key: fault for fault in faults}.items():
        with transaction(engine) as session:
            row = session.get(Setback, (f"{GAME}{key}", 0), with_for_update=True)
            if row is None or now - row.due > STALE:
                row = session.merge(Setback(doing=f"{GAME}{key}", number=0, failures=0, since=now, due=now))
            row.failures += 1
            row.due = FOR_GOOD if row.failures >= MOST or row.due == FOR_GOOD else now
            is_suspended = row.due == FOR_GOOD
        log.error("a game failed", game=key, call=fault.call, error=str(fault), suspended=is_suspended)
        if is_suspended:
            GAMES.suspended |= {key}


def resume(session: Session, key: str) -> bool:
    """Let a suspended game be played again. Return whether it was."""
    was_suspended = key in suspended(session)
    session.exec(delete(Setback).where(col(Setback.doing) == f"{GAME}{key}"))
    return was_suspended
