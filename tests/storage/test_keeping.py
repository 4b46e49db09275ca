"""How long messages are kept: counted in days, or for ever."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import Engine
from sqlmodel import Session, SQLModel, select

from pbem.storage import database
from pbem.storage.models import Incoming, IncomingState, RawMessage
from pbem.storage.retention import Retention
from tests.contests import NOW


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    """Store a message that was handled, and one that wasn't."""
    engine = database.connect(f"sqlite:///{tmp_path}/pbem.sqlite")
    SQLModel.metadata.create_all(engine)
    with database.transaction(engine) as session:
        for number, state in enumerate((IncomingState.DONE, IncomingState.NEW), start=1):
            times = {"received": NOW, "handled": NOW if state is IncomingState.DONE else None}
            row = Incoming(id=number, key=str(number), size=5, source="test", recipients=[], state=state, **times)
            session.add(row)
            session.flush()
            session.add(RawMessage(incoming=number, raw=b"words"))
    yield engine
    engine.dispose()


@pytest.mark.parametrize(
    ("keep_days", "passed", "kept"), [(90, 89, {1, 2}), (90, 91, {2}), (0, 91, {1, 2}), (0, 10_000, {1, 2})]
)
def test_what_is_done_with_is_emptied_after_that_many_days_and_never_for_zero(
    engine: Engine, keep_days: int, passed: int, kept: set[int]
) -> None:
    later = NOW + timedelta(days=passed)

    Retention(keep_days, 0).step(engine, later)

    with Session(engine) as session:
        assert {*session.exec(select(RawMessage.incoming))} == kept
