"""The server takes mail for its own addresses, and for no others."""

import smtplib
from collections.abc import Iterator

import pytest

from pbem.config import ListenSettings
from pbem.mail.transports.listener import USUAL, MailListener
from pbem.mail.transports.protocols import Arrival
from tests.servers import HOST

ARRIVED: list[Arrival] = []


@pytest.fixture
def listener() -> Iterator[MailListener]:
    """Listen for mail to addresses that end with @game.test."""
    listener = MailListener(ListenSettings(port=0), "smtp", 10_000, lambda to: to.endswith("@game.test"), USUAL)
    ARRIVED.clear()
    listener.start(ARRIVED.extend)
    yield listener
    listener.stop()


def test_mail_for_somebody_else_is_refused_at_once(listener: MailListener) -> None:
    with smtplib.SMTP(HOST, listener.port) as client:
        refused = client.sendmail("ann@mail.test", ["games@game.test", "bob@else.test"], "Subject: x\r\n\r\nhelp\r\n")

    assert {address: code for address, (code, _) in refused.items()} == {"bob@else.test": 550}
    assert [arrival.recipients for arrival in ARRIVED] == [("games@game.test",)]
