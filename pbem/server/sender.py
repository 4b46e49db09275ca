"""Sending queued messages: render, send, mark as sent. A failed message is due again later, as the database records."""

import threading
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from sqlalchemy import Connection, Engine, Integer, and_, bindparam, update
from sqlalchemy import select as columns
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, col, or_

from pbem import failpoints
from pbem.config import ServerSettings
from pbem.failpoints import Step
from pbem.matches.time import timekeeping
from pbem.players import bounces, erasure
from pbem.rendering.render import Renderer
from pbem.storage import facts, outbox
from pbem.storage.database import read_only, reading, transaction, writing
from pbem.storage.locks import Locks
from pbem.storage.models import Outgoing, OutgoingState
from pbem.storage.utc import Utc
from pbem.transports.protocols import NotSent, Outbox
from pbem.vitals import Vitals

log = structlog.get_logger()

PAUSES = tuple(timedelta(minutes=minutes) for minutes in (1, 2, 5, 10, 20, 40, 60, 120, 240))
GIVE_UP_AFTER = timedelta(days=5)
FEW = len(PAUSES)
"""After fewer attempts no message is given up: the days may have passed because the clock was set or we were down."""
MOST = 3
"""A message during which the server ended that often waits longer and longer, and the admin is told."""
TOGETHER = 16
"""The number of messages that are rendered in one transaction and marked as sent in another. After a crash between the
two, those already sent are sent again, under the same Message-ID."""

_IS_FRESH = and_(col(Outgoing.attempts) == 0, col(Outgoing.delivery_starts) < MOST)
_IS_DUE = or_(
    col(Outgoing.due) <= bindparam("now", type_=Utc),
    and_(
        col(Outgoing.sent).is_(None),
        # Its time is implausibly late, so the clock was set back. What was sent and bounced waits longer on purpose.
        or_(_IS_FRESH, col(Outgoing.due) > bindparam("latest", type_=Utc)),
    ),
)
_ANY = columns(col(Outgoing.id)).where(col(Outgoing.state) == OutgoingState.OWED, _IS_DUE).limit(1)
_NEXT = (
    outbox.WHOLE.where(
        col(Outgoing.state) == OutgoingState.OWED, _IS_DUE, col(Outgoing.id) > bindparam("after", type_=Integer)
    )
    .order_by(col(Outgoing.id))
    .limit(TOGETHER)
    .with_for_update(skip_locked=True, of=Outgoing)
)
_THESE = col(Outgoing.id).in_(bindparam("numbers", expanding=True))
_BEGUN = update(Outgoing).where(_THESE).values(delivery_starts=col(Outgoing.delivery_starts) + 1)
_LATER = (
    update(Outgoing)
    .where(col(Outgoing.id) == bindparam("number"))
    .values(error=bindparam("error"), troubled=bindparam("troubled", type_=Utc), due=bindparam("later", type_=Utc))
)
_SENT = (
    update(Outgoing)
    .where(_THESE)
    .values(
        state=OutgoingState.SENT.value,
        sent=bindparam("now", type_=Utc),
        error=None,
        troubled=None,
        attempts=col(Outgoing.attempts) + 1,
        delivery_starts=0,
    )
)

Sign = Callable[[bytes], bytes]


@dataclass(frozen=True, slots=True)
class Batch:
    """The messages that were sent together: how many were attempted, and whether no other was due then."""

    attempts: int
    is_last: bool


NOTHING = Batch(0, is_last=True)


def unsigned(raw: bytes) -> bytes:
    """Return the message unchanged, for servers that don't sign."""
    return raw


