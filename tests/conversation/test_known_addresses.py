"""A token acts from the addresses that its player is known to write from: every kind of act, token and From."""

from datetime import timedelta

import pytest
from sqlmodel import Session

from pbem.config import ChecksSettings
from pbem.conversation.command import Command, Line, Reach, Who
from pbem.conversation.judge import Judgement, judge
from pbem.conversation.syntax.mail import ParsedMessage
from pbem.features.all import FEATURES
from pbem.mail.reading.authentication import Authenticity, DomainCheck
from pbem.mail.reading.message import Message
from pbem.players import addresses_and_revocation, sender_identity
from pbem.players.sender_identity import Sender
from pbem.storage.models import Incoming, Player
from pbem.tokens import Keyring, Purpose
from tests.commands.requests import SERVER
from tests.contests import NOW, people, started

ALICE, HOME, STRANGE, BOB = "alice@mail.example", "al@home.example", "eve@evil.example", "bob@mail.example"
UNKNOWN, FAILED = DomainCheck(Authenticity.UNKNOWN), DomainCheck(Authenticity.FAILED)
FROM = {
    # From, what the checks found: whether the token counts, and which address a yes makes known
    "the address on file": (ALICE, UNKNOWN, True, None),
    "the same with a sub-address": ("Alice+games@mail.example".lower(), UNKNOWN, True, None),
    "an address that is known": (HOME, UNKNOWN, True, None),
    "the same with a sub-address, known": ("al+x@home.example", UNKNOWN, True, None),
    "an unknown address": (STRANGE, UNKNOWN, False, STRANGE),
    "another player's": (BOB, UNKNOWN, False, None),
    "forged, as its domain says": (ALICE, FAILED, False, None),
    "unknown, and forged": (STRANGE, FAILED, False, None),
    "none": (None, UNKNOWN, False, None),
}
TOKENS = {Purpose.PLAY: 1, Purpose.PERSONAL: None}


@pytest.fixture
def alice(session: Session) -> Player:
    """Return alice, who plays bob in match #1 and also writes from home."""
    started(session)
    alice, *_ = people(session)
    addresses_and_revocation.note(session, alice, HOME, NOW)
    return alice


def assessed(session: Session, alice: Player, purpose: Purpose, name: str) -> Sender:
    """Return who has written to alice's token of that purpose."""
    address, checked, *_ = FROM[name]
    message = Message((), message_id="<1@mail.example>", sender=address, recipients=(SERVER.address,))
    row = Incoming(key="a key", size=0, source="test", recipients=[], received=NOW)
    sender = Sender(alice.address, alice, proven=True, match=TOKENS[purpose], purpose=purpose)
    return sender_identity.assess(session, sender, message, checked, ChecksSettings(), row)


def acts(command: Command, purpose: Purpose) -> bool:
    """Return whether a token of that purpose is enough for the command."""
    return command.asks is not True and command.reach(purpose) in (Reach.ANYWHERE, Reach.MATCH)


@pytest.mark.parametrize("purpose", TOKENS)
@pytest.mark.parametrize("name", FROM)
def test_what_a_token_does_depends_on_from(session: Session, alice: Player, name: str, purpose: Purpose) -> None:
    *_, counts, becomes_known = FROM[name]

    sender = assessed(session, alice, purpose, name)

    assert (sender.proven, sender.unknown) == (counts, becomes_known)
    for command in FEATURES.commands.values():
        if Who.ADMIN in command.open_to or command.reach(purpose) in (Reach.OPPONENT, Reach.GUEST):
            continue
        line = Line(command, "", 1 if command.of_match else None, command.name)
        told = judge(sender, ParsedMessage((line,), (), ""))
        looks = not command.changes and (counts or not command.is_large)
        is_enough = looks or (counts and acts(command, purpose))
        assert told is (Judgement.RUN if is_enough else Judgement.ASK), command.name


def test_an_address_that_is_known_as_one_s_own_stays_everybody_s(session: Session, alice: Player) -> None:
    """Anybody can write From; the yes that makes an address known isn't its owner's."""
    _, bob, _ = people(session)
    addresses_and_revocation.note(session, bob, HOME, NOW)
    message = Message((), message_id="<1@mail.example>", sender=HOME, recipients=(SERVER.address,))

    found = sender_identity.identify(session, message, SERVER, Keyring("a key"), NOW)

    assert (found.player, found.address, found.is_stranger) == (None, HOME, True)
    assert all(addresses_and_revocation.is_known(session, player, HOME) for player in (alice, bob))


def test_what_belongs_to_somebody_else_never_becomes_known(session: Session, alice: Player) -> None:
    addresses_and_revocation.note(session, alice, BOB, NOW)

    assert addresses_and_revocation.known_of(session, alice) == [HOME]


def test_an_address_that_somebody_joins_with_is_theirs(session: Session, alice: Player) -> None:
    session.add(Player(address=HOME, name="home", confirmed=NOW, created=NOW))
    session.flush()

    assert not addresses_and_revocation.is_known(session, alice, HOME)


def test_so_many_are_known_and_none_after_a_revocation(session: Session, alice: Player) -> None:
    for number in range(addresses_and_revocation.MOST + 5):
        addresses_and_revocation.note(session, alice, f"al{number}@work.example", NOW + timedelta(minutes=number + 1))
    known = addresses_and_revocation.known_of(session, alice)
    assert (len(known), known[0]) == (addresses_and_revocation.MOST, "al24@work.example")

    addresses_and_revocation.revoke(session, alice)

    assert addresses_and_revocation.known_of(session, alice) == []


def test_sub_addresses_of_players_are_their_own(session: Session, alice: Player) -> None:
    """Members of a family share a mailbox, and each has a sub-address of it."""
    other = Player(address="alice+junior@mail.example", name="junior", confirmed=NOW, created=NOW)
    session.add(other)
    session.flush()

    assert not addresses_and_revocation.is_known(session, alice, other.address)
    assert not addresses_and_revocation.is_known(session, other, alice.address)
