"""Reading never takes a write lock, and nothing slow happens while one is held."""

from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy.exc import DBAPIError
from sqlmodel import select

from pbem import failpoints
from pbem.failpoints import Step
from pbem.mail.reading.isolated_parser import MailParser
from pbem.storage import database
from pbem.storage.models import Incoming, IncomingState, Player
from tests import scenes
from tests.bounces import dsn
from tests.correspondence import MORNING, Correspondence, correspondence
from tests.write_lock import watched


def held_and_bounced(letters: Correspondence) -> None:
    """Cause a bounce of a challenge, and a message that acts after a confirmation."""
    letters.match()
    letters.write("alice@mail.example", "say Hello")
    bounced = letters.last("bob")
    letters.reply(letters.last("alice"), "yes")
    letters.deliver(dsn(letters.carried(bounced)))
    letters.write("bob@mail.example", "export me")
    letters.reply(letters.last("bob"), "yes")


def test_nothing_slow_happens_in_a_writing_transaction(tmp_path: Path) -> None:
    """The stories check this in every conversation (tests/stories/test_stories.py)."""
    with correspondence(tmp_path) as letters, watched(letters.server.engine) as watch:
        held_and_bounced(letters)

    assert watch.writing
    assert not watch.found


def test_the_watch_sees_a_message_that_is_parsed_in_a_writing_transaction(letters: Correspondence) -> None:
    with watched(letters.server.engine) as watch, database.transaction(letters.server.engine) as session:
        assert session.exec(select(Player)).all() == []  # begins the transaction
        MailParser().read(b"From: a@b.example\n\nhello\n", None, ())
    assert "pbem.mail.reading.message.read" in watch.found


def test_what_is_opened_for_reading_cannot_write(letters: Correspondence) -> None:
    engine = letters.server.engine
    with database.read_only(engine) as session:
        session.add(Player(address="a@b.example", created=MORNING))
        with pytest.raises(DBAPIError):
            session.flush()
        session.rollback()
    with database.transaction(engine) as session:  # on the same connection of the pool
        session.add(Player(address="a@b.example", created=MORNING))
    with database.read_only(engine) as session:
        assert session.exec(select(Player.address)).all() == ["a@b.example"]


def after_examination(monkeypatch: pytest.MonkeyPatch, change: Callable[[], None]) -> None:
    """Let something happen once, after a message is examined and before its transaction begins."""
    waiting = [change]

    def reach(step: Step) -> None:
        if step is Step.READ and waiting:
            waiting.pop()()

    monkeypatch.setattr(failpoints, "reach", reach)


def test_a_held_message_that_is_settled_after_it_was_examined_does_nothing(
    letters: Correspondence, monkeypatch: pytest.MonkeyPatch
) -> None:
    letters.match()
    (question,) = letters.write("alice@mail.example", "#1 say Hello")

    def settle() -> None:
        with database.transaction(letters.server.engine) as session:
            row = session.exec(select(Incoming).where(Incoming.state == IncomingState.HELD)).one()
            row.state, row.verdict = IncomingState.DONE, "not confirmed in time"

    after_examination(monkeypatch, settle)
    (answer,) = letters.reply(question, "yes")
    assert str(answer["To"]) == "alice@mail.example"
    assert letters.execute("select verdict from incoming order by id desc limit 1") == [("settled already",)]


@scenes.after(scenes.two_turns)
def test_what_was_done_before_a_refused_line_is_done_once(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), "b7b5 i2i4 1 b5b4 i4i5\ndecline\nsay Hello")

    newest = "(select max(id) from incoming)"
    assert letters.played[2:] == ["b7b5 i2i4 1 b5b4 i4i5"]
    assert letters.execute(f"select state, verdict from incoming where id = {newest}") == [("done", "refused in part")]
    templates = letters.rows(f"select template from outgoing where incoming = {newest} order by template")
    assert templates == ["answer", "turn"]
