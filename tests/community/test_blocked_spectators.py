"""A block between a player and a spectator ends what is shown, whoever of the two has blocked the other."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, update
from sqlmodel import Session, SQLModel, col, select

from pbem.config import ServerSettings
from pbem.features.watching import due, watches
from pbem.matches import lifecycle
from pbem.players import blocks
from pbem.secret_setting import Secret
from pbem.storage import database
from pbem.storage.models import Match, Outgoing, Player
from tests.contests import NOW

SERVER = ServerSettings(address="games@pbem.example", key=Secret.model_validate({"value": "a key"}))


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    """Let alice and bob play, and carol and dave watch."""
    engine = database.connect(f"sqlite:///{tmp_path}/pbem.sqlite")
    SQLModel.metadata.create_all(engine)
    with database.transaction(engine) as session:
        for name in ("alice", "bob", "carol", "dave"):
            about = {"confirmed": NOW, "created": NOW, "settings": {"watchers": "on"}}
            session.add(Player(name=name, address=f"{name}@mail.example", **about))
            session.flush()
        alice, bob, carol, dave = people(session)
        (event,) = lifecycle.offer(session, alice, bob, lifecycle.Terms("quadrature", {}), NOW)
        lifecycle.accept(session, event.match, bob, NOW)
        for spectator in (carol, dave):
            watches.begin(session, spectator, event.match, NOW)
    due.show(engine, SERVER, NOW)
    yield engine
    engine.dispose()


def people(session: Session) -> list[Player]:
    return list(session.exec(select(Player).order_by(col(Player.id))))


def told(engine: Engine) -> list[str]:
    """Return the addresses of those who are shown the next turn."""
    with database.transaction(engine) as session:
        session.execute(update(Match).values(plies=col(Match.plies) + 1))
    due.show(engine, SERVER, NOW)
    with database.read_only(engine) as session:
        return sorted(session.exec(select(Outgoing.address).where(Outgoing.template == "watched")))


def test_who_watches_is_told(engine: Engine) -> None:
    assert told(engine) == ["carol@mail.example", "dave@mail.example"]


@pytest.mark.parametrize("by_spectator", [False, True])
def test_nobody_goes_on_watching_across_a_block(engine: Engine, by_spectator: bool) -> None:
    with database.transaction(engine) as session:
        alice, _, carol, _ = people(session)
        blocks.block(session, *((carol, alice) if by_spectator else (alice, carol)), NOW)

    assert told(engine) == ["dave@mail.example"]
