"""What is watched: who is told, once, by whichever daemon."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, update
from sqlmodel import col, select

from pbem.config import ServerSettings
from pbem.features.watching import due, watches
from pbem.matches import lifecycle, queries
from pbem.players import watching_rights
from pbem.players.watching_rights import Visibility
from pbem.secret_setting import Secret
from pbem.storage import database
from pbem.storage.models import Match, MatchState, Outgoing, Player
from tests import databases
from tests.contests import NOW, people

SERVER = ServerSettings(address="games@pbem.example", key=Secret.model_validate({"value": "a key"}))
NAMES = ("alice", "bob", "carol", "dave")
FULL, LATE, HIDDEN = Visibility.ALL, Visibility.LATE, Visibility.NOTHING


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    """Let alice and bob play and let others see it; carol and dave watch."""
    databases.make(databases.at(tmp_path))
    engine = database.connect(databases.at(tmp_path))
    with database.transaction(engine) as session:
        for name in NAMES:
            settings = {"watchers": "on"}
            row = Player(name=name, address=f"{name}@mail.example", confirmed=NOW, created=NOW, settings=settings)
            session.add(row)
            session.flush()
        alice, bob, carol, dave = people(session)
        (event,) = lifecycle.offer(session, alice, bob, lifecycle.Terms("quadrature", {}), NOW)
        lifecycle.accept(session, event.match, bob, NOW)
        for spectator in (carol, dave):
            assert watches.begin(session, spectator, event.match, NOW)
    yield engine
    engine.dispose()


def move_on(engine: Engine) -> None:
    """Let a turn be played, as far as spectators are concerned."""
    with database.transaction(engine) as session:
        session.execute(update(Match).values(plies=col(Match.plies) + 1))


def shown(engine: Engine) -> tuple[int, int | None]:
    """Return how many messages there are to spectators, and which version they have seen."""
    with database.read_only(engine) as session:
        rows = session.exec(select(Outgoing).where(Outgoing.template == "watched")).all()
        return len(rows), session.get_one(Match, 1).shown


def at_once(engine: Engine) -> None:
    """Let four daemons look at what is due."""
    threads = [threading.Thread(target=due.show, args=(engine, SERVER, NOW), daemon=True) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_several_daemons_show_a_turn_once(engine: Engine) -> None:
    at_once(engine)
    assert shown(engine) == (0, 0)

    seen = []
    for _ in range(3):
        move_on(engine)
        at_once(engine)
        seen.append(shown(engine))

    assert seen == [(2, 1), (4, 2), (6, 3)]


def test_a_crash_before_the_commit_leaves_it_to_be_shown(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    due.show(engine, SERVER, NOW)
    move_on(engine)

    class Killed(BaseException):
        """What the test raises where the process would be killed."""

    def kill(_step: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("pbem.failpoints.reach", kill)
        with pytest.raises(Killed):
            due.show(engine, SERVER, NOW)
    assert shown(engine) == (0, 0)

    assert due.show(engine, SERVER, NOW) == 1
    assert due.show(engine, SERVER, NOW) == 0
    assert shown(engine) == (2, 1)


def test_a_match_that_is_over_is_open_to_everybody(engine: Engine) -> None:
    with database.transaction(engine) as session:
        match = queries.locked(session, 1)
        assert match is not None
        alice, bob, carol, _ = people(session)
        alice.settings = bob.settings = {"watchers": "off"}
        session.flush()
        assert [watching_rights.of_reader(session, match, reader) for reader in (alice, carol, None)] == [
            FULL,
            HIDDEN,
            HIDDEN,
        ]
        match.state = MatchState.OVER
        assert [watching_rights.of_reader(session, match, reader) for reader in (carol, None)] == [FULL, FULL]
