"""Which tokens of one click are believed, without a server on the web."""

from collections.abc import Sequence

import pytest
from sqlmodel import Session

from pbem.config import ServerSettings
from pbem.mail.transports.protocols import Arrival
from pbem.secret_setting import Secret
from pbem.server.one_click_unsubscribe import OneClick
from pbem.tokens import Keyring, Purpose, Token
from tests.contests import NOW, people

SERVER = ServerSettings(address="games@pbem.example", key=Secret.model_validate({"value": "a key"}))
KEYRING = Keyring("a key")


def stored(session: Session, text: str) -> list[str]:
    """Return the addresses for which a request with that token stores a message, after trying it."""
    session.commit()
    arrived: list[Arrival] = []

    def store(arrivals: Sequence[Arrival]) -> None:
        arrived.extend(arrivals)

    taken = OneClick(SERVER, KEYRING, session.get_bind(), store, lambda: NOW).take(text)
    assert taken is bool(arrived)
    return [arrival.sender or "" for arrival in arrived]


def test_a_token_of_ours_ends_news(session: Session) -> None:
    assert stored(session, KEYRING.format(Token(Purpose.ONE_CLICK, 1), 0)) == ["alice@mail.example"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no token",
        Keyring("another key").format(Token(Purpose.ONE_CLICK, 1), 0),
        KEYRING.format(Token(Purpose.ONE_CLICK, 1), 7),
        KEYRING.format(Token(Purpose.ONE_CLICK, 99), 0),
        KEYRING.format(Token(Purpose.ONE_CLICK, 1, 4), 0),
        *(KEYRING.format(Token(each, 1), 0) for each in Purpose if each is not Purpose.ONE_CLICK),
    ],
)
def test_nothing_else_does(session: Session, text: str) -> None:
    assert stored(session, text) == []


def test_who_has_left_gets_no_message_made_in_their_name(session: Session) -> None:
    alice, *_ = people(session)
    alice.deleted = NOW

    assert stored(session, KEYRING.format(Token(Purpose.ONE_CLICK, 1), 0)) == []
