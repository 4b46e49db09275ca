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
    held = session.info.get(_HELD)
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
        event.listen(session, "before_commit", self._write_before_commit)
        event.listen(session, "after_transaction_create", self._remember)
        event.listen(session, "after_soft_rollback", self._go_back)
        event.listen(session, "after_transaction_end", self._forget)

    def _write(self) -> None:
        if self.rows:
            self._session.connection().execute(_WRITTEN, self.rows)
            self.rows = []

    def _write_before_query(self, _state: ORMExecuteState) -> None:
        self._write()

    def _write_before_commit(self, session: Session) -> None:
        if not session.in_nested_transaction():
            self._write()

    def _remember(self, _session: Session, begun: SessionTransaction) -> None:
        if begun.nested:
            self._before[begun] = list(self.rows)

    def _go_back(self, _session: Session, ended: SessionTransaction) -> None:
        """Hold again what was held when the savepoint began: it was undone if it was written since."""
        if ended.nested:
            self.rows = self._before.get(ended, [])

    def _forget(self, _session: Session, ended: SessionTransaction) -> None:
        if ended.parent is None:
            self.rows = []
            self._before = {}
