"""What runs while a writing transaction is open, and others have to wait."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, FrameType
from typing import Any

from sqlalchemy import Connection, Engine, event

SLOW = (
    *("pbem.messages.render.", "pbem.messages.mime.", "pbem.messages.views.", "pbem.messages.boards."),
    *(
        "pbem.messages.templating.",
        "pbem.messages.match_files.",
        "pbem.mail.transports.",
        "pbem.mail.reading.message.read",
    ),
    "pbem.mail.reading.bounce_report.",
    *("pbem.isolated.", "jinja2.", "PIL.", "dns.", "dkim."),
    *("smtplib.", "imaplib.", "email.feedparser.", "pbem.server.intake.key", "pbem.server.intake.sort"),
)
"""What parses, renders, draws, talks to the network, or reads a whole message."""


class Watch:
    """Notes every call of something slow that this thread makes within a writing transaction."""

    def __init__(self) -> None:
        self.writing = 0
        self.found: set[str] = set()
        self._known: dict[int, CodeType] = {}

    def begin(self, connection: Connection) -> None:
        is_sqlite, options = connection.dialect.name == "sqlite", connection.get_execution_options()
        can_write = "pbem_write_turns" in options if is_sqlite else not options.get("postgresql_readonly")
        if can_write and connection.get_isolation_level() != "AUTOCOMMIT":
            self.writing += 1
            sys.setprofile(self._called)

    def end(self, connection: Connection) -> None:
        sys.setprofile(None)

    def _called(self, frame: FrameType, event: str, _argument: Any) -> None:
        code = frame.f_code
        if event == "call" and id(code) not in self._known:
            self._known[id(code)] = code
            called = f"{frame.f_globals.get('__name__')}.{code.co_qualname}"
            if called.startswith(SLOW):
                self.found.add(called)


@contextmanager
def watched(engine: Engine) -> Iterator[Watch]:
    watch = Watch()
    listeners = {"begin": watch.begin, "commit": watch.end, "rollback": watch.end}
    for name, listener in listeners.items():
        event.listen(engine, name, listener)
    yield watch
    for name, listener in listeners.items():
        event.remove(engine, name, listener)
