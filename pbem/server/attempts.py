"""How often a mail was tried: counted before anything of it is read, so that even one that kills us is given up.

An attempt that the database ended is no fault of the mail; this process remembers it and does not count it twice.
"""

from datetime import datetime

from sqlalchemy import Engine, update
from sqlmodel import col

from pbem.storage.database import transaction
from pbem.storage.models import Incoming, IncomingState

MOST = 3
"""A mail that failed so often is put aside for the operator."""

ENDED = "ended the server"
NO_TRACEBACK = (
    "Each time the server ended while it was working on this mail: killed, out of memory, or a crash below Python."
    " So there is no traceback; the system's log may know more."
)


class Attempts:
    """The attempts of one process."""

    def __init__(self) -> None:
        self._begun: set[int] = set()

    def begin(self, engine: Engine, incoming_id: int) -> int | None:
        """Count one more attempt in a transaction of its own; its number, or None for a mail that waits no more."""
        more = 0 if incoming_id in self._begun else 1
        with transaction(engine) as session:
            number: int | None = session.exec(
                update(Incoming)
                .where(col(Incoming.id) == incoming_id, col(Incoming.state) == IncomingState.NEW)
                .values(attempts=Incoming.attempts + more)
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


def shunt(engine: Engine, incoming_id: int, error: str, trouble: str, now: datetime) -> None:
    """Put the mail aside, with the reason, until the operator has it tried again."""
    with transaction(engine) as session:
        row = session.get_one(Incoming, incoming_id)
        row.state, row.handled, row.attempts = IncomingState.SHUNTED, now, MOST
        row.verdict, row.error = f"{error}, {MOST} times", _storable(trouble)
        session.add(row)


def _storable(text: str) -> str:
    r"""Give the text as any database takes it: an error's words may quote what no column can hold.

    >>> print(_storable("a\0b\ud800c"))
    a\x00b\ud800c
    """
    return text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")
