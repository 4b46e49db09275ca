"""Sending queued messages: render, send, mark as sent. A failed message is due again later, as the database records."""

import threading
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import structlog
from sqlalchemy import Boolean, Engine, Integer, bindparam, exists, select, update
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, col

from pbem import failpoints
from pbem.config import ServerSettings
from pbem.failpoints import Step
from pbem.mail.transports.protocols import Outbox
from pbem.matches.clock import timekeeping
from pbem.messages.render import Renderer
from pbem.players import bounces, erasure
from pbem.process_vitals import Vitals
from pbem.server.next_hop import RETRY_AFTER, Letter, NextHop, Result, log_out
from pbem.storage import leases
from pbem.storage.database import read_only, reading, transaction, writing
from pbem.storage.leases import is_free
from pbem.storage.mailer import WITH_CONTENT
from pbem.storage.models import Outgoing, OutgoingLane, OutgoingState
from pbem.storage.queue import Queue, QueueRows, is_next, written_out
from pbem.storage.setbacks import SENDING, Setbacks
from pbem.storage.utc import Utc
from pbem.tokens import Keyring

log = structlog.get_logger()

GIVE_UP_AFTER = timedelta(days=5)
LEAST_ATTEMPTS = len(RETRY_AFTER)
"""After fewer attempts no message is given up: the days may have passed because we were down."""
CRASHES_TOLERATED = 3
"""A message during which the server ended that often waits longer and longer, and the admin is told."""
CRASH_RETRY_AFTER = (*RETRY_AFTER[:2], *RETRY_AFTER[2:3] * 10, *RETRY_AFTER[3:])
"""How long it waits: at most five minutes during an hour of crashes, since something else may be their cause."""
TOGETHER = 16
"""The number of messages that are rendered in one transaction and marked as sent in another. After a crash between the
two, those already sent are sent again, under the same Message-ID."""
LEASE = timedelta(minutes=5)
"""How long a claim lasts: longer than the slowest next hop takes for one message. It is renewed before each that goes
out later than RENEW_AFTER after the last."""
RENEW_AFTER = 60.0
_NOW = bindparam("now", type_=Utc)
_ORDER = (col(Outgoing.lane), col(Outgoing.round), col(Outgoing.id))
_ARE_OWED = written_out(OutgoingState.OWED)
_IS_DUE = (col(Outgoing.state) == _ARE_OWED, col(Outgoing.due) <= _NOW, is_free(Outgoing))
_WAITING = select(col(Outgoing.id)).where(*_IS_DUE)
_IS_SUSPECT = col(Outgoing.holder).is_not(None)
"""Of a message that can be claimed: the server ended while it was sending it."""
_LOOK = select(
    exists(_WAITING.where(~_IS_SUSPECT, col(Outgoing.lane) == OutgoingLane.SHORT)),
    exists(_WAITING.where(~_IS_SUSPECT, col(Outgoing.lane) == OutgoingLane.LONG)),
    exists(_WAITING.where(_IS_SUSPECT)),
)
_IS_OF_KIND = (
    # A message in whose attempt a server ended goes alone, so that no other suffers if it was the cause.
    bindparam("are_suspect", type_=Boolean) == _IS_SUSPECT,
    col(Outgoing.lane).between(bindparam("first", type_=Integer), bindparam("last", type_=Integer)),
)
_NEXT = _WAITING.where(*_IS_OF_KIND).order_by(*_ORDER).limit(bindparam("most", type_=Integer))
_COUNT_ATTEMPT = update(Outgoing).values(attempts=col(Outgoing.attempts) + 1, **leases.terms(LEASE))
_CLAIM = _COUNT_ATTEMPT.where(is_next(Outgoing, _NEXT)).returning(col(Outgoing.id), col(Outgoing.attempts))
_IS_LEASED = (col(Outgoing.id).in_(bindparam("numbers", expanding=True)), col(Outgoing.holder) == bindparam("who"))
_STILL_OWED = (*_IS_LEASED, col(Outgoing.state) == _ARE_OWED)
_OWED_ROWS = select(Outgoing).where(*_STILL_OWED).order_by(*_ORDER).options(WITH_CONTENT)
_RENEW = update(Outgoing).where(*_STILL_OWED).values(**leases.terms(LEASE)).returning(col(Outgoing.id))
_NO_TROUBLE = {"error": None, "troubled": None, "group": None, **leases.ENDED}
_MARK_SENT = update(Outgoing).where(*_IS_LEASED).values(state=OutgoingState.SENT.value, sent=_NOW, **_NO_TROUBLE)