class DeliveryResults:
    """The results of attempts that aren't in the database yet; any thread can record them."""

    def __init__(self, locks: Locks, vitals: Vitals | None = None) -> None:
        self.locks = locks
        self.vitals = vitals or Vitals()
        self._results: list[_Result] = []
        self._lock = threading.Lock()
        self.started: set[int] = set()
        """Messages in progress in this process; if it ends in good order, they didn't cause that."""

    def add(self, result: "_Result") -> None:
        """Add a result."""
        with self._lock:
            self._results.append(result)

    def record(self, engine: Engine, now: datetime) -> None:
        """Store the results. If the database fails they are kept, so that nothing is sent twice because of it."""
        with self._lock:
            _mark(engine, self._results, now)
            ended = {result.outgoing for result in self._results}
            self._results.clear()
            self.started -= ended
            self.locks.release_each({_lock_name(number) for number in ended})

    def release(self, engine: Engine, now: datetime) -> None:
        """Store the results before an orderly end, and clear messages in progress of suspicion."""
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
) -> Batch:
    """Send the next few messages that are due; call again unless they were the last."""
    results.record(engine, clock())  # left from a call during which the database failed
    with reading(engine) as connection:
        if connection.execute(_ANY, _moment(clock())).first() is None:
            return NOTHING
    with writing(engine) as connection:
        rows, is_last = _begin(connection, results, clock())
    if not rows:
        return NOTHING
    results.started |= {row.id for row in rows if row.id is not None}
    failpoints.reach(Step.BEGUN)
    with read_only(engine) as session:
        letters = _rendered(session, renderer, rows)
    failpoints.reach(Step.RENDERED)
    attempts = 0
    refused = []
    try:
        for letter in letters:
            if stopped():
                break
            result = _attempt(server, outbox, letter, sign, results.vitals)
            results.add(result)
            if result.error is None:
                took = (clock() - letter.row.created).total_seconds()
                results.vitals.counts.sent_in.observe(max(0.0, took))
            attempts += 1
            if result.is_refused:
                refused.append(result.outgoing)
    finally:
        results.record(engine, clock())
    if refused:
        with transaction(engine) as session:
            for outgoing in refused:
                bounces.record(session, server, session.get_one(Outgoing, outgoing), clock())
    return Batch(attempts, is_last and not refused)  # a refusal may have queued others


def _begin(connection: Connection, results: DeliveryResults, now: datetime) -> tuple[list[Outgoing], bool]:
    """Choose the next messages that are due, oldest first, and count the start of work on them before it begins.

    A message that was in progress when a server ended goes alone, so that no other suffers if it was the cause. After
    three times its pauses grow, so that others go out meanwhile. It is never given up for that: nobody refused it, and
    a server may be killed for reasons that have nothing to do with the message.

    Return them, and whether no others are due.
    """
    chosen: list[Outgoing] = []
    held: set[str] = set()
    is_last = True
    for row in _free(connection, results.locks, held, now):
        suspect = row.delivery_starts > 0 and row.id not in results.started
        if not (suspect and chosen):
            chosen.append(row)
        if suspect or len(chosen) == TOGETHER:
            is_last = False
            break
    new = [row for row in chosen if row.id not in results.started]
    if new:
        connection.execute(_BEGUN, {"numbers": [row.id for row in new]})
    for row in chosen:
        if row.delivery_starts + (row.id not in results.started) >= MOST:
            _put_off(connection, row, now, is_suspect=row.id not in results.started)
    results.locks.release_each(held.difference(_lock_name(row.id) for row in chosen))
    return chosen, is_last


def _put_off(connection: Connection, row: Outgoing, now: datetime, *, is_suspect: bool) -> None:
    """Have a message wait longer in case that we end too; otherwise the result sets when it is due."""
    error, troubled = row.error, row.troubled
    if is_suspect and row.delivery_starts >= MOST:
        error = f"The server ended {row.delivery_starts} times while it made or sent this mail."
        troubled = troubled or now
        _log(row, f"tried alone: {error}")
    later = now + PAUSES[min(row.delivery_starts + is_suspect - MOST, len(PAUSES) - 1)]
    connection.execute(_LATER, {"number": row.id, "error": error, "troubled": troubled, "later": later})


def _free(connection: Connection, locks: Locks, held: set[str], now: datetime) -> Iterator[Outgoing]:
    """Yield the messages that are due and not locked by another daemon, oldest first; add the locks taken to `held`."""
    after = 0
    while rows := [outbox.of_columns(row) for row in connection.execute(_NEXT, {**_moment(now), "after": after})]:
        free = locks.try_acquire_each([_lock_name(row.id) for row in rows])
        held |= free
        yield from (row for row in rows if _lock_name(row.id) in free)
        if len(rows) < TOGETHER:
            return
        after = rows[-1].id or 0


def _moment(now: datetime) -> dict[str, object]:
    """Return the parameters of a query for what is due."""
    return {"now": now, "latest": now + PAUSES[-1]}


def _lock_name(number: int | None) -> str:
    """Return the name of the lock that is held while a message is in progress."""
    return f"owed {number}"


@dataclass(frozen=True, slots=True)
class _Letter:
    """A rendered message that is due, or the error if rendering failed."""

    row: Outgoing
    raw: bytes
    error: str | None = None


