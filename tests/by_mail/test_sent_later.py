"""A message that the next mail server doesn't take for the moment is sent later, as it was."""

from dataclasses import replace
from datetime import timedelta

from pbem.mail.transports.protocols import NotAccepted
from tests import scenes
from tests.correspondence import Correspondence

pytestmark = scenes.after(scenes.two_players)


class Grudging:
    """A next hop that refuses the first message that it is offered."""

    def __init__(self) -> None:
        self.offered: list[bytes] = []

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        """Refuse the first message, and take all others."""
        self.offered.append(raw)
        if len(self.offered) == 1:
            raise NotAccepted("450 not now", later=True)

    def close(self) -> None:
        """Do nothing: there is no connection."""


def test_a_message_that_is_not_taken_now_is_sent_later(letters: Correspondence) -> None:
    newest = "id = (select max(id) from outgoing)"
    letters.rows(f"update outgoing set state = 'owed', sent = null, attempts = 0 where {newest}")
    began, outbox = letters.clock(), Grudging()
    states = []

    for minutes in (0, 0, 60, 120):
        now = began + timedelta(minutes=minutes)
        replace(letters.server.sender, outbox=outbox, clock=lambda now=now: now).send_next()
        states += letters.rows(f"select state from outgoing where {newest}")

    assert states == ["owed", "owed", "sent", "sent"]
    assert outbox.offered == outbox.offered[:1] * 2
