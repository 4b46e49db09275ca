"""A line that is refused leaves nothing behind."""

from contextlib import suppress
from typing import Any

import pytest
from sqlalchemy import event
from sqlmodel import Session, col, select

from pbem.conversation.core import Command, Line
from pbem.errors import Refused
from pbem.features.all import FEATURES
from pbem.storage.database import read_only
from pbem.storage.models import Incoming, Outgoing, Ply
from tests import scenes
from tests.commands.requests import asked
from tests.contests import people, started
from tests.correspondence import Correspondence

pytestmark = scenes.after(scenes.two_turns)

TURN = "b7b5 i2i4 1 b5b4 i4i5"
WORDS = {"rules": "quadraphages", "whois": "bob", "tournament": "1"}
"""What such a command needs, so that it has something to look at."""


def stored(letters: Correspondence) -> tuple[list[str], list[str], list[str | None]]:
    """Return the turns that were played, the messages that were queued last, and what became of the last message."""
    with read_only(letters.server.engine) as session:
        newest = session.exec(select(Incoming).order_by(col(Incoming.id).desc())).first()
        assert newest is not None
        texts = [*session.exec(select(Ply.text))]
        queued = [*session.exec(select(Outgoing.template).where(Outgoing.incoming == newest.id))]
        return texts, queued, [newest.state, newest.verdict]


def test_what_was_done_before_the_refused_line_is_done_once(letters: Correspondence) -> None:
    before = len(stored(letters)[0])
    letters.reply(letters.last("alice"), f"{TURN}\ndecline\nsay Hello")

    texts, queued, became = stored(letters)
    assert (len(texts) - before, sorted(queued)) == (1, ["answer", "turn"])
    assert became == ["done", "refused in part"]


@pytest.mark.parametrize("command", [each for each in (FEATURES.all_commands).values() if not each.changes])
def test_a_command_that_only_looks_writes_nothing(session: Session, command: Command) -> None:
    """So it needs no savepoint."""
    started(session)
    alice, *_ = people(session)
    request = asked(session, alice)
    words = WORDS.get(command.name, "")
    written: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_about: Any) -> None:
        written.extend(verb for verb in ("INSERT", "UPDATE", "DELETE") if statement.startswith(verb))

    event.listen(session.get_bind(), "before_cursor_execute", note)
    match = 1 if command.of_match else None
    with suppress(Refused):  # there are no tournaments
        command.run(request, Line(command, words, match, f"{command.name} {words}".strip()))
    session.flush()

    assert written == []
