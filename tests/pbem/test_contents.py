"""What queued messages say is written once for a transaction, is seen by every query, and goes with its savepoint."""

from collections.abc import Iterator

import pytest
from sqlalchemy import event
from sqlmodel import Session, select

from pbem.payloads.messages import Answer
from pbem.storage.database import transaction
from pbem.storage.models import Outgoing, OutgoingContent, Player
from pbem.storage.outbox import Mailer
from pbem.tokens import Purpose
from tests.correspondence import Correspondence

pytestmark = pytest.mark.sql


def alice(session: Session) -> Player:
    return session.exec(select(Player).where(Player.name == "alice")).one()


def queue(letters: Correspondence, session: Session, player: Player, subject: str) -> int:
    mailer = Mailer(session, letters.server.settings.server, letters.clock())
    return mailer.to_player(player, Answer(sections=(), subject=subject), purpose=Purpose.PERSONAL)


def subjects(letters: Correspondence, after: int) -> dict[int, object]:
    """Return the subjects that later rows of both tables have."""
    with Session(letters.server.engine) as session:
        rows = session.exec(select(Outgoing).where(Outgoing.id > after).order_by(Outgoing.id))  # type: ignore[arg-type, operator]
        return {row.id or 0: row.payload.get("subject") for row in rows}


@pytest.fixture
def last(letters: Correspondence) -> int:
    ((number,),) = letters.execute("select max(id) from outgoing")
    return int(str(number))


@pytest.fixture
def inserts(letters: Correspondence) -> Iterator[list[int]]:
    """Return how many rows each statement adds, as it is run."""
    found: list[int] = []

    def note(_connection: object, cursor: object, statement: str, parameters: list[object], *_: object) -> None:
        if statement.startswith("INSERT INTO outgoingcontent"):
            found.append(len(parameters) if isinstance(parameters, list) else 1)

    event.listen(letters.server.engine, "before_cursor_execute", note)
    yield found
    event.remove(letters.server.engine, "before_cursor_execute", note)


def test_one_statement_writes_those_of_a_transaction(letters: Correspondence, last: int, inserts: list[int]) -> None:
    with transaction(letters.server.engine) as session:
        player = alice(session)
        with session.begin_nested():
            queue(letters, session, player, "one")
        with session.begin_nested():
            queue(letters, session, player, "two")
        queue(letters, session, player, "three")
        player.bounces = 1  # a flush alone writes none
        session.flush()
        assert inserts == []
    assert inserts == [3]
    assert [*subjects(letters, last).values()] == ["one", "two", "three"]


def test_a_savepoint_that_is_rolled_back_takes_its_own(letters: Correspondence, last: int) -> None:
    with transaction(letters.server.engine) as session:
        player = alice(session)
        queue(letters, session, player, "before")
        savepoint = session.begin_nested()
        queue(letters, session, player, "undone")
        savepoint.rollback()
        with session.begin_nested():
            queue(letters, session, player, "after")
    assert [*subjects(letters, last).values()] == ["before", "after"]
    assert contents(letters, last) == 2


def test_what_a_query_had_written_in_an_undone_savepoint_is_written_again(letters: Correspondence, last: int) -> None:
    with transaction(letters.server.engine) as session:
        player = alice(session)
        first = queue(letters, session, player, "before")
        savepoint = session.begin_nested()
        with session.begin_nested():
            second = queue(letters, session, player, "undone")
        assert [session.get_one(Outgoing, each).payload["subject"] for each in (first, second)] == ["before", "undone"]
        savepoint.rollback()
        session.expire_all()
        assert session.get_one(Outgoing, first).payload["subject"] == "before"
        assert session.get(Outgoing, second) is None
    assert [*subjects(letters, last).values()] == ["before"]


def test_a_session_whose_transaction_failed_keeps_none(letters: Correspondence, last: int) -> None:
    with Session(letters.server.engine, expire_on_commit=False) as session:
        player = alice(session)
        session.expunge(player)
        queue(letters, session, player, "lost")
        session.rollback()
        queue(letters, session, player, "lost too")
        session.close()
        queue(letters, session, player, "kept")
        session.commit()
        queue(letters, session, player, "kept too")
        session.commit()
    assert [*subjects(letters, last).values()] == ["kept", "kept too"]


def contents(letters: Correspondence, after: int) -> int:
    with Session(letters.server.engine) as session:
        return len(session.exec(select(OutgoingContent).where(OutgoingContent.outgoing > after)).all())  # type: ignore[operator]
