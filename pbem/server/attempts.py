"""How often a mail was tried: counted when work on it begins, so that even one that kills us is put aside.

What must run before any mail can be read is started first, and isn't counted. An attempt that the database ended is no
fault of the mail; this process remembers it and does not count it twice. A mail with which the server has ended twice
waits for a minute before the third time. A server that is killed again and again soon after its start is thus killed
without it; and while it waits, others go first, but for those of the same sender.
"""

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Engine, and_, update
from sqlmodel import col

from pbem.storage.database import transaction
from pbem.storage.models import Incoming, IncomingState

MOST = 3
"""A mail that failed so often is put aside for the operator."""

PAUSE = timedelta(minutes=1)
"""How long a mail waits before what may be its last attempt."""

ENDED = "ended the server"
NO_TRACEBACK = (
    "Each time the server ended while it was working on this mail: killed, out of memory, or a crash below Python."
    " So there is no traceback; the system's log may know more."
)


class Attempts:
    """The attempts of one process."""

    def __init__(self) -> None:
        self._begun: set[int] = set()

    def begin(self, engine: Engine, incoming_id: int, now: datetime) -> int | None:
        """Count one more attempt in a transaction of its own; its number, or None for a mail that waits no more."""
        more = 0 if incoming_id in self._begun else 1
        with transaction(engine) as session:
            number: int | None = session.exec(
                update(Incoming)
                .where(col(Incoming.id) == incoming_id, col(Incoming.state) == IncomingState.NEW)
                .values(attempts=Incoming.attempts + more, last_attempt=now)
                .returning(col(Incoming.attempts))
            ).scalar_one_or_none()
        self._begun.add(incoming_id)
        return number

    def take_back(self, engine: Engine, incoming_id: int) -> None:
        """Nothing was tried after all: another daemon's mail goes first."""
        with transaction(engine) as session:
            waits = (col(Incoming.id) == incoming_id, col(Incoming.state) == IncomingState.NEW)
            session.exec(update(Incoming).where(*waits).values(attempts=Incoming.attempts - 1))
        self.end(incoming_id)

    def end(self, incoming_id: int) -> None:
        """The mail itself has ended the attempt, well or not."""
        self._begun.discard(incoming_id)


def is_paused(row: Any, since: Any, now: Any) -> ColumnElement[bool]:
    """Return the condition that a mail waits for its last attempt, which it does if the one before was after `since`.

    An attempt from the future was made by a clock that has been set back; it counts for nothing.
    """
    recently = (row.last_attempt.is_not(None), row.last_attempt > since, row.last_attempt <= now)
    return and_(row.attempts == MOST - 1, *recently)


def shunt(engine: Engine, incoming_id: int, error: str, trouble: str, now: datetime) -> None:
    """Put the mail aside, with the reason, until the operator has it tried again."""
    with transaction(engine) as session:
        row = session.get_one(Incoming, incoming_id)
        row.state, row.handled, row.attempts, row.author = IncomingState.SHUNTED, now, MOST, None
        row.verdict, row.error = f"{error}, {MOST} times", _storable(trouble)
        session.add(row)


def _storable(text: str) -> str:
    r"""Give the text as any database takes it: an error's words may quote what no column can hold.

    >>> print(_storable("a\0b\ud800c"))
    a\x00b\ud800c
    """
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")
