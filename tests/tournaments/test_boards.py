"""The matches of a round begin a few at a time: each once, and its players are told once, wherever it is broken off."""

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from sqlalchemy import Engine
from sqlmodel import col, select

from pbem.features.tournaments import entries, rounds
from pbem.features.tournaments.due import FEW, advance
from pbem.features.tournaments.matchups import Format
from pbem.storage import database
from pbem.storage.models import Outgoing, Pairing, Player, Tournament
from tests.contests import NOW
from tests.tournaments.hosting import SERVER, finish, is_due, numbers, opened


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    """Let seven players have entered a knock-out that is to begin: the first has a bye."""
    engine = opened(tmp_path, Format.KNOCK_OUT, 7)
    yield engine
    engine.dispose()


def pair(engine: Engine) -> None:
    """Let the next round be paired, and none of its matches begin."""
    with database.read_only(engine) as session:
        prepared = rounds.prepare(session, 1, NOW)
    assert prepared is not None
    with database.transaction(engine) as session:
        assert rounds.advance(session, prepared, NOW)


def begin(engine: Engine, most: int) -> list[str]:
    """Begin some matches; return who meets whom in them, or has nobody to meet, and how that was decided."""
    with database.transaction(engine) as session:
        begun = rounds.begin_some(session, 1, most, NOW)
    return [
        " - ".join(str(player.name) for player in each.players) + (f": {each.pair.result}" if each.pair.result else "")
        for each in begun
    ]


def withdraw(engine: Engine, *players: int) -> None:
    with database.transaction(engine) as session:
        for player in players:
            entries.withdraw(session, session.get_one(Tournament, 1), session.get_one(Player, player), NOW)


def told(engine: Engine) -> Counter[str]:
    with database.read_only(engine) as session:
        return Counter(session.exec(select(Outgoing.address)).all())


def stopped_after(looks: int) -> Callable[[], bool]:
    """Return what says that the server stops, once it has been asked that often."""
    left = iter(range(looks))
    return lambda: next(left, None) is None


def test_a_round_is_begun_in_transactions_of_a_few(engine: Engine) -> None:
    assert FEW == 2
    pair(engine)
    assert numbers(engine) == (4, 0, 0)

    assert begin(engine, FEW) == ["alice: first", "erin - dave"]
    assert begin(engine, FEW) == ["gina - bob", "fred - carol"]
    assert begin(engine, FEW) == []
    assert numbers(engine)[1] == 3
    assert not is_due(engine)


def test_wherever_it_stops_each_match_begins_once_and_everybody_is_told_once(tmp_path: Path) -> None:
    once = Counter({f"{name}@mail.example": 1 for name in ("alice", "bob", "carol", "dave", "erin", "fred", "gina")})
    seen = []
    for looks in count():
        engine = opened(tmp_path / str(looks), Format.KNOCK_OUT, 7)
        advance(engine, SERVER, NOW, stopped_after(looks))
        seen.append(numbers(engine))
        advance(engine, SERVER, NOW)
        assert numbers(engine) == (4, 3, 7)
        assert told(engine) == once
        assert not is_due(engine)
        engine.dispose()
        if seen[-1] == (4, 3, 7):
            break
    assert sorted(set(seen)) == [(0, 0, 0), (4, 0, 0), (4, 1, 3), (4, 3, 7)]


def test_the_final_report_goes_to_everybody_once_wherever_it_stops(engine: Engine) -> None:
    for _ in range(3):
        advance(engine, SERVER, NOW)
        finish(engine)
    before, seen = told(engine), set()
    for looks in range(20):
        advance(engine, SERVER, NOW, stopped_after(looks))
        seen.add((told(engine) - before).total())
    assert seen >= {0, FEW, 7}
    assert told(engine) - before == Counter(dict.fromkeys(before, 1))
    assert not is_due(engine)


def test_who_withdraws_before_their_match_begins_loses_without_it(engine: Engine) -> None:
    pair(engine)
    assert begin(engine, FEW) == ["alice: first", "erin - dave"]
    withdraw(engine, 7, 3)
    assert begin(engine, FEW) == ["gina - bob: second", "fred - carol: first"]
    finish(engine)
    advance(engine, SERVER, NOW)

    with database.read_only(engine) as session:
        second = session.exec(select(Pairing).where(Pairing.round == 2).order_by(col(Pairing.board))).all()
    assert [{each.first, each.second} for each in second] == [{1, 4}, {2, 6}]
