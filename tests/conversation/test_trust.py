"""What a domain's word is worth where it is enough to act: from the database alone, without mail."""

from dataclasses import replace
from itertools import count

import pytest
from sqlmodel import Session

from pbem.config import ChecksSettings
from pbem.errors import Unanswerable
from pbem.mail.reading.authentication import Authenticity, DomainCheck
from pbem.mail.reading.message import Message
from pbem.players import sender_identity
from pbem.players.sender_identity import Sender
from pbem.storage.models import Incoming
from tests.contests import NOW, people

NUMBERS = count()
POLICY = ChecksSettings(authserv_id="mx.pbem.example", proof="token or domain")
PASSED = DomainCheck(Authenticity.PASSED, "this message")
MESSAGE = Message((), message_id="<1@mail.example>", sender="alice@mail.example")


def is_proven(session: Session, checked: DomainCheck, address: str = "alice@mail.example") -> bool:
    """Return whether a message from alice's address on file acts, of which that was found; it may come again."""
    alice, *_ = people(session)
    row = Incoming(key=str(next(NUMBERS)), size=0, source="test", recipients=[], received=NOW)
    sender = Sender(alice.address, alice, proven=False)
    found = sender_identity.assess(session, sender, replace(MESSAGE, sender=address), checked, POLICY, row)
    session.add(row)
    session.flush()
    return found.proven


def test_a_domain_vouches_for_its_own_addresses(session: Session) -> None:
    assert is_proven(session, PASSED)
    assert not is_proven(session, replace(PASSED, proof="another message"), "alice@evil.example")


def test_a_message_acts_once_however_often_it_is_sent(session: Session) -> None:
    assert is_proven(session, PASSED)
    assert not is_proven(session, replace(PASSED))
    assert is_proven(session, replace(PASSED, proof="another message"))


@pytest.mark.parametrize("found", [DomainCheck(Authenticity.UNKNOWN), DomainCheck(Authenticity.PASSED, None)])
def test_what_nobody_vouches_for_does_not_act(session: Session, found: DomainCheck) -> None:
    assert not is_proven(session, found)


def test_what_has_failed_is_not_even_answered(session: Session) -> None:
    with pytest.raises(Unanswerable):
        is_proven(session, DomainCheck(Authenticity.FAILED))
