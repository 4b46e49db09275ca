"""A long time on a ladder: whatever happens, who stands where follows from the rows."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from random import Random

import pytest
from sqlalchemy import Engine
from sqlmodel import col, select

from notation import time_control
from notation.ending import Ending, Termination
from pbem.features.tournaments import entries, rungs
from pbem.features.tournaments import ladders_due as ladders
from pbem.features.tournaments.entries import TournamentTerms
from pbem.features.tournaments.field import Format
from pbem.matches import lifecycle, queries
from pbem.storage import database
from pbem.storage.models import Match, Player, Tournament
from tests import databases
from tests.contests import NOW
from tests.tournaments.hosting import SERVER

pytestmark = [pytest.mark.slow, pytest.mark.sql]

ENDS = (Termination.RESIGNATION, Termination.RESIGNATION, Termination.TIMEOUT, Termination.AGREEMENT)


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    """Let there be twelve players and a ladder."""
    databases.make(databases.at(tmp_path))
    engine = database.connect(databases.at(tmp_path))
    with database.transaction(engine) as session:
        for number in range(1, 13):
            name = f"p{number}"
            session.add(Player(name=name, address=f"{name}@mail.example", confirmed=NOW, created=NOW))
        control = time_control.parse("3d/move,auto")
        entries.open_(
            session,
            TournamentTerms(Format.LADDER, "Ladder", "kvadratik", {}, control, False, 12, 0, None, 2, 4),
            None,
            NOW,
        )
    yield engine
    engine.dispose()


@pytest.mark.parametrize("seed", range(2))
def test_the_rungs_follow_from_the_rows(engine: Engine, seed: int) -> None:
    chance, now = Random(seed), NOW
    for _ in range(220):
        now += timedelta(days=1)
        with database.transaction(engine) as session:
            ladder = session.get_one(Tournament, 1)
            whole = rungs.ladder_of(session, ladder, range(1, 13), now)
            one, other = (session.get_one(Player, number) for number in chance.sample(range(1, 13), 2))
            number, wanted = one.id or 0, other.id or 0
            if not whole.rung_of(number):
                if not rungs.running(session, ladder, one):
                    rungs.enter(session, ladder, one, now)
            elif chance.random() < 0.02:
                rungs.leave(session, ladder, one, now)
            elif whole.rung_of(wanted) and whole.obstacle(number, wanted, now) is None:
                rungs.challenge(session, ladder, whole, one, other, now)
            running = session.exec(select(Match.id).where(col(Match.ended).is_(None))).all()
            for each in chance.sample(running, min(len(running), chance.randint(0, 2))):
                match = queries.locked(session, each or 0)
                assert match is not None
                end, seat = chance.choice(ENDS), chance.randrange(2)
                is_draw = end is Termination.AGREEMENT
                ending = Ending(end) if is_draw else Ending(end, seat)
                lifecycle.end(session, match, ending, None if is_draw else 1 - seat, now)
        ladders.settle(engine, SERVER, now)
        with database.read_only(engine) as session:
            assert chance.random() < 0.9 or list(rungs.faults(session)) == []

    with database.read_only(engine) as session:
        assert list(rungs.faults(session)) == []
        assert len(session.exec(select(Match).where(col(Match.reported).is_not(None))).all()) > 30
