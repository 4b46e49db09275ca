"""Which rows are free to be worked on: those that nobody has a lease on, and those whose lease has ended."""

from datetime import UTC, datetime, timedelta

import pytest
from sqlmodel import Session

from pbem.storage import leases
from pbem.storage.models import Incoming
from tests.contests import NOW
from tests.stopped_leases import NOON

CLOCK = datetime.fromisoformat(NOON).replace(tzinfo=UTC)
"""What the clock of leases shows in tests."""
SECOND = timedelta(seconds=1)


@pytest.mark.parametrize(
    ("until", "free"),
    [
        (None, True),
        (CLOCK - timedelta(days=1), True),
        (CLOCK, True),
        (CLOCK + SECOND, False),
    ],
    ids=["nobody's", "long ended", "just ended", "runs"],
)
def test_what_is_free_is_taken_and_nothing_else(session: Session, until: datetime | None, free: bool) -> None:
    before = {"leased_until": until, "holder": until and "a server that died"}
    session.add(Incoming(id=1, key="1", size=0, source="test", recipients=[], received=NOW, **before))
    session.flush()

    assert leases.take(session, Incoming, 1, "me") is free
    session.expire_all()
    assert (session.get_one(Incoming, 1).holder == "me") is free


def test_what_was_just_taken_is_not_free(session: Session) -> None:
    session.add(Incoming(id=1, key="1", size=0, source="test", recipients=[], received=NOW))
    session.flush()

    assert [leases.take(session, Incoming, 1, who) for who in ("me", "somebody else")] == [True, False]
