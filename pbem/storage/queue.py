"""The queue of messages, received and to be sent: claiming them in turn, with any number of daemons.

Claiming is one statement that counts the attempt, takes a lease (see `leases`) and returns what there is to do: of the
rows that are free and whose turn it is, the first by lane, then by round, then by age. A row's round is how many of its
group waited when it came, so groups take turns: who sends hundreds of messages delays themselves.
"""

import threading
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Engine, Select, bindparam, literal_column, update
from sqlmodel import Session, col, func, select

from pbem.storage import leases
from pbem.storage.database import reading, writing
from pbem.storage.models import Incoming, IncomingState, Lane, OutgoingState

MOST_ROUNDS = 1_000
QueueRows = Sequence[Any]
"""What a claim returns: rows with their `id` and `attempts`, and whatever else the statement returns."""


def written_out(state: str) -> ColumnElement[str]:
    """Return a state as the condition of an index has it: compared with a parameter, SQLite would prepare it anew."""
    return literal_column(f"'{state}'")


def waiting_of_group(table: Any, state: str, *which: ColumnElement[bool]) -> ColumnElement[int]:
    """Return the round of a new row: how many of its group (the parameter `whose`) wait in that state, or many."""
    of_group = (col(table.group) == bindparam("whose"), col(table.state) == written_out(state))
    waiting: Select[Any] = select(literal_column("1")).where(*of_group, *which)
    return select(func.count()).select_from(waiting.limit(MOST_ROUNDS).subquery()).scalar_subquery()


def is_next(table: Any, waiting: Select[Any]) -> ColumnElement[bool]:
    """Return the condition of a claim. In a subquery with LIMIT, PostgreSQL may claim all rows of a small table."""
    first = waiting.with_for_update(skip_locked=True).cte("first")
    return col(table.id).in_(select(first.c.id))


def is_unfinished(table: Any) -> ColumnElement[bool]:
    return col(table.state) == written_out(IncomingState.NEW if table is Incoming else OutgoingState.OWED)


class Queue:
    """The queue as one thread sees it: it claims messages, and has them in hand until they are done."""

    def __init__(
        self, engine: Engine, holder: str, table: Any, waiting: Select[Any], claim: Any, **fixed: object
    ) -> None:
        """`waiting` finds what could be claimed, and `claim` claims it; `fixed` are parameters of both."""
        self.engine = engine
        self.table = table
        self.holder = holder
        self.in_hand: QueueRows = ()
        """What was claimed and isn't done. If the database fails, it stays here and goes on later."""
        self.bell = threading.Event()  # set when there may be work
        self._any = select(waiting.exists())
        self._claim = claim
        self._fixed = fixed

    def has_any(self, **values: object) -> bool:
        """Return whether something could be claimed. On SQLite, to look costs no write lock."""
        with reading(self.engine) as connection:
            return bool(connection.scalar(self._any, {**values, **self._fixed}))

    def claim_next(self, **values: object) -> QueueRows:
        with writing(self.engine) as connection:
            self.in_hand = connection.execute(self._claim, {**values, **self._fixed, "who": self.holder}).all()
        return self.in_hand

    def give_back(self) -> None:
        """Give back what its holder has claimed and not done; the attempt doesn't count."""
        ours = update(self.table).where(is_unfinished(self.table), col(self.table.holder) == self.holder)
        with writing(self.engine) as connection:
            connection.execute(ours.values(attempts=col(self.table.attempts) - 1, **leases.ENDED))
        self.in_hand = ()


# Daemons on PostgreSQL tell each other that there is work; a notification that is lost costs a few seconds.


def waits_from(session: Session, address: str, *which: bool) -> bool:
    waiting = (Incoming.group == address, Incoming.state == IncomingState.NEW, *which)
    return session.exec(select(Incoming.id).where(*waiting).limit(1)).first() is not None


def has_replied(session: Session, address: str, time: datetime) -> bool:
    """Return whether a reply with a token of the player at that address was received by then, and still waits."""
    return waits_from(session, address, Incoming.lane == Lane.REPLIES, Incoming.received <= time)


def waits_since(session: Session, time: datetime) -> bool:
    """Return whether a message that was received by then, and may be a player's, still waits to be handled."""
    for lane in (Lane.REPLIES, Lane.PLAYERS):
        waiting = (Incoming.state == IncomingState.NEW, Incoming.lane == lane)
        oldest = session.exec(select(Incoming.received).where(*waiting).order_by(col(Incoming.id)).limit(1)).first()
        if oldest is not None and oldest <= time:
            return True
    return False
