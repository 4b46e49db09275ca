"""The queue of messages, received and to be sent: claiming them in turn, with any number of daemons.

Claiming is one statement that counts the attempt, takes a lease (see `leases`) and returns what there is to do: of the
rows that are free and whose turn it is, the first by lane, then by round, then by age. A row's round is how many of its
group waited when it came, so groups take turns: who sends hundreds of messages delays themselves.
"""

import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from enum import StrEnum
from itertools import chain
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Select, bindparam, func, literal_column, select, update
from sqlalchemy.exc import DBAPIError
from sqlmodel import col

from pbem.process_vitals import Link
from pbem.storage import leases
from pbem.storage.database import reading, writing
from pbem.storage.models import Incoming, IncomingState, OutgoingState

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

TIMEOUT_SECONDS = 0.5
_NOTIFY = select(func.pg_notify(bindparam("channel"), ""))


class Channel(StrEnum):
    RECEIVED = "pbem_received"
    OWED = "pbem_owed"


def notify(connection: Connection, channel: Channel) -> None:
    """Notify all daemons as soon as the transaction is committed."""
    if connection.dialect.name == "postgresql":
        connection.execute(_NOTIFY, {"channel": channel.value})


def listen(
    engine: Engine,
    events: Mapping[Channel, Collection[threading.Event]],
    stopped: Callable[[], bool],
    pause: Callable[[float], object],
    link: Link,
) -> None:
    """Set the events of each channel that is notified, until stopped; reconnect when the connection is lost."""
    while not stopped():
        try:
            with closing(engine.raw_connection()) as connection:
                driver: Any = connection.driver_connection  # SQLAlchemy has no interface for LISTEN
                connection.detach()  # a listening session is not shared, and has no driver_connection any more
                driver.autocommit = True
                for channel in events:
                    driver.execute(f"listen {channel.value}")
                link.works()
                for event in chain.from_iterable(events.values()):  # notifications from before we listened
                    event.set()
                while not stopped():
                    for notice in driver.notifies(timeout=TIMEOUT_SECONDS, stop_after=1):
                        for event in events[Channel(notice.channel)]:
                            event.set()
        except (DBAPIError, engine.dialect.loaded_dbapi.Error) as error:
            link.fails("database", str(error).partition("\n")[0])
            pause(1.0)
