"""A command that only looks writes nothing, so it needs no savepoint."""

from contextlib import suppress
from typing import Any

import pytest
from sqlalchemy import event
from sqlmodel import Session

from pbem.conversation.command import Command, Line
from pbem.errors import Refused
from pbem.features.all import FEATURES
from tests.commands.requests import asked
from tests.contests import people, started

WORDS = {"rules": "quadraphages", "whois": "bob", "tournament": "1"}
"""What such a command needs, so that it has something to look at."""


@pytest.mark.parametrize("command", [each for each in FEATURES.all_commands.values() if not each.changes])
def test_a_command_that_only_looks_writes_nothing(session: Session, command: Command) -> None:
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
