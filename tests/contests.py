"""Matches as rows and events: what happens to a contest without messages, commands or a clock."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache

import pytest
from sqlalchemy import create_engine
from sqlmodel import Session, SQLModel, select

from notation.games import GAMES
from notation.time_control import TimeControl
from pbem.matches import lifecycle, turn_parsing
from pbem.matches.events import MatchOffered, MatchStarted
from pbem.matches.obstacles import NotPossible, Obstacle
from pbem.matches.replayed_match import Snapshot, snapshot_of
from pbem.storage.models import Match, Player

NOW = datetime(2026, 2, 3, 10, 0, tzinfo=UTC)
FIRST, PART = "1 a7b7 i3i2", "1"


@contextmanager
def three_players() -> Iterator[Session]:
    """Provide alice, bob and carol in a database in memory."""
    engine = create_engine("sqlite://")
    with engine.begin() as connection:
        connection.connection.driver_connection.deserialize(_with_three_players())  # type: ignore[union-attr]
    with Session(engine, expire_on_commit=False) as session:
        yield session
    engine.dispose()


@cache
def _with_three_players() -> bytes:
    """Return such a database, which takes longer to make than most tests with it."""
    engine = create_engine("sqlite://")
    SQLModel.metadata.create_all(engine)
    with Session(engine) as session:
        for name in ("alice", "bob", "carol"):
            session.add(Player(name=name, address=f"{name}@mail.example", confirmed=NOW, created=NOW))
        session.commit()
        made: bytes = session.connection().connection.driver_connection.serialize()  # type: ignore[union-attr]
    engine.dispose()
    return made


def people(session: Session) -> list[Player]:
    """Return the players, oldest first."""
    return list(session.exec(select(Player).order_by("id")))


def offered(
    session: Session,
    game: str = "quadraphages",
    time: TimeControl = lifecycle.NO_LIMIT,
    *,
    challenger_begins: bool = True,
) -> Match:
    """Let alice challenge bob. Return the match."""
    alice, bob, _ = people(session)
    terms = lifecycle.Terms(game, {}, time)
    (event,) = lifecycle.offer(session, alice, bob, terms, NOW, challenger_begins=challenger_begins)
    assert event == MatchOffered(event.match)
    return event.match


def started(session: Session, game: str = "quadraphages") -> Match:
    """Begin a match of alice, who is to move, and bob."""
    match, (_, bob, _) = offered(session, game), people(session)
    assert lifecycle.accept(session, match, bob, NOW) == (MatchStarted(match),)
    return match


@contextmanager
def impossible(expected: Obstacle) -> Iterator[None]:
    """Check that what is done within is refused for that reason."""
    with pytest.raises(NotPossible) as refused:
        yield
    assert refused.value.obstacle is expected


def read(snapshot: Snapshot, text: str) -> turn_parsing.ReadTurn:
    """Return a turn as written in that match."""
    notation = GAMES[snapshot.match.game].notation
    return turn_parsing.read(notation, snapshot.base, snapshot.part, turn_parsing.parse(notation, text))


def play(session: Session, match: Match, text: str, now: datetime = NOW) -> tuple[object, ...]:
    """Let the player to move play a turn, or part of one. Return the events."""
    snapshot = snapshot_of(session, match)
    turn = read(snapshot, text)
    assert snapshot.base.turn is not None
    if turn.complete:
        return lifecycle.play(session, snapshot, snapshot.base.turn, turn, now)
    return lifecycle.keep_part(session, snapshot, snapshot.base.turn, turn)
