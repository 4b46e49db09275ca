"""Daemons on one PostgreSQL that look at the clock at the same instant rate a week once, and tell everybody once.

That they pair a round once is shown in tests/tournaments/test_at_once.py.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial

import pytest
from sqlalchemy import Engine
from sqlmodel import col, select

from notation.games import GAMES
from notation.time_control import TimeControl
from pbem.config import ServerSettings
from pbem.features.bulletin import due as bulletins
from pbem.features.moderation import broadcasts
from pbem.features.moderation.acts import Order
from pbem.features.seeks import seeks
from pbem.features.seeks.seeks import SeekTerms
from pbem.matches.ratings import derivation
from pbem.matches.ratings.weeks import WEEK, begins
from pbem.secret import Secret
from pbem.storage import database
from pbem.storage.due import each_row
from pbem.storage.models import Announcement, Bulletin, Outgoing, Player, PlayerRating, RatedWeek
from tests.contests import NOW
from tests.postgres import Postgres
from tests.ratings.test_derivation import START, played

pytestmark = pytest.mark.slow

DAEMONS = 4
PEOPLE = 5
SERVER = ServerSettings(address="games@pbem.example", key=Secret.model_validate({"value": "a key"}))


@pytest.fixture
def engine(postgres: Postgres) -> Iterator[Engine]:
    """Let there be some players."""
    engine = database.connect(postgres.migrated())
    with database.transaction(engine) as session:
        for number in range(1, PEOPLE + 1):
            name, address = f"player{number}", f"p{number}@mail.example"
            session.add(Player(name=name, address=address, confirmed=NOW, created=NOW))
    yield engine
    engine.dispose()


def at_once(act: Callable[[], object]) -> None:
    """Let several daemons act at the same instant."""
    barrier = threading.Barrier(DAEMONS)

    def run() -> None:
        barrier.wait()
        act()

    with ThreadPoolExecutor(DAEMONS) as daemons:
        for future in [daemons.submit(run) for _ in range(DAEMONS)]:
            future.result()


def told(engine: Engine) -> Counter[str]:
    """Return how many messages are queued for each address."""
    with database.read_only(engine) as session:
        return Counter(session.exec(select(Outgoing.address)).all())


def test_weeks_are_rated_once(engine: Engine) -> None:
    number = 0
    with database.transaction(engine) as session:
        for week in range(4):
            for game in GAMES:
                for one in range(1, PEOPLE):
                    number += 1
                    session.add(played(number, (one, one + 1), one % 2, begins(START + week * WEEK), game))

    at_once(lambda: derivation.rate_due(engine, begins(START + 5 * WEEK)))

    with database.read_only(engine) as session:
        weeks = Counter(session.exec(select(RatedWeek.game)).all())
        rows = Counter(session.exec(select(PlayerRating.game, PlayerRating.week, PlayerRating.player)).all())
        latest = Counter(session.exec(select(PlayerRating.game).where(col(PlayerRating.superseded).is_(None))).all())
        assert weeks == dict.fromkeys(GAMES, 4)
        assert len(rows) == rows.total() == len(GAMES) * 4 * PEOPLE
        assert latest == dict.fromkeys(GAMES, PEOPLE)
        assert not [fault for game in GAMES for fault in derivation.faults(session, game)]


def test_a_bulletin_goes_out_once(engine: Engine) -> None:
    with database.transaction(engine) as session:
        terms = SeekTerms("kvadratik", {}, TimeControl(), "me")
        seeks.put_up(session, session.get_one(Player, 1), terms, 1, NOW, NOW + timedelta(days=28))
        session.add_all(Bulletin(player=number, due=NOW, told=NOW - WEEK) for number in range(2, PEOPLE + 1))

    at_once(lambda: bulletins.send(engine, SERVER, NOW))

    assert told(engine) == {f"p{number}@mail.example": 1 for number in range(2, PEOPLE + 1)}


def test_an_announcement_reaches_everybody_once_and_some_each_minute(engine: Engine) -> None:
    with database.transaction(engine) as session:
        broadcasts.begin(session, "Moving house", ["We move on Sunday."], Order("the operator", ""), NOW)

    announce = each_row(Announcement, broadcasts.due, partial(broadcasts.tell_some, most=2), doing="announcements")
    seen = []
    for minute in range(4):
        now = NOW + timedelta(minutes=minute)
        at_once(partial(announce, engine, SERVER, now))
        seen.append(told(engine).total())

    assert seen == [2, 4, 5, 5]
    assert told(engine) == {f"p{number}@mail.example": 1 for number in range(1, PEOPLE + 1)}
