"""Daemons on one PostgreSQL that act at the same instant: what is due happens once, and each sees what others did.

That they pair a round once is shown in tests/tournaments/test_at_once.py, and that they gather news once in
tests/pbem/test_digest.py.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from functools import partial

import pytest
from sqlalchemy import Engine
from sqlmodel import Session, col, select

from notation.games import GAMES
from pbem.config import ServerSettings
from pbem.features.moderation import broadcasts
from pbem.features.moderation.acts import Order
from pbem.features.seeks import commands as expiry
from pbem.features.seeks import seeks
from pbem.matches import agreements, integrity, queries
from pbem.matches.obstacles import NotPossible, Obstacle
from pbem.matches.ratings import weekly_rating
from pbem.matches.ratings.weekly_rating import WEEK, begins
from pbem.matches.stored_offers import OfferKind
from pbem.secret_setting import Secret
from pbem.server import alerts
from pbem.storage import database
from pbem.storage.due_rows import due_rows
from pbem.storage.models import (
    Announcement,
    Incoming,
    IncomingState,
    Match,
    MatchState,
    Outgoing,
    Player,
    PlayerRating,
    RatedWeek,
    Seek,
    TakenBack,
)
from tests.community.seeking import put_up
from tests.contests import NOW, play, started
from tests.postgres import Postgres
from tests.servers import until

DAEMONS = 4
NAMES = ("alice", "bob", "carol")
LATER = NOW + timedelta(days=28)
MONDAY = date(2026, 1, 5)
SERVER = ServerSettings(
    address="games@pbem.example", admin="admin@pbem.example", key=Secret.model_validate({"value": "a key"})
)
Act = Callable[[Session], object]


@pytest.fixture
def engine(postgres: Postgres) -> Iterator[Engine]:
    """Let there be three players."""
    engine = database.connect(postgres.migrated())
    with database.transaction(engine) as session:
        for name in NAMES:
            session.add(Player(name=name, address=f"{name}@mail.example", confirmed=NOW, created=NOW))
    yield engine
    engine.dispose()


def at_once(act: Callable[[], object]) -> list[object]:
    """Let several daemons act at the same instant. Return what each call returned."""
    barrier = threading.Barrier(DAEMONS)

    def run() -> object:
        barrier.wait()
        return act()

    with ThreadPoolExecutor(DAEMONS) as daemons:
        return [future.result() for future in [daemons.submit(run) for _ in range(DAEMONS)]]


def one_waits(engine: Engine, first: Act, second: Act) -> object:
    """Let two daemons act, the second while the first hasn't committed. Return what the second call returned."""
    found: list[object] = []

    def other() -> None:
        with database.transaction(engine) as session:
            found.append(second(session))

    def is_waiting() -> bool:
        with engine.connect() as connection:
            return bool(connection.exec_driver_sql("select count(*) from pg_locks where not granted").scalar_one())

    thread = threading.Thread(target=other, daemon=True)
    with database.transaction(engine) as session:
        first(session)
        thread.start()
        until(is_waiting, "the other waits")
    thread.join()
    (answer,) = found
    return answer


def told(engine: Engine) -> Counter[str]:
    """Return how many messages are queued for each address."""
    with database.read_only(engine) as session:
        return Counter(session.exec(select(Outgoing.address)).all())


def seek(session: Session) -> None:
    """Let alice seek a match."""
    terms = {"game": "kvadratik", "options": {}, "begin": "me"}
    put_up(session, session.get_one(Player, 1), terms, until=LATER)


# Two people


def accept(session: Session) -> Obstacle | None:
    """Let bob accept that two turns are taken back. Return what prevents that."""
    match = queries.locked(session, 1)
    assert match is not None
    try:
        agreements.accept(session, match, 1, None, NOW, seen=2)
    except NotPossible as refused:
        return refused.obstacle
    return None


