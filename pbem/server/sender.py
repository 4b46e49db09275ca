"""Sending what is owed: render, hand over, mark as sent; what fails is due again later, kept in the database."""

import threading
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from sqlalchemy import ColumnElement, Engine, and_, update
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, col, or_, select
from sqlmodel.sql.expression import SelectOfScalar

from pbem import failpoints
from pbem.config import ServerSettings
from pbem.failpoints import Step
from pbem.players import bounces, erasure
from pbem.rendering.render import Renderer
from pbem.storage.database import read_only, transaction
from pbem.storage.locks import Locks
from pbem.storage.models import Outgoing, OutgoingState
from pbem.transports.protocols import NotSent, Outbox

log = structlog.get_logger()

PAUSES = tuple(timedelta(minutes=minutes) for minutes in (1, 2, 5, 10, 20, 40, 60, 120, 240))
GIVE_UP_AFTER = timedelta(days=5)
FEW = len(PAUSES)
"""After fewer attempts nothing is given up: the days may have passed in a clock that was set, or while we were down."""
MOST = 3
"""A mail with which the server ended so often waits longer and longer, and the admin is told."""
TOGETHER = 16
"""So many mails are rendered in one transaction and marked as sent in another; a crash between the two sends
those that had gone out again, under the same Message-ID."""


Sign = Callable[[bytes], bytes]


def unsigned(raw: bytes) -> bytes:
    """The mail as it is, for where nothing signs."""
    return raw


class DeliveryResults:
    """What the database does not know yet of the mails in hand: how attempts ended; any thread may write it down."""

    def __init__(self, locks: Locks) -> None:
        self.locks = locks
        self._results: list[_Result] = []
        self._lock = threading.Lock()
        self.started: set[int] = set()
        """Mails that this process has in hand: when it lets go of them, they were no error to it."""

    def add(self, result: "_Result") -> None:
        """Remember one more."""
        with self._lock:
            self._results.append(result)

    def record(self, engine: Engine, now: datetime) -> None:
        """Mark the mails; what the database does not take is remembered, so that nothing is sent twice for it."""
        with self._lock:
            _mark(engine, self._results, now)
            ended = {result.outgoing for result in self._results}
            self._results.clear()
            self.started -= ended
            self.locks.release_each({_lock_name(number) for number in ended})

    def release(self, engine: Engine, now: datetime) -> None:
        """Before the process ends in good order: mark, and clear the mails that it leaves in hand of suspicion."""
        self.record(engine, now)
        with transaction(engine) as session:
            session.exec(update(Outgoing).where(col(Outgoing.id).in_(self.started)).values(delivery_starts=0))


def send_due(
    engine: Engine,
    server: ServerSettings,
    renderer: Renderer,
    outbox: Outbox,
    results: DeliveryResults,
    clock: Callable[[], datetime],
    stopped: Callable[[], bool] = lambda: False,
    sign: Sign = unsigned,
) -> int:
    """Send the next few mails that are due; how many attempts that were, and so whether to call again."""
    results.record(engine, clock())  # of an earlier call, when the database was away
    with read_only(engine) as session:
        if session.exec(_due(clock()).limit(1)).first() is None:
            return 0
    with transaction(engine) as session:
        numbers = _begin(session, results, clock())
    if not numbers:
        return 0
    results.started |= set(numbers)
    failpoints.reach(Step.BEGUN)
    with read_only(engine) as session:
        letters = _rendered(session, renderer, numbers)
    failpoints.reach(Step.RENDERED)
    attempts = 0
    refused = []
    try:
        for letter in letters:
            if stopped():
                break
            result = _attempt(server, outbox, letter, sign)
            results.add(result)
            attempts += 1
            if result.is_refused:
                refused.append(result.outgoing)
    finally:
        results.record(engine, clock())
    if refused:
        with transaction(engine) as session:
            for outgoing in refused:
                bounces.record(session, server, session.get_one(Outgoing, outgoing), clock())
    return attempts


def _begin(session: Session, results: DeliveryResults, now: datetime) -> list[int]:
    """Choose the next mails that are due, oldest first, and count that we begin with them, before anything is made.

    A mail that was in hand when a server ended goes alone, so that no other suffers if it was the cause. After three
    times it is due again later and later, so that the others go out meanwhile. It is never given up for that: nobody
    refused it, and a server may be killed for reasons that have nothing to do with the mail.
    """
    chosen: list[Outgoing] = []
    held: set[str] = set()
    for row in _free(session, results.locks, held, now):
        suspect = row.delivery_starts > 0 and row.id not in results.started
        if suspect and chosen:
            break
        chosen.append(row)
        if suspect and row.delivery_starts >= MOST:
            row.error = f"The server ended {row.delivery_starts} times while it made or sent this mail."
            row.troubled = row.troubled or now
            _log(row, f"tried alone: {row.error}")
        row.delivery_starts += row.id not in results.started
        if row.delivery_starts >= MOST:  # what counts if we end too; if we don't, the result says when it is due
            row.due = now + PAUSES[min(row.delivery_starts - MOST, len(PAUSES) - 1)]
        if suspect or len(chosen) == TOGETHER:
            break
    numbers = [row.id for row in chosen if row.id is not None]
    results.locks.release_each(held.difference(map(_lock_name, numbers)))
    return numbers


