"""A claim takes no more than it asks for, however many rows PostgreSQL expected when it last looked at the table.

For a table that had a handful of rows, PostgreSQL may run a subquery again for each row, and it finds others each time.
"""

import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import Engine
from sqlmodel import col, select

from pbem.server import incoming_queue as queue_of_work
from pbem.server.daemon import void_leases
from pbem.server.incoming_queue import work_queue
from pbem.server.sender import TOGETHER, claim_of_short, send_queue
from pbem.storage import database, leases
from pbem.storage.leases import new_holder
from pbem.storage.models import Incoming, IncomingState, Lane, Outgoing, OutgoingLane
from pbem.storage.queue import Queue
from tests.postgres import running
from tests.servers import until
from tests.stopped_leases import ENDED, RUNNING

pytestmark = pytest.mark.own_database
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)
MANY = 300
"""So many rows that PostgreSQL plans for a table that has grown."""
_NUMBERS = count(1)
ME, YOU = "me@mail.example", "you@mail.example"


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
@pytest.mark.parametrize(
    ("lane", "holder", "most", "which"),
    [
        (OutgoingLane.SHORT, None, 1, {}),
        (OutgoingLane.SHORT, None, TOGETHER, {}),
        (OutgoingLane.LONG, None, 1, {"first": OutgoingLane.LONG, "last": OutgoingLane.LONG}),
        (OutgoingLane.SHORT, "a server that ended", 1, {"last": OutgoingLane.LONG, "are_suspect": True}),
    ],
)
def test_a_sender_claims_at_most_its_share(
    engine: Engine, lane: OutgoingLane, holder: str | None, most: int, which: dict[str, object], known: int
) -> None:
    owe(engine, known, lane)
    analyze(engine)
    owe(engine, TOGETHER + 4, lane, holder)
    first = known + 1 if holder else 1
    wanted = list(range(first, first + most))

    rows = send_queue(engine, "me").claim_next(**claim_of_short(NOON) | which | {"most": most})

    assert sorted(row.id for row in rows) == wanted
    tried = attempts(engine, Outgoing)
    assert [number for number, each in enumerate(tried, start=1) if each] == wanted
    assert sum(tried) == most


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


# Several daemons


def wait(engine: Engine, *messages: tuple[str | None, Lane]) -> list[int]:
    """Store messages of those groups in those lanes. Return their numbers."""
    with database.transaction(engine) as session:
        rows = [
            Incoming(key=str(place), size=0, source="test", recipients=[], received=NOON, group=group, lane=lane)
            for place, (group, lane) in enumerate(messages)
        ]
        session.add_all(rows)
        session.flush()
        return [row.id or 0 for row in rows]


def another(engine: Engine, *, are_suspect: bool = False) -> Queue:
    """Return the queue as another daemon sees it."""
    return work_queue(engine, new_holder(), are_suspect=are_suspect)


def claimed(queue: Queue) -> int | None:
    """Let the daemon claim the next message. Return its number."""
    rows = queue.claim_next()
    return rows[0].id if rows else None


def done(engine: Engine, number: int) -> None:
    with database.transaction(engine) as session:
        session.get_one(Incoming, number).state = IncomingState.DONE


def expire(engine: Engine) -> None:
    """Let all leases end."""
    with database.transaction(engine) as session:
        session.connection().exec_driver_sql(f"update incoming set leased_until = {ENDED}")


def test_each_daemon_takes_the_oldest_message_that_no_other_has(engine: Engine) -> None:
    first, second, third = wait(engine, (ME, Lane.PLAYERS), (YOU, Lane.PLAYERS), (None, Lane.PLAYERS))
    one, two, three, four = (another(engine) for _ in range(4))
    assert [claimed(one), claimed(two), claimed(three), claimed(four)] == [first, second, third, None]
    assert not four.has_any()


def test_what_one_person_sends_is_handled_in_its_order(engine: Engine) -> None:
    first, second, other = wait(engine, (ME, Lane.PLAYERS), (ME, Lane.PLAYERS), (YOU, Lane.PLAYERS))
    one, two = another(engine), another(engine)
    assert [claimed(one), claimed(two), claimed(two)] == [first, other, None]
    done(engine, first)
    assert claimed(two) == second


def test_a_reply_waits_for_replies_alone(engine: Engine) -> None:
    """Anybody can write a player's address into From, so such a message holds up none of the player's replies."""
    forged, reply, later = wait(engine, (ME, Lane.PLAYERS), (ME, Lane.REPLIES), (ME, Lane.REPLIES))
    for_others = work_queue(engine, new_holder(), (Lane.PLAYERS, Lane.STRANGERS))
    for_replies = work_queue(engine, new_holder(), (Lane.REPLIES,))
    assert [claimed(for_others), claimed(for_replies), claimed(for_replies)] == [forged, reply, None]
    done(engine, reply)
    assert claimed(for_replies) == later


def test_what_a_dead_or_frozen_daemon_had_is_claimed_when_its_lease_ends(engine: Engine) -> None:
    first, _ = wait(engine, (ME, Lane.PLAYERS), (ME, Lane.PLAYERS))
    one, two = another(engine), another(engine)
    (mine,) = one.claim_next()
    assert (mine.id, mine.attempts, claimed(two)) == (first, 1, None)
    expire(engine)
    assert claimed(two) is None, "the server ended over it, so it is for another thread"
    two = another(engine, are_suspect=True)
    (theirs,) = two.claim_next()
    assert (theirs.id, theirs.attempts) == (first, 1), "counted when work on it begins"
    theirs = queue_of_work.begin_again(two, first)
    with database.transaction(engine) as session:
        assert queue_of_work.own(session, first, one.holder, mine.attempts) is None, "it comes too late"
        assert queue_of_work.own(session, first, two.holder, theirs.attempts) is not None
    assert queue_of_work.begin_again(one, first) is None
    assert not queue_of_work.shunt(one, first, mine.attempts, "", "", NOON)


@pytest.mark.parametrize("engine", ["postgresql"], indirect=True)
def test_a_daemon_that_starts_leaves_the_leases_of_those_that_run(engine: Engine) -> None:
    first, second = wait(engine, (ME, Lane.PLAYERS), (YOU, Lane.PLAYERS))
    elsewhere, dead = another(engine), another(engine)
    elsewhere.holder = f"another machine {os.getpid()} 0"
    assert [claimed(elsewhere), claimed(dead)] == [first, second]
    void_leases(engine)
    assert [claimed(another(engine, are_suspect=True)) for _ in range(2)] == [second, None]
