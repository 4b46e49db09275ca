"""Two daemons on PostgreSQL and one seek: one of two who take it at the same instant gets the match."""

import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Engine
from sqlmodel import Session, col, select

from notation.time_control import TimeControl
from pbem.config import ServerSettings
from pbem.features.seeks import due as expiry
from pbem.features.seeks import seeks
from pbem.features.seeks.seeks import SeekTerms
from pbem.secret import Secret
from pbem.storage import database
from pbem.storage.models import Match, Outgoing, Player, Seek
from tests.contests import NOW
from tests.postgres import Postgres
from tests.servers import until

pytestmark = pytest.mark.slow

LATER = NOW + timedelta(days=28)
SERVER = ServerSettings(address="games@pbem.example", key=Secret.model_validate({"value": "a key"}))


@pytest.fixture
def engine(postgres: Postgres) -> Iterator[Engine]:
    """Let alice seek a match."""
    engine = database.connect(postgres.migrated())
    with database.transaction(engine) as session:
        for name in ("alice", "bob", "carol"):
            session.add(Player(name=name, address=f"{name}@mail.example", confirmed=NOW, created=NOW))
        session.flush()
        alice = session.get_one(Player, 1)
        seeks.put_up(session, alice, SeekTerms("kvadratik", {}, TimeControl(), "me"), 1, NOW, LATER)
    yield engine
    engine.dispose()


def take(session: Session, taker: int) -> bool:
    """Take the seek. Return whether that worked."""
    found = seeks.locked(session, 1, NOW)
    if found is not None:
        seeks.take(session, *found, session.get_one(Player, taker), NOW, LATER, seeker_begins=True)
    return found is not None


def waiting(engine: Engine) -> bool:
    with engine.connect() as connection:
        found: Any = connection.exec_driver_sql("select count(*) from pg_locks where not granted").scalar_one()
        return bool(found)


def test_one_of_two_gets_the_match(engine: Engine) -> None:
    found: list[bool] = []

    def other() -> None:
        with database.transaction(engine) as session:
            found.append(take(session, 3))

    thread = threading.Thread(target=other, daemon=True)
    with database.transaction(engine) as session:
        assert take(session, 2)
        thread.start()
        until(lambda: waiting(engine), "the other waits for the seek")
    thread.join()

    assert found == [False]
    with database.read_only(engine) as session:
        assert [match.seat1 for match in session.exec(select(Match).order_by(col(Match.id)))] == [2]


def test_two_daemons_tell_of_the_end_of_a_seek_once(engine: Engine) -> None:
    threads = [threading.Thread(target=expiry.expire, args=(engine, SERVER, LATER), daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    with database.read_only(engine) as session:
        assert len(session.exec(select(Outgoing)).all()) == 1
        assert session.get_one(Seek, 1).closed == LATER
