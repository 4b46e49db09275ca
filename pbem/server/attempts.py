"""Attempts at a message: counted before work on it begins, so that even a message that kills the server is put aside.

Starting the parser comes first and isn't counted. An attempt that failed because of the database isn't the message's
fault; this process remembers it and doesn't count it twice. After the server has ended twice during a message, the
third attempt waits for a minute, so a server that is repeatedly killed soon after its start dies without it. Meanwhile
others go first, except those of the same sender.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Engine, Integer, and_, bindparam, select, update
from sqlmodel import col

from pbem.storage.database import transaction, writing
from pbem.storage.models import Incoming, IncomingState, RawMessage
from pbem.storage.utc import Utc

MOST = 3
"""A message that failed that often is put aside for the operator."""

PAUSE = timedelta(minutes=1)
"""How long a message waits before what may be its last attempt."""

ENDED = "ended the server"
NO_TRACEBACK = (
    "Each time the server ended while it was working on this mail: killed, out of memory, or a crash below Python."
    " So there is no traceback; the system's log may know more."
)


_NUMBER = bindparam("number", type_=Integer)
_BEGUN = (
    update(Incoming)
    .where(col(Incoming.id) == _NUMBER, col(Incoming.state) == IncomingState.NEW)
    .values(
        attempts=col(Incoming.attempts) + bindparam("more", type_=Integer), last_attempt=bindparam("now", type_=Utc)
    )
    .returning(
        col(Incoming.attempts),
        col(Incoming.sender),
        col(Incoming.recipients),
        select(col(RawMessage.raw)).where(col(RawMessage.incoming) == _NUMBER).scalar_subquery(),
    )
)


@dataclass(frozen=True, slots=True)
class Received:
    """A stored message as it was received."""

    raw: bytes
    sender: str | None
    recipients: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt that has been counted: the number of it, and the message."""

    number: int
    received: Received


class Attempts:
    """The attempts of one process."""

    def __init__(self) -> None:
        self._begun: set[int] = set()

    def begin(self, engine: Engine, incoming_id: int, now: datetime) -> Attempt | None:
        """Count an attempt in its own transaction. Return it, or None if the message isn't waiting anymore."""
        more = 0 if incoming_id in self._begun else 1
        with writing(engine) as connection:
            row = connection.execute(_BEGUN, {"number": incoming_id, "more": more, "now": now}).one_or_none()
        self._begun.add(incoming_id)
        if row is None:
            return None
        number, sender, recipients, raw = row
        return Attempt(number, Received(raw or b"", sender, tuple(recipients)))

    def take_back(self, engine: Engine, incoming_id: int) -> None:
        """Undo the count of an attempt that wasn't made, because another daemon's message goes first."""
        with transaction(engine) as session:
            waits = (col(Incoming.id) == incoming_id, col(Incoming.state) == IncomingState.NEW)
            session.exec(update(Incoming).where(*waits).values(attempts=Incoming.attempts - 1))
        self.end(incoming_id)

    def end(self, incoming_id: int) -> None:
        """Note that the attempt has ended by itself, successfully or not."""
        self._begun.discard(incoming_id)


def is_paused(row: Any, since: Any, now: Any) -> ColumnElement[bool]:
    """Return the condition that a message pauses before its last attempt, because the one before was after `since`.

    An attempt in the future was made before the clock was set back, and is ignored.
    """
    recently = (row.last_attempt.is_not(None), row.last_attempt > since, row.last_attempt <= now)
    return and_(row.attempts == MOST - 1, *recently)


def shunt(engine: Engine, incoming_id: int, error: str, trouble: str, now: datetime) -> None:
    """Put the message aside, with the reason, until the operator retries it."""
    with transaction(engine) as session:
        row = session.get_one(Incoming, incoming_id)
        row.state, row.handled, row.attempts, row.author = IncomingState.SHUNTED, now, MOST, None
        row.verdict, row.error = f"{error}, {MOST} times", _storable(trouble)
        session.add(row)


def _storable(text: str) -> str:
    r"""Return the text without characters that a database refuses; an error message may quote them.

    >>> print(_storable("a\0b\ud800c"))
    a\x00b\ud800c
    """
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")