Sign = Callable[[bytes], bytes]


def unsigned(raw: bytes) -> bytes:
    return raw


def send_queue(engine: Engine, holder: str) -> Queue:
    return Queue(engine, holder, Outgoing, _WAITING, _CLAIM)


def claim_of_short(now: datetime) -> dict[str, object]:
    """Return the parameters of a claim of the next few messages that are due, of those that are quick to render."""
    due = {"now": now, "are_suspect": False, "most": TOGETHER}
    return due | {"first": OutgoingLane.SHORT, "last": OutgoingLane.SHORT}


@dataclass(slots=True)
class MailSender:
    queue: Queue
    server: ServerSettings
    renderer: Renderer
    keyring: Keyring
    outbox: Outbox
    clock: Callable[[], datetime]
    vitals: Vitals = field(default_factory=Vitals)
    sign: Sign = unsigned
    _results: list[Result] = field(default_factory=list, init=False)
    """How attempts ended that aren't in the database yet; any thread can record them."""
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)
    _hop: NextHop = field(init=False)
    _hop_is_down: bool | None = field(default=None, init=False)
    """Whether a setback says that nothing is taken; None if it wasn't looked for."""

    def __post_init__(self) -> None:
        self._hop = NextHop(self.outbox, self.vitals, self.clock)

    def send_next(self, stopped: Callable[[], bool] = lambda: False) -> int:
        """Send the next few messages that are due, then one slow to render; then, by itself, one that a server died of.

        Return the number of attempts; call again until it is 0.
        """
        if self._hop_is_down is None:
            self._hop_is_down = Setbacks(self.queue.engine, SENDING, self.clock()).are_any
        self.record()  # left from a call during which the database failed
        if self._hop.rests:
            if self.queue.in_hand:
                self.queue.give_back()
            return 0
        if attempts := self._send(self.queue.in_hand, stopped):
            return attempts
        short = claim_of_short(self.clock())
        with reading(self.queue.engine) as connection:
            are_short, are_long, are_suspects = connection.execute(_LOOK, short).one()
        attempts = self._send(self.queue.claim_next(**short), stopped) if are_short else 0
        if are_long and not stopped():
            one = short | {"first": OutgoingLane.LONG, "last": OutgoingLane.LONG, "most": 1}
            attempts += self._send(self.queue.claim_next(**one), stopped)
        if not are_suspects or stopped():
            return attempts
        alone = self.queue.claim_next(**short | {"last": OutgoingLane.LONG, "are_suspect": True, "most": 1})
        for claim in alone:
            if claim.attempts >= CRASHES_TOLERATED:
                self._delay_suspect(claim.id, claim.attempts)
        return attempts + self._send(alone, stopped)

    def record(self) -> None:
        """Store how attempts ended. If the database fails that is kept, so that nothing is sent twice because of it."""
        with self._lock:
            _mark(self.queue, self._results, self.clock())
            self._results.clear()

    def _send(self, claims: QueueRows, stopped: Callable[[], bool]) -> int:
        if not claims:
            return 0
        failpoints.reach(Step.BEGUN)
        with read_only(self.queue.engine) as session:
            rows = session.scalars(_OWED_ROWS, {"numbers": [row.id for row in claims], "who": self.queue.holder}).all()
            letters = _rendered(session, self.renderer, self.sign, rows)
        failpoints.reach(Step.RENDERED)
        results: list[Result] = []
        unsent = {letter.number for letter in letters}
        renewed_at = self.vitals.monotonic()
        try:
            for letter in letters:
                if stopped() or self._hop.rests:
                    break
                if self.vitals.monotonic() - renewed_at > RENEW_AFTER:
                    with writing(self.queue.engine) as connection:
                        leases_of = {"numbers": sorted(unsent), "who": self.queue.holder}
                        unsent = {number or 0 for number in connection.execute(_RENEW, leases_of).scalars()}
                    renewed_at = self.vitals.monotonic()
                if letter.number not in unsent:
                    continue
                return_path = bounces.return_path(self.server, self.keyring, letter.row)
                result = self._hop.hand_over(return_path, letter)
                results.append(result)
                self._results.append(result)
                unsent.remove(letter.number)
                if result.error is None:
                    took = (self.clock() - letter.row.created).total_seconds()
                    self.vitals.counts.sent_in.observe(max(0.0, took))
        finally:
            self.queue.in_hand = [row for row in claims if row.id in unsent]
            self.record()
        self._note(any(result.error is None for result in results))
        if bounced := [result.outgoing for result in results if result.is_bounce]:
            with transaction(self.queue.engine) as session:
                for outgoing in bounced:
                    bounces.record(session, self.server, session.get_one(Outgoing, outgoing), self.clock())
        return len(results)

    def _note(self, are_any_taken: bool) -> None:
        if are_any_taken and self._hop_is_down:
            Setbacks(self.queue.engine, SENDING, self.clock()).works(0)
            self._hop_is_down = False
        elif not are_any_taken and self._hop.takes_nothing:
            Setbacks(self.queue.engine, SENDING, self.clock()).fails(0)
            self._hop_is_down = True

    def _delay_suspect(self, number: int, attempts: int) -> None:
        """Have a message during which servers have ended wait longer and longer; it is never given up for that."""
        with transaction(self.queue.engine) as session:
            row = session.get_one(Outgoing, number)
            row.due = self.clock() + CRASH_RETRY_AFTER[min(attempts - CRASHES_TOLERATED, len(CRASH_RETRY_AFTER) - 1)]
            if attempts > CRASHES_TOLERATED:
                row.error = f"The server ended while it made or sent this mail; this is attempt {attempts}."
                row.troubled = row.troubled or self.clock()
                log_out(row, f"tried alone: {row.error}")
            session.add(row)


