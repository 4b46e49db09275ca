"""What queued messages say, written for all messages of a transaction with one statement.

It is held back until the transaction ends, or until a query could read it. The end of a savepoint doesn't write it, as
it would objects that were added to the session; a savepoint that is rolled back takes with it what was queued in it.
"""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import event, insert
from sqlalchemy.orm import ORMExecuteState, SessionTransaction
from sqlmodel import Session

from pbem.storage.models import OutgoingContent

_HELD = "contents of queued messages"
"""Where a session keeps them (`Session.info`)."""
_WRITTEN = insert(OutgoingContent)


def hold(session: Session, number: int, payload: Mapping[str, Any], facts: Mapping[str, Any] | None) -> None:
    """Have what that message says written before anything reads it, and before the transaction ends."""
    held: _Held | None = session.info.get(_HELD)
    if held is None:
        held = session.info[_HELD] = _Held(session)
    held.rows.append({"outgoing": number, "payload": payload, "facts": facts})


class _Held:
    """The rows that a session has yet to write, and what they were when each open savepoint began."""

    def __init__(self, session: Session) -> None:
        self.rows: list[dict[str, Any]] = []
        self._before: dict[SessionTransaction, list[dict[str, Any]]] = {}
        self._session = session
        event.listen(session, "do_orm_execute", self._write_before_query)

    def _write_before_query(self, _state: ORMExecuteState) -> None:
        self.write()

    def write(self) -> None:
        """Write the rows."""
        if self.rows:
            self._session.connection().execute(_WRITTEN, self.rows)
            self.rows = []

    def remember(self, begun: SessionTransaction) -> None:
        """Note what is held when the savepoint begins."""
        self._before[begun] = list(self.rows)

    def go_back(self, ended: SessionTransaction) -> None:
        """Hold again what was held when the savepoint began: it was undone if it was written since."""
        self.rows = self._before.get(ended, [])

    def forget(self) -> None:
        """Forget everything: the transaction has ended."""
        self.rows = []
        self._before = {}


# Heard in all sessions: to listen to one costs as much as a query, and most queue something.


@event.listens_for(Session, "before_commit")
def _write_before_commit(session: Session) -> None:
    held: _Held | None = session.info.get(_HELD)
    if held is not None and not session.in_nested_transaction():
        held.write()


@event.listens_for(Session, "after_transaction_create")
def _remember(session: Session, begun: SessionTransaction) -> None:
    held: _Held | None = session.info.get(_HELD)
    if held is not None and begun.nested:
        held.remember(begun)


@event.listens_for(Session, "after_soft_rollback")
def _go_back(session: Session, ended: SessionTransaction) -> None:
    held: _Held | None = session.info.get(_HELD)
    if held is not None and ended.nested:
        held.go_back(ended)


@event.listens_for(Session, "after_transaction_end")
def _forget(session: Session, ended: SessionTransaction) -> None:
    held: _Held | None = session.info.get(_HELD)
    if held is not None and ended.parent is None:
        held.forget()
