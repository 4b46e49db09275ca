"""Unsubscribing by one click (RFC 8058): a POST that a mail program sends becomes the message that it stands for.

That message goes the way of all others, with the address that List-Unsubscribe names, which can stop and start news and
nothing else. What it stops stands in the token, not in the request, and a token counts once a day.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from sqlalchemy import Engine
from sqlmodel import Session

from pbem import tokens
from pbem.config import ServerSettings
from pbem.mail.transports.protocols import Arrival, Store
from pbem.messages.kinds import KINDS
from pbem.messages.reply_addresses import address_with
from pbem.storage.models import HOUSE, Player
from pbem.tokens import Keyring, Purpose, Token

PATH = "/unsubscribe/"
WORDS = b"List-Unsubscribe=One-Click"
"""What the body of such a request says."""
PER_MINUTE = 60
"""How many requests are looked at in a minute: each asks the database once."""


@dataclass
class OneClick:
    """Takes such requests."""

    server: ServerSettings
    keyring: Keyring
    engine: Engine
    store: Store
    clock: Callable[[], datetime]
    _minute: str = ""
    _seen: int = field(default=0)

    def is_busy(self) -> bool:
        """Count a request; return whether there were too many in this minute."""
        minute = f"{self.clock():%FT%H:%M}"
        self._minute, self._seen = minute, self._seen + 1 if minute == self._minute else 1
        return self._seen > PER_MINUTE

    def take(self, text: str) -> bool:
        """Store the message that the token stands for; return whether it is one of ours."""
        token = tokens.parse(text)
        if token is None or token.purpose is not Purpose.ONE_CLICK or token.subject >= len(KINDS):
            return False
        now = self.clock()
        with Session(self.engine) as session:
            player = session.get(Player, token.player)
            if player is None or player.address == HOUSE or not self.keyring.signed(text, player.epoch):
                return False
            if player.merged_into is not None or player.deleted is not None:
                return False
            address, to = player.address, Token(Purpose.NOTICES, player.id or 0)
            recipient = address_with(self.server, self.keyring, to, player.epoch)
        lines = (
            f"From: {address}",
            f"To: {recipient}",
            f"Subject: {KINDS[token.subject].stop}",
            f"Message-ID: <{token.player}.{token.subject}.{now:%Y%m%d}.one-click@{self.server.domain}>",
            "",
            "",
        )
        self.store((Arrival("\r\n".join(lines).encode(), "one click", sender=address, recipients=(recipient,)),))
        return True