def _free(session: Session, locks: Locks, held: set[str], now: datetime) -> Iterator[Outgoing]:
    """The mails that are due and that no other daemon has in hand, oldest first; `held` are those that we have now."""
    due = _due(now)
    after = 0
    while rows := session.exec(
        due.where(col(Outgoing.id) > after).limit(TOGETHER).with_for_update(skip_locked=True)
    ).all():
        free = locks.try_acquire_each([_lock_name(row.id) for row in rows])
        held |= free
        yield from (row for row in rows if _lock_name(row.id) in free)
        after = rows[-1].id or 0


def _due(now: datetime) -> SelectOfScalar[Outgoing]:
    return select(Outgoing).where(Outgoing.state == OutgoingState.OWED, _is_due(now)).order_by(col(Outgoing.id))


def _lock_name(number: int | None) -> str:
    """What is held while a mail is in hand."""
    return f"owed {number}"


@dataclass(frozen=True, slots=True)
class _Letter:
    """A mail that is due, as bytes; or why there are none."""

    row: Outgoing
    raw: bytes
    error: str | None = None


@dataclass(frozen=True, slots=True)
class _Result:
    """How an attempt ended; without error the mail is sent."""

    outgoing: int
    error: str | None
    later: bool
    is_bug: bool = False
    """Whether nothing was handed over, because of a bug."""

    @property
    def is_refused(self) -> bool:
        """Whether the next hop will never take the mail: as good as a bounce."""
        return self.error is not None and not self.later


def _rendered(session: Session, renderer: Renderer, numbers: list[int]) -> list[_Letter]:
    """The mails of those numbers, in their order."""
    rows = session.exec(select(Outgoing).where(col(Outgoing.id).in_(numbers)).order_by(col(Outgoing.id))).all()
    try:
        mails = list(renderer.render(session, rows))
        return [_Letter(row, mail.as_bytes()) for row, mail in zip(rows, mails, strict=True)]
    except DBAPIError:
        raise
    except Exception:  # noqa: BLE001 - a bug in a template or a replay; the other mails must go on
        return [_rendered_alone(session, renderer, row) for row in rows]


def _is_due(now: datetime) -> ColumnElement[bool]:
    """Whether the time has come; also where the clock was set back since, and `due` lies further off than any pause.

    A mail that went out and came back waits longer than that on purpose.
    """
    is_fresh = and_(col(Outgoing.attempts) == 0, col(Outgoing.delivery_starts) < MOST)
    clock_was_set_back = or_(is_fresh, col(Outgoing.due) > now + PAUSES[-1])
    return or_(col(Outgoing.due) <= now, and_(col(Outgoing.sent).is_(None), clock_was_set_back))


def _rendered_alone(session: Session, renderer: Renderer, row: Outgoing) -> _Letter:
    try:
        (mail,) = renderer.render(session, [row])
        return _Letter(row, mail.as_bytes())
    except DBAPIError:
        raise
    except Exception:  # noqa: BLE001 - kept with the row, for the operator
        return _Letter(row, b"", traceback.format_exc())


def _attempt(server: ServerSettings, outbox: Outbox, letter: _Letter, sign: Sign) -> _Result:
    """Sign a mail and hand it to the next hop."""
    row = letter.row
    assert row.id is not None  # noqa: S101 - a stored row has one
    if letter.error is not None:
        _log(row, "not rendered")
        return _Result(row.id, letter.error, later=True, is_bug=True)
    try:
        raw = sign(letter.raw)
    except Exception:  # noqa: BLE001 - whatever it is, it is a bug, and the other mails must go on
        _log(row, "not signed")
        return _Result(row.id, traceback.format_exc(), later=True, is_bug=True)
    try:
        outbox.send(server.address, row.address, raw)
    except NotSent as error:
        _log(row, f"not sent{', to be tried again' if error.later else ''}: {error}")
        return _Result(row.id, str(error), later=error.later)
    failpoints.reach(Step.SENT)
    _log(row, "sent")
    return _Result(row.id, None, later=False)


def _mark(engine: Engine, results: list[_Result], now: datetime) -> None:
    """Write down how the attempts ended and when the next ones are due."""
    if not results:
        return
    with transaction(engine) as session:
        sent = [result.outgoing for result in results if result.error is None]
        session.exec(
            update(Outgoing)
            .where(col(Outgoing.id).in_(sent))
            .values(
                state=OutgoingState.SENT.value,
                sent=now,
                error=None,
                troubled=None,
                attempts=Outgoing.attempts + 1,
                delivery_starts=0,
            )
        )
        for result in results:
            if result.error is not None:
                _postpone(session.get_one(Outgoing, result.outgoing), result, now)
        erasure.forget_last(session, [result.outgoing for result in results])
    failpoints.reach(Step.MARKED)


def _postpone(row: Outgoing, result: _Result, now: datetime) -> None:
    """Make the mail due again later, or give it up; nobody waits for one that was dropped meanwhile."""
    row.attempts += 1
    row.delivery_starts = 0
    if row.state == OutgoingState.DROPPED:
        return
    row.error = result.error
    if result.later and (now - (row.retried or row.created) < GIVE_UP_AFTER or row.attempts < FEW):
        row.due = now + PAUSES[min(row.attempts, len(PAUSES)) - 1]
    else:
        row.state = OutgoingState.FAILED
    if row.state == OutgoingState.FAILED or result.is_bug:
        row.troubled = row.troubled or now


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
