"""The queue of messages, received and to be sent: claiming them in turn, with any number of daemons.

Claiming is one statement that counts the attempt, takes a lease (see `leases`) and returns what there is to do: of the
rows that are free and whose turn it is, the first by lane, then by round, then by age. A row's round is how many of its
group waited when it came, so groups take turns: who sends hundreds of messages delays themselves.

A message that arrives while its worker rests is stored with the worker's lease on it, and a reply is queued with the
sender's: whoever stores it claims for the thread that rests (`claim_for_rest`), in the same transaction, and gives it
the rows once that is committed. So neither needs a transaction of its own to be claimed.
"""

import threading
from collections.abc import Collection, Sequence
from queue import Empty, SimpleQueue
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Executable,
    ScalarSelect,
    Select,
    bindparam,
    exists,
    func,
    literal,
    literal_column,
    select,
)
from sqlmodel import col

from pbem.storage.database import reading, writing

MOST_ROUNDS = 1_000
MOMENT_SECONDS = 0.25
"""How long a thread rests, at most, that was given all that there was, before it looks for what came meanwhile."""
QueueRows = Sequence[Any]
"""What a claim returns: rows with their `id` and `attempts`, and whatever else the statement returns."""


def written_out(state: str) -> ColumnElement[str]:
    """Return a state as the condition of an index has it, in the statement itself.

    Where it is compared with a parameter, SQLite prepares the statement anew each time: 3 % of a turn.
    """
    return literal_column(f"'{state}'")


def waiting_of_group(table: Any, state: str, *which: ColumnElement[bool]) -> ScalarSelect[int]:
    """Return the round of a new row: how many of its group (the parameter `whose`) wait in that state, or many."""
    of_group = (col(table.group) == bindparam("whose"), col(table.state) == written_out(state))
    waiting = select(literal(1)).where(*of_group, *which)
    return select(func.count()).select_from(waiting.limit(MOST_ROUNDS).subquery()).scalar_subquery()


def is_next(table: Any, waiting: Select[Any]) -> ColumnElement[bool]:
    """Return the condition that a row is one of those that the query finds free, which is run once and locks them.

    As a subquery with LIMIT, PostgreSQL may run it again for each row of a small table, and claim all that wait.
    """
    found = waiting.with_for_update(skip_locked=True).cte("found")
    return col(table.id).in_(select(found.c.id))


class Queue:
    """The queue as one thread sees it: it claims messages, or is given them while it rests."""

    def __init__(self, engine: Engine, holder: str, waiting: Select[Any], claim: Executable, **fixed: object) -> None:
        """`waiting` finds what could be claimed, and `claim` claims it; `fixed` are parameters of both."""
        self.engine = engine
        self.holder = holder
        self.in_hand: QueueRows = ()
        """What was claimed and isn't done. If the database fails, it stays here and goes on later."""
        self.bell = threading.Event()
        """Set when there may be work."""
        self.is_ready = False
        """Whether the thread could begin at once what it is given."""
        self.is_through = False
        """Whether what was given last was all that there was, so that looking for more can wait a moment."""
        self._any = select(exists(waiting))
        self._claim = claim
        self._fixed = fixed
        self._given: SimpleQueue[tuple[QueueRows, bool]] = SimpleQueue()
        self._rests = threading.Semaphore(0)

    def take(self) -> QueueRows:
        """Return what is in hand, or else what was given last; nothing if there is neither."""
        if not self.in_hand:
            try:
                self.in_hand, self.is_through = self._given.get_nowait()
            except Empty:
                return ()
        return self.in_hand

    def has_any(self, **values: object) -> bool:
        """Return whether something could be claimed. On SQLite, to look costs no write lock."""
        with reading(self.engine) as connection:
            return bool(connection.scalar(self._any, {**values, **self._fixed}))

    def claim_next(self, **values: object) -> QueueRows:
        """Claim what is next, and have it in hand."""
        with writing(self.engine) as connection:
            rows = self.claim(connection, **values)
        self.in_hand = rows
        return rows

    def claim(self, connection: Connection, **values: object) -> QueueRows:
        """Claim what is next in the transaction of that connection."""
        return connection.execute(self._claim, {**values, **self._fixed, "who": self.holder}).all()

    def claim_for_rest(self, connection: Connection, **values: object) -> QueueRows:
        """Claim what is next if the thread of this queue rests; it is to be given once that is committed."""
        return self.claim(connection, **values) if self._rests.acquire(blocking=False) else ()

    def give(self, rows: QueueRows, added: Collection[int]) -> None:
        """Give the thread what was claimed for it, after rows of those numbers were added to the queue; wake it.

        If it gets them all, it looks for more only once it has rested a moment: that saves 5 % of a message.
        """
        if rows:
            self._given.put((rows, {row.id for row in rows}.issuperset(added)))
        self.bell.set()

    def rest(self, seconds: float) -> bool:
        """Wait for the bell, that long at most. Return whether it rang."""
        if self.is_ready:
            self._rests.release()
        try:
            return self.bell.wait(min(seconds, MOMENT_SECONDS) if self.is_through else seconds)
        finally:
            self.is_through = False
            self._rests.acquire(blocking=False)
