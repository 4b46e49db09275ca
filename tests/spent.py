"""Budgets that are nearly used up: rows like those that many messages would have left, for tests about the last few."""

from itertools import count
from typing import Any

from sqlalchemy import insert
from sqlmodel import SQLModel

from pbem.storage.database import transaction
from pbem.storage.mailboxes_and_domains import owner
from pbem.storage.models import Outgoing, OutgoingState, Standing
from tests.correspondence import Correspondence

_NUMBERS = count(1)


def answers_at(letters: Correspondence, domain: str, number: int) -> None:
    """Have that many strangers at the domain answered just now."""
    assert owner(f"x@{domain}") == domain
    _queue(letters, number, stranger_domain=domain, standing=Standing.CLAIMED.value)


def news_of(letters: Correspondence, match: int, name: str, number: int) -> None:
    """Have the player cause that many messages about the match just now."""
    ((incoming,),) = letters.execute(
        f"select max(incoming.id) from incoming join player on player.id = incoming.player where name = '{name}'"
    )
    _queue(letters, number, match=match, incoming=incoming)


def copies(letters: Correspondence, table: type[SQLModel], row: int, number: int, **changes: Any) -> None:
    """Add that many rows like one that there is, but for the changes."""
    with transaction(letters.server.engine) as session:
        values = session.get_one(table, row).model_dump(exclude={"id"})
        session.add_all(table(**values | changes) for _ in range(number))


def _queue(letters: Correspondence, number: int, **values: Any) -> None:
    now = letters.clock()
    usual = {"template": "answer", "references": [], "state": OutgoingState.SENT.value, "due": now, "created": now}
    rows = (
        usual | {"message_id": f"<spent{each}@pbem.example>", "address": f"spent{each}@far.example"} | values
        for _ in range(number)
        for each in (next(_NUMBERS),)
    )
    with transaction(letters.server.engine) as session:
        session.execute(insert(Outgoing), list(rows))
