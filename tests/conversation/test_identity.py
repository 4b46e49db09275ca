"""Who has written a message, by what it shows: from the database alone, without mail."""

from dataclasses import replace

import pytest
from sqlmodel import Session

from pbem.config import ServerSettings
from pbem.errors import Unanswerable
from pbem.mail.reading.message import Message
from pbem.mail.transports.protocols import Arrival
from pbem.messages.reply_links import address_with
from pbem.players import sender_identity
from pbem.secret_setting import Secret
from pbem.server import intake
from pbem.storage.models import Lane, Outgoing, Player
from pbem.tokens import Keyring, Purpose, Token
from tests.contests import NOW, people, started

SERVER = ServerSettings(address="games@pbem.example", key=Secret.model_validate({"value": "a key"}))
KEYRING = Keyring("a key")
OURS = "<0123456789abcdef0123456789abcdef@pbem.example>"
MESSAGE = Message((), message_id="<1@mail.example>", sender="alice@mail.example", recipients=(SERVER.address,))


@pytest.fixture
def alice(session: Session) -> Player:
    """Return alice, who has got a message of ours about her match."""
    started(session)
    alice, *_ = people(session)
    about = {"template": "turn", "match": 1, "token_subject": 1, "purpose": Purpose.PLAY.name}
    to = {"message_id": OURS, "player": alice.id, "address": alice.address}
    session.add(Outgoing(references=[], created=NOW, due=NOW, **about, **to))
    session.flush()
    return alice


def sender(session: Session, **changes: object) -> sender_identity.Sender:
    """Return the sender of a message from alice's address, but for the changes."""
    return sender_identity.identify(session, replace(MESSAGE, **changes), SERVER, KEYRING, NOW)


def reply_address(player: Player, epoch: int) -> str:
    """Return where a reply about match #1 goes, with a token of that epoch."""
    return address_with(SERVER, KEYRING, Token(Purpose.PLAY, player.id or 0, 1), epoch)


def test_a_token_proves_who_writes(session: Session, alice: Player) -> None:
    found = sender(session, sender="anybody@else.example", recipients=(reply_address(alice, alice.epoch),))

    assert (found.player, found.proven, found.match) == (alice, True, 1)


@pytest.mark.parametrize("written", ['"games+{}"@pbem.example', "games%2B{}@PBEM.example"])
def test_a_token_in_a_quoted_or_encoded_address_proves_as_much(session: Session, alice: Player, written: str) -> None:
    to = written.format(reply_address(alice, alice.epoch).partition("+")[2].partition("@")[0])
    arrival = Arrival(f"To: <{to}>\n\nshow\n".encode(), "test")

    assert sender(session, recipients=(to,)).proven
    assert sender_identity.leads_to_us(to, SERVER)
    assert intake.sort(session.connection(), arrival, KEYRING).lane is Lane.REPLIES


def test_a_token_that_was_revoked_proves_nothing(session: Session, alice: Player) -> None:
    to = reply_address(alice, alice.epoch)
    alice.epoch += 1

    found = sender(session, recipients=(to,))

    assert (found.player, found.proven, found.purpose) == (alice, False, None)


def test_a_token_that_is_not_ours_is_not_answered(session: Session, alice: Player) -> None:
    to = address_with(SERVER, Keyring("another key"), Token(Purpose.PLAY, alice.id or 0, 1), alice.epoch)

    with pytest.raises(Unanswerable):
        sender(session, recipients=(to,))


def test_a_thread_is_its_reader_s_who_still_has_to_prove_it(session: Session, alice: Player) -> None:
    found = sender(session, answers=(OURS,))

    assert (found.player, found.proven, found.by_thread, found.purpose) == (alice, False, True, Purpose.PLAY)


def test_somebody_else_in_the_thread_has_none_of_its_reader_s_rights(session: Session, alice: Player) -> None:
    """Their own domain may vouch for them, which must not make them act for alice."""
    found = sender(session, sender="eve@evil.example", answers=(OURS,))

    assert (found.player, found.proven, found.by_thread, found.purpose) == (alice, False, False, None)


def test_a_reply_to_a_former_address_of_ours_keeps_its_token(session: Session, alice: Player) -> None:
    keyring = Keyring("a key", ("games@new.example", SERVER.address))
    moved = SERVER.model_copy(update={"address": "games@new.example", "aliases": (SERVER.address,)})
    before = address_with(SERVER, Keyring("a key", (SERVER.address,)), Token(Purpose.PLAY, alice.id or 0, 1), 0)

    found = sender_identity.identify(session, replace(MESSAGE, recipients=(before,)), moved, keyring, NOW)

    assert (found.player, found.proven) == (alice, True)
