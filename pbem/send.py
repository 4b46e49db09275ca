"""Sending what is owed: render, hand over, mark as sent; what fails is due again later, kept in the database."""

import traceback
from collections.abc import Callable
from datetime import datetime, timedelta

import structlog
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, col, select

from pbem.config import ServerSettings
from pbem.database import transaction
from pbem.models import Outgoing, OutgoingState
from pbem.render import Renderer
from pbem.transport import NotSent, Outbox

log = structlog.get_logger()

PAUSES = tuple(timedelta(minutes=minutes) for minutes in (1, 2, 5, 10, 20, 40, 60, 120, 240))
GIVE_UP_AFTER = timedelta(days=5)
AT_ONCE = 200


def due(session: Session, now: datetime) -> list[int]:
    """The ids of the owed mails whose time has come, oldest first."""
    rows = session.exec(
        select(Outgoing.id)
        .where(Outgoing.state == OutgoingState.OWED, col(Outgoing.due) <= now)
        .order_by(col(Outgoing.id))
        .limit(AT_ONCE)
    )
    return [found for found in rows if found is not None]


def send_due(
    engine: Engine,
    server: ServerSettings,
    renderer: Renderer,
    outbox: Outbox,
    clock: Callable[[], datetime],
    stopped: Callable[[], bool] = lambda: False,
) -> int:
    """Send all that is due now; how many mails went out. Each mail is its own transaction.

    A crash after the next hop took a mail and before the commit sends it again, under the same Message-ID.
    """
    with transaction(engine) as session:
        waiting = due(session, clock())
    sent = 0
    for outgoing_id in waiting:
        if stopped():
            break
        sent += _send(engine, server, renderer, outbox, outgoing_id, clock)
    return sent


def _send(
    engine: Engine,
    server: ServerSettings,
    renderer: Renderer,
    outbox: Outbox,
    outgoing_id: int,
    clock: Callable[[], datetime],
) -> bool:
    try:
        with transaction(engine) as session:
            row = session.get_one(Outgoing, outgoing_id)
            raw = renderer.render(session, row).as_bytes()
    except DBAPIError:
        raise
    except Exception as error:  # noqa: BLE001 - a bug in a template or a replay; the other mails must go on
        log.error("mail out", outgoing=outgoing_id, verdict="not rendered", error=type(error).__name__)  # noqa: TRY400
        _mark(engine, outgoing_id, clock(), traceback.format_exc(), later=True)
        return False
    try:
        outbox.send(server.address, row.address, raw)
    except NotSent as error:
        state = _mark(engine, outgoing_id, clock(), str(error), later=error.later)
        _log(row, f"not sent, {'tried again later' if state == OutgoingState.OWED else 'given up'}: {error}")
        return False
    _mark(engine, outgoing_id, clock(), None, later=False)
    _log(row, "sent")
    return True


def _mark(engine: Engine, outgoing_id: int, now: datetime, trouble: str | None, *, later: bool) -> str:
    """Write down how the attempt ended and when the next one is due."""
    with transaction(engine) as session:
        row = session.get_one(Outgoing, outgoing_id)
        row.attempts += 1
        row.trouble = trouble
        if trouble is None:
            row.state, row.sent = OutgoingState.SENT, now
        elif later and now - row.created < GIVE_UP_AFTER:
            row.due = now + PAUSES[min(row.attempts, len(PAUSES)) - 1]
        else:
            row.state = OutgoingState.FAILED
        session.add(row)
        return row.state


def _log(row: Outgoing, verdict: str) -> None:
    log.info(
        "mail out",
        outgoing=row.id,
        message_id=row.message_id,
        template=row.template,
        player=row.player,
        match=row.match,
        verdict=verdict,
    )
