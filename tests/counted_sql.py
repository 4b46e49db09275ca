"""What a database is asked: the statements that are run on it, and the transactions in which they are."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine, event


@dataclass
class Counts:
    statements: int = 0
    transactions: int = 0

    def note_statement(self, *_about: Any) -> None:
        self.statements += 1

    def note_transaction(self, _connection: Any) -> None:
        self.transactions += 1


@contextmanager
def counted(engine: Engine) -> Iterator[Counts]:
    """Count the statements and transactions, those of sessions that only read included."""
    counts = Counts()
    listeners = {"before_cursor_execute": counts.note_statement, "begin": counts.note_transaction}
    for name, listener in listeners.items():
        event.listen(engine, name, listener)
    yield counts
    for name, listener in listeners.items():
        event.remove(engine, name, listener)
