"""Removal: what stays of the row of a mail when the mail itself goes, by its age or with the player."""

from typing import Any

from sqlalchemy import Text, case, cast
from sqlmodel import Session, col, func

from pbem.storage.models import Incoming, Outgoing

EMPTY: dict[str, Any] = {
    "raw": b"",
    "sender": None,
    "recipients": [],
    "error": None,
    "source": case((col(Incoming.source).startswith("smtp"), "smtp"), else_=Incoming.source),
}
"""The row of a mail that came, once the mail is removed; its key stays, so that a replay is known."""
KEPT = func.length(Incoming.raw) > 0
"""Whether the mail is still there."""
SPEAKS = cast(Outgoing.payload, Text).not_like('%"removed": true%')
"""Whether a message still has its payload."""


def remainder(payload: dict[str, Any]) -> dict[str, Any]:
    """Return what is kept of a message's payload: what an answer to it may still need.

    >>> remainder({"matches": [], "plies": {"3": 7}})
    {'removed': True, 'plies': {'3': 7}}
    """
    return {"removed": True, **({"plies": payload["plies"]} if "plies" in payload else {})}


def is_removed(row: Outgoing) -> bool:
    """Return whether the payload of the message is gone, so that it can't be sent once more."""
    return bool(row.payload.get("removed"))


def change(session: Session, statement: Any) -> None:
    """Change rows in the database alone: what the session holds of them is not looked at again."""
    session.flush()
    session.execute(statement.execution_options(synchronize_session=False))