def _rendered(session: Session, renderer: Renderer, sign: Sign, rows: Sequence[Outgoing]) -> list[Letter]:
    """Return the messages, signed; where there is a bug in a template or a replay, the others are made without it."""
    try:
        return [Letter(row, sign(raw)) for row, raw in zip(rows, renderer.render(session, rows), strict=True)]
    except DBAPIError:
        raise
    except Exception:  # noqa: BLE001 - stored in the row for the operator
        if len(rows) == 1:
            return [Letter(rows[0], b"", traceback.format_exc())]
        return [letter for row in rows for letter in _rendered(session, renderer, sign, (row,))]


def _mark(queue: Queue, results: list[Result], now: datetime) -> None:
    """Store how the attempts ended and when the next ones are due. The time of a turn begins when it was sent."""
    if not results:
        return
    with writing(queue.engine) as connection:
        if sent := [result.outgoing for result in results if result.error is None]:
            connection.execute(_MARK_SENT, {"numbers": sent, "now": now, "who": queue.holder})
        turns = sorted({turn for result in results for turn in result.turns})
        failed = [result for result in results if result.error is not None]
        last = [result.outgoing for result in results if result.template == erasure.LAST_MAIL]
        if turns or failed or last:
            with Session(connection, expire_on_commit=False) as session, session.begin():
                if turns:
                    _start_clocks(session, turns, now)
                for result in failed:
                    row = session.get_one(Outgoing, result.outgoing)
                    if row.holder == queue.holder:
                        _reschedule_or_give_up(row, result, now)
                if last:
                    erasure.forget_last(session, last)
    failpoints.reach(Step.MARKED)


def _start_clocks(session: Session, turns: Sequence[tuple[int, int]], now: datetime) -> None:
    """Let the time of turns begin, each by itself if one can't."""
    try:
        with session.begin_nested():
            timekeeping.hand_over(session, turns, now)
    except DBAPIError:
        raise
    except Exception:  # a bug: what was sent must be marked as sent, or it would be sent again and again
        if len(turns) == 1:
            log.exception("no clock begins", match=turns[0][0])
            return
        for turn in turns:
            _start_clocks(session, [turn], now)


def _reschedule_or_give_up(row: Outgoing, result: Result, now: datetime) -> None:
    """Make the message due again later, or give it up, unless it has been dropped."""
    leases.end(row)
    if row.state == OutgoingState.DROPPED:
        return
    row.error = result.error
    concerns_operator = not result.is_bug or row.standing is None  # anybody can have us reply to what proves nothing
    is_new = now - (row.retried or row.created) < GIVE_UP_AFTER or row.attempts < LEAST_ATTEMPTS
    if result.waits or (result.later and is_new):
        row.due = now + min(RETRY_AFTER[min(row.attempts, len(RETRY_AFTER)) - 1], result.at_latest)
    else:
        row.state = OutgoingState.FAILED if concerns_operator else OutgoingState.DROPPED
    if concerns_operator and (row.state == OutgoingState.FAILED or result.is_bug or result.needs_operator):
        row.troubled = row.troubled or now