@dataclass(frozen=True, slots=True)
class _Result:
    """The result of an attempt; without an error, the message was sent."""

    outgoing: int
    template: str
    error: str | None
    later: bool
    is_bug: bool = False
    """Whether a bug prevented the attempt."""
    turns: tuple[tuple[int, int], ...] = ()
    """The matches, and their versions, in which it tells its reader that it is their turn."""

    @property
    def is_refused(self) -> bool:
        """Whether the next hop refused the message permanently, which counts as a bounce."""
        return self.error is not None and not self.later


def _rendered(session: Session, renderer: Renderer, rows: Sequence[Outgoing]) -> list[_Letter]:
    """Return the rendered messages of those rows, in order."""
    try:
        return [_Letter(row, raw) for row, raw in zip(rows, renderer.render(session, rows), strict=True)]
    except DBAPIError:
        raise
    except Exception:  # noqa: BLE001 - a bug in a template or a replay must not stop the others
        return [_rendered_alone(session, renderer, row) for row in rows]


def _rendered_alone(session: Session, renderer: Renderer, row: Outgoing) -> _Letter:
    try:
        (raw,) = renderer.render(session, [row])
        return _Letter(row, raw)
    except DBAPIError:
        raise
    except Exception:  # noqa: BLE001 - stored in the row for the operator
        return _Letter(row, b"", traceback.format_exc())


def _attempt(server: ServerSettings, outbox: Outbox, letter: _Letter, sign: Sign, vitals: Vitals) -> _Result:
    """Sign a message and send it to the next hop."""
    row, sent = letter.row, vitals.counts.mails_out
    assert row.id is not None  # noqa: S101 - a stored row has one
    if letter.error is not None:
        sent.labels("not rendered").inc()
        _log(row, "not rendered")
        return _Result(row.id, row.template, letter.error, later=True, is_bug=True)
    try:
        raw = sign(letter.raw)
    except Exception:  # noqa: BLE001 - a bug must not stop the others
        sent.labels("not signed").inc()
        _log(row, "not signed")
        return _Result(row.id, row.template, traceback.format_exc(), later=True, is_bug=True)
    try:
        outbox.send(server.address, row.address, raw)
    except NotSent as error:
        if error.is_lost:
            vitals.outbox.fails("next hop", str(error))
        sent.labels("postponed" if error.later else "refused").inc()
        _log(row, f"not sent{', to be tried again' if error.later else ''}: {error}")
        return _Result(row.id, row.template, str(error), later=error.later)
    failpoints.reach(Step.SENT)
    vitals.outbox.works()
    sent.labels("sent").inc()
    _log(row, "sent")
    return _Result(row.id, row.template, None, later=False, turns=tuple(facts.turns_of_reader(row.facts)))


def _mark(engine: Engine, results: list[_Result], now: datetime) -> None:
    """Store how the attempts ended and when the next ones are due. The time of a turn begins when it was sent."""
    if not results:
        return
    with writing(engine) as connection:
        if sent := [result.outgoing for result in results if result.error is None]:
            connection.execute(_SENT, {"numbers": sent, "now": now})
        if any(each.turns or each.error is not None or each.template == erasure.LAST_MAIL for each in results):
            with Session(connection, expire_on_commit=False) as session, session.begin():
                _draw_consequences(session, results, now)
    failpoints.reach(Step.MARKED)


def _draw_consequences(session: Session, results: list[_Result], now: datetime) -> None:
    """Let the time of turns begin, postpone what failed, and forget whom the last message was for."""
    for number, seen in sorted({turn for result in results for turn in result.turns}):
        _hand_over(session, number, seen, now)
    for result in results:
        if result.error is not None:
            _postpone(session.get_one(Outgoing, result.outgoing), result, now)
    if last := [result.outgoing for result in results if result.template == erasure.LAST_MAIL]:
        erasure.forget_last(session, last)


def _hand_over(session: Session, number: int, seen: int, now: datetime) -> None:
    """Let the time of a turn begin."""
    try:
        with session.begin_nested():
            timekeeping.hand_over(session, number, seen, now)
    except DBAPIError:
        raise
    except Exception:  # a bug: what was sent must be marked as sent, or it would be sent again and again
        log.exception("no clock begins", match=number)


def _postpone(row: Outgoing, result: _Result, now: datetime) -> None:
    """Make the message due again later, or give it up, unless it has been dropped."""
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
