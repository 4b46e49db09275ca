"""A token counts where mail is addressed and nowhere else; headers can't replace it: from the database alone."""

import base64
import secrets
from collections.abc import Callable

import pytest
from sqlmodel import Session

from pbem.config import ChecksSettings
from pbem.errors import Unanswerable
from pbem.mail.reading.authentication import Authenticity, DomainCheck
from pbem.mail.reading.message import read
from pbem.messages.reply_links import address_with
from pbem.players import sender_identity
from pbem.storage.models import Incoming, Outgoing
from pbem.tokens import Keyring, Purpose, Token
from tests.commands.requests import SERVER
from tests.contests import NOW, people, started

KEYRING = Keyring("a key")
ADDRESS, ALICE, BOB = SERVER.address, "alice@mail.example", "bob@mail.example"
OURS = "<0123456789abcdef0123456789abcdef@pbem.example>"
LOOK_ALIKE = "\u0440bem"
Place = Callable[[str], dict[str, str]]
"""The headers of a message, given alice's reply address."""


def tag(address: str) -> str:
    """Return what follows the + in an address of ours."""
    return address.partition("+")[2].partition("@")[0]


def guessed() -> str:
    """Return forty random letters and digits."""
    return base64.b32encode(secrets.token_bytes(25)).decode().lower()


PLACES: dict[str, tuple[Place, str]] = {
    "in To": (lambda to: {"To": to}, "acts"),
    "in To among others": (lambda to: {"To": f"{BOB}, PBeM <{to}>, mallory@evil.example"}, "acts"),
    "in Cc": (lambda to: {"To": BOB, "Cc": to}, "acts"),
    "in Delivered-To": (lambda to: {"Delivered-To": to}, "acts"),
    "in capitals": (lambda to: {"To": to.upper()}, "acts"),
    "from elsewhere": (lambda to: {"To": to, "From": "alice@work.example"}, "asked"),
    "nowhere, in answer to the mail": (lambda _: {"In-Reply-To": OURS}, "asked"),
    "nowhere": (lambda _: {}, "asked"),
    "in the Subject": (lambda to: {"Subject": to}, "asked"),
    "in References": (lambda to: {"References": f"<{to}>"}, "asked"),
    "in In-Reply-To": (lambda to: {"In-Reply-To": f"<{to}>"}, "asked"),
    "in Reply-To": (lambda to: {"Reply-To": to}, "asked"),
    "in Sender": (lambda to: {"Sender": to}, "asked"),
    "in Received": (lambda to: {"Received": f"by a.example for <{to}>; Mon, 1 Jan 2007 10:00:00 +0000"}, "asked"),
    "in Resent-To": (lambda to: {"Resent-To": to}, "asked"),
    "in Bcc": (lambda to: {"Bcc": to}, "asked"),
    "in a name": (lambda to: {"To": f'"{to}" <{ADDRESS}>'}, "asked"),
    "in a quoted local part": (lambda to: {"To": f'"{to.partition("@")[0]}"@pbem.example'}, "acts"),
    "in a comment": (lambda to: {"To": f"{ADDRESS} ({to})"}, "asked"),
    "at another domain": (lambda to: {"To": f"{ADDRESS}, {to.replace('pbem.', 'evil.')}"}, "asked"),
    "at a domain like ours": (lambda to: {"To": f"{ADDRESS}, {to.replace('pbem', LOOK_ALIKE)}"}, "asked"),
    "one letter short": (lambda to: {"To": to.replace(tag(to), tag(to)[:-1])}, "nothing"),
    "twice, joined": (lambda to: {"To": to.replace(tag(to), tag(to) * 2)}, "nothing"),
    "guessed": (lambda to: {"To": to.replace(tag(to), guessed())}, "nothing"),
    "guessed beside none": (lambda to: {"To": f"{to.replace(tag(to), guessed())}, {ADDRESS}"}, "nothing"),
    "of the opponent, from his address": (lambda to: {"To": to, "From": BOB}, "asked"),
    "from somebody else here": (lambda to: {"To": to, "From": "Alice <carol@mail.example>"}, "asked"),
}


@pytest.fixture
def to(session: Session) -> str:
    """Let alice have a message of ours about her match. Return its reply address."""
    started(session)
    alice, *_ = people(session)
    about = {"template": "turn", "match": 1, "token_subject": 1, "purpose": Purpose.PLAY.name}
    about |= {"message_id": OURS, "player": alice.id, "address": alice.address}
    session.add(Outgoing(references=[], created=NOW, due=NOW, **about))
    session.flush()
    return address_with(SERVER, KEYRING, Token(Purpose.PLAY, alice.id or 0, 1), alice.epoch)


def effect(session: Session, headers: dict[str, str], body: str = "#1 say hello") -> str:
    """Return whether a message from alice to our plain address, but for those headers, acts for her."""
    plain = {"From": ALICE, "To": ADDRESS, "Subject": "", "Message-ID": "<2@mail.example>"}
    head = "".join(f"{name}: {value}\n" for name, value in (plain | headers).items())
    message = read(f"{head}\n{body}\n".encode(), None, ())
    row = Incoming(key="a key", size=0, source="test", recipients=[], received=NOW)
    try:
        sender = sender_identity.identify(session, message, SERVER, KEYRING, NOW)
        sender = sender_identity.assess(
            session, sender, message, DomainCheck(Authenticity.UNKNOWN), ChecksSettings(), row
        )
    except Unanswerable:
        return "nothing"
    assert sender.player is not None
    assert (sender.player.name, sender.address) == ("alice", ALICE)
    return "acts" if sender.proven else "asked"


@pytest.mark.parametrize("name", PLACES)
def test_a_token_counts_where_mail_is_addressed_and_nowhere_else(session: Session, to: str, name: str) -> None:
    place, expected = PLACES[name]

    assert effect(session, place(to)) == expected


def test_a_token_in_the_words_of_a_mail_is_worth_nothing(session: Session, to: str) -> None:
    assert effect(session, {}, f"#1 say hello\n\nTo: {to}\n{to}") == "asked"


def test_no_number_of_a_token_can_be_changed(session: Session, to: str) -> None:
    """A different purpose, player, match or turn needs a different signature."""
    raw = base64.b32decode(tag(to).upper())
    for at in range(len(raw)):
        for bit in (0, 4):
            changed = base64.b32encode(raw[:at] + bytes([raw[at] ^ 1 << bit]) + raw[at + 1 :]).decode().lower()
            assert effect(session, {"To": to.replace(tag(to), changed)}) == "nothing", (at, bit)
