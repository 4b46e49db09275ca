"""Two daemons on PostgreSQL and one match: what is agreed and what is played at the same time happens one by one."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from sqlalchemy import Engine
from sqlmodel import Session, select

from pbem.matches import agreements, integrity, queries
from pbem.matches.events import NotPossible, Obstacle
from pbem.matches.offers import OfferKind
from pbem.storage import database
from pbem.storage.models import Match, Player, TakenBack
from tests.contests import NOW, play, started
from tests.postgres import Postgres
from tests.servers import until

pytestmark = pytest.mark.slow

Act = Callable[[Session, Match], object]


@pytest.fixture
def engine(postgres: Postgres) -> Iterator[Engine]:
    """Make a match of Quadrature in which alice asks to take back two turns, and bob is to be asked."""
    engine = database.connect(postgres.migrated())
    with database.transaction(engine) as session:
        for name in ("alice", "bob", "carol"):
            session.add(Player(name=name, address=f"{name}@mail.example", confirmed=NOW, created=NOW))
        session.flush()
        match = started(session, "quadrature")
        for turn in ("e3f4", "e9f8"):
            play(session, match, turn)
        agreements.propose(session, match, 0, OfferKind.UNDO, NOW)
    yield engine
    engine.dispose()


def acted(engine: Engine, act: Act) -> Obstacle | None:
    """Lock the match and act in it. Return what prevented that."""
    with database.transaction(engine) as session:
        match = queries.locked(session, 1)
        assert match is not None
        try:
            act(session, match)
        except NotPossible as refused:
            return refused.obstacle
    return None


def accept(session: Session, match: Match) -> object:
    return agreements.accept(session, match, 1, None, NOW, seen=2)


def move_on(session: Session, match: Match) -> object:
    return play(session, match, "f3g4")


def waiting(engine: Engine) -> bool:
    with engine.connect() as connection:
        found: Any = connection.exec_driver_sql("select count(*) from pg_locks where not granted").scalar_one()
        return bool(found)


@pytest.mark.parametrize(
    ("first", "second", "refusal", "plies", "taken_back"),
    [
        (accept, accept, Obstacle.NO_SUCH_OFFER, 0, 2),
        (move_on, accept, Obstacle.NO_SUCH_OFFER, 3, 0),
        (accept, move_on, None, 1, 2),
    ],
)
def test_the_second_sees_what_the_first_has_done(
    engine: Engine, first: Act, second: Act, refusal: Obstacle | None, plies: int, taken_back: int
) -> None:
    found: list[Obstacle | None] = []
    other = threading.Thread(target=lambda: found.append(acted(engine, second)), daemon=True)
    with database.transaction(engine) as session:
        match = queries.locked(session, 1)
        assert match is not None
        first(session, match)
        other.start()
        until(lambda: waiting(engine), "the other waits for the match")
    other.join()

    assert found == [refusal]
    with database.read_only(engine) as session:
        match = session.get_one(Match, 1)
        assert (match.plies, len(session.exec(select(TakenBack)).all())) == (plies, taken_back)
        assert list(integrity.faults(session, [match])) == [[]]
