"""A claim takes no more than it asks for, however many rows PostgreSQL expected when it last looked at the table.

For a table that had a handful of rows, PostgreSQL may run a subquery again for each row, and it finds others each time.
"""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import Engine
from sqlmodel import col, select

from pbem.server.sender import TOGETHER, send_queue, what_is_due
from pbem.server.work_queue import work_queue
from pbem.storage import database, leases
from pbem.storage.models import Incoming, Lane, Outgoing, OutgoingLane
from pbem.storage.queue import QueueRows
from tests.postgres import running
from tests.servers import until
from tests.stopped_leases import RUNNING

pytestmark = pytest.mark.own_database
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
MANY = 300
"""So many rows that PostgreSQL plans for a table that has grown."""
_NUMBERS = count(1)


@pytest.fixture(params=["sqlite", "postgresql"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    url = f"sqlite:///{tmp_path}/pbem.sqlite" if request.param == "sqlite" else running().migrated()
    engine = database.connect(url)
    if request.param == "sqlite":
        database.upgrade(engine)
    yield engine
    engine.dispose()


def receive(engine: Engine, number: int) -> None:
    """Store messages that wait for a worker."""
    with database.transaction(engine) as session:
        session.add_all(
            Incoming(key=str(next(_NUMBERS)), size=0, source="test", recipients=[], received=NOON, lane=Lane.PLAYERS)
            for _ in range(number)
        )


def owe(engine: Engine, number: int, lane: OutgoingLane = OutgoingLane.SHORT, holder: str | None = None) -> None:
    """Store messages to be sent; those of a holder were in hand when a server ended."""
    with database.transaction(engine) as session:
        session.add_all(
            Outgoing(
                message_id=str(next(_NUMBERS)),
                template="help",
                references=[],
                address="alice@mail.example",
                created=NOON,
                due=NOON,
                lane=lane,
                holder=holder,
            )
            for _ in range(number)
        )


def analyze(engine: Engine) -> None:
    """Have the database note how many rows its tables have, as autovacuum does at any time."""
    with engine.connect() as connection:
        connection.exec_driver_sql("analyze")
        connection.commit()


def claim(engine: Engine, **which: object) -> QueueRows:
    """Claim outgoing messages: the next few short ones, or what is asked for."""
    return send_queue(engine, "me").claim_next(**what_is_due(NOON) | which)


def attempts(engine: Engine, table: type[Incoming] | type[Outgoing]) -> list[int]:
    """Return how often each row was claimed."""
    with database.read_only(engine) as session:
        return list(session.exec(select(table.attempts).order_by(col(table.id))))


@pytest.mark.parametrize("known", [0, 1, MANY])
def test_a_worker_claims_one_message(engine: Engine, known: int) -> None:
    receive(engine, known)
    analyze(engine)
    receive(engine, 4)

    assert [row.id for row in work_queue(engine, "me").claim_next()] == [1]
    assert attempts(engine, Incoming) == [1, *[0] * (known + 3)]


@pytest.mark.parametrize("known", [0, 1, MANY])
@pytest.mark.parametrize("most", [1, TOGETHER])
def test_a_sender_claims_at_most_its_share(engine: Engine, known: int, most: int) -> None:
    owe(engine, known)
    analyze(engine)
    owe(engine, TOGETHER + 4)

    assert sorted(row.id for row in claim(engine, most=most)) == list(range(1, most + 1))
    assert attempts(engine, Outgoing) == [*[1] * most, *[0] * (known + TOGETHER + 4 - most)]


@pytest.mark.parametrize("known", [0, 1, MANY])
def test_a_sender_claims_one_message_that_takes_long(engine: Engine, known: int) -> None:
    owe(engine, known, OutgoingLane.LONG)
    analyze(engine)
    owe(engine, 4, OutgoingLane.LONG)

    assert [row.id for row in claim(engine, first=OutgoingLane.LONG, last=OutgoingLane.LONG, most=1)] == [1]
    assert attempts(engine, Outgoing) == [1, *[0] * (known + 3)]


@pytest.mark.parametrize("known", [0, 1, MANY])
def test_a_message_in_hand_when_a_server_ended_is_claimed_alone(engine: Engine, known: int) -> None:
    owe(engine, known)
    analyze(engine)
    owe(engine, 4, holder="a server that ended")

    assert [row.id for row in claim(engine, last=OutgoingLane.LONG, are_suspect=True, most=1)] == [known + 1]
    assert attempts(engine, Outgoing) == [*[0] * known, 1, 0, 0, 0]


def test_leases_are_timed_by_the_clock_of_the_database(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "CLOCKS", RUNNING)

    def times() -> tuple[datetime, datetime]:
        both = select(leases.from_now(0), leases.from_now(3600))
        with database.reading(engine) as connection:
            present, later = connection.execute(both, execution_options={"compiled_cache": None}).one()
        return present, later

    first, later = times()
    assert later - first == pytest.approx(timedelta(hours=1), abs=timedelta(minutes=30))
    until(lambda: times()[0] > first, "the clock goes on")