def move_on(session: Session) -> None:
    """Let alice play her next turn."""
    match = queries.locked(session, 1)
    assert match is not None
    play(session, match, "f3g4")


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
    with database.transaction(engine) as session:
        match = started(session, "quadrature")
        for turn in ("e3f4", "e9f8"):
            play(session, match, turn)
        agreements.propose(session, match, 0, OfferKind.UNDO, NOW)

    assert one_waits(engine, first, second) == refusal

    with database.read_only(engine) as session:
        match = session.get_one(Match, 1)
        assert (match.plies, len(session.exec(select(TakenBack)).all())) == (plies, taken_back)
        assert list(integrity.faults(session, [match])) == [[]]


def take(taker: int, session: Session) -> bool:
    """Take the seek. Return whether that worked."""
    found = seeks.locked(session, 1, NOW)
    if found is not None:
        seeks.take(session, *found, session.get_one(Player, taker), NOW, LATER, seeker_begins=True)
    return found is not None


def test_one_of_two_gets_the_match(engine: Engine) -> None:
    with database.transaction(engine) as session:
        seek(session)

    assert one_waits(engine, partial(take, 2), partial(take, 3)) is False

    with database.read_only(engine) as session:
        assert [match.seat1 for match in session.exec(select(Match).order_by(col(Match.id)))] == [2]


# What is due


def test_two_daemons_tell_of_the_end_of_a_seek_once(engine: Engine) -> None:
    with database.transaction(engine) as session:
        seek(session)

    at_once(lambda: expiry.DUE[0].act(engine, SERVER, LATER))

    assert told(engine).total() == 1
    with database.read_only(engine) as session:
        assert session.get_one(Seek, 1).closed == LATER


def test_weeks_are_rated_once(engine: Engine) -> None:
    with database.transaction(engine) as session:
        for week in range(4):
            ended = begins(MONDAY + week * WEEK)
            for game in GAMES:
                for one in (1, 2):
                    over = {"state": MatchState.OVER, "termination": "rules", "winner": one % 2, "plies": 30}
                    rated = {"rated": True, "counted": ended, "created": ended, "ended": ended}
                    session.add(Match(game=game, options={}, seat0=one, seat1=one + 1, challenger=one, **over, **rated))

    at_once(lambda: weekly_rating.rate_due(engine, begins(MONDAY + 5 * WEEK)))

    with database.read_only(engine) as session:
        weeks = Counter(session.exec(select(RatedWeek.game)).all())
        rows = Counter(session.exec(select(PlayerRating.game, PlayerRating.week, PlayerRating.player)).all())
        latest = Counter(session.exec(select(PlayerRating.game).where(col(PlayerRating.superseded).is_(None))).all())
        assert weeks == dict.fromkeys(GAMES, 4)
        assert len(rows) == rows.total() == len(GAMES) * 4 * len(NAMES)
        assert latest == dict.fromkeys(GAMES, len(NAMES))
        assert not [fault for game in GAMES for fault in weekly_rating.faults(session, game)]


def test_an_announcement_reaches_everybody_once_and_some_each_minute(engine: Engine) -> None:
    with database.transaction(engine) as session:
        broadcasts.begin(session, "Moving house", ["We move on Sunday."], Order("the operator", ""), NOW)

    announce = due_rows("announcements", Announcement, Announcement.due, partial(broadcasts.tell_some, most=2)).act
    seen = []
    for minute in range(3):
        at_once(partial(announce, engine, SERVER, NOW + timedelta(minutes=minute)))
        seen.append(told(engine).total())

    assert seen == [2, 3, 3]
    assert told(engine) == {f"{name}@mail.example": 1 for name in NAMES}


def test_of_several_daemons_one_tells_the_admin(engine: Engine) -> None:
    with database.transaction(engine) as session:
        session.add(
            Incoming(
                key="a key",
                size=0,
                source="test",
                recipients=[],
                received=NOW,
                state=IncomingState.SHUNTED,
                handled=NOW,
            )
        )

    assert at_once(lambda: alerts.tell(engine, SERVER, NOW)).count(True) == 1
    assert told(engine) == {"admin@pbem.example": 1}


def test_daemons_that_start_at_once_on_an_empty_database_make_its_tables_once(postgres: Postgres) -> None:
    url = postgres.database()

    def begin() -> str:
        engine = database.connect(url)
        database.upgrade(engine)
        revision = database.require_made(engine)
        engine.dispose()
        return revision

    assert at_once(begin) == [database.newest_revision()] * DAEMONS
