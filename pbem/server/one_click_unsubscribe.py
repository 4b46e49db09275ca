"""Unsubscribing with one click (RFC 8058): a POST that a mail program sends becomes the message that it stands for.

It has the address that List-Unsubscribe names, which can stop and start news and nothing else. What it stops stands in
the token, not in the request. A repetition is harmless.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus

from sqlalchemy import Engine
from sqlmodel import Session, col, func, select

from pbem import tokens
from pbem.config import ServerSettings
from pbem.mail.transports.protocols import Arrival, Store
from pbem.messages.delivery_choices import KINDS
from pbem.messages.reply_links import address_with
from pbem.players import invitations
from pbem.storage.models import HOUSE, Incoming, IncomingState, Player
from pbem.storage.preference_definition import OFF
from pbem.tokens import Keyring, Purpose, Token

BODY, LONGEST_BODY = b"List-Unsubscribe=One-Click", 1_000
SOURCE = "one click"


@dataclass
class OneClick:
    server: ServerSettings
    keyring: Keyring
    engine: Engine
    store: Store
    clock: Callable[[], datetime]

    def answer(self, token: str, length: str, read: Callable[[int], bytes]) -> tuple[HTTPStatus, bytes]:
        """Return what a request to that token is answered, after as much of its body was read as it says."""
        if not (length.isascii() and length.isdecimal() and len(length) < 9 and int(length) <= LONGEST_BODY):
            return HTTPStatus.BAD_REQUEST, b"The request has no length, or too much text.\n"
        if BODY not in read(int(length)) or not self.take(token):
            return HTTPStatus.BAD_REQUEST, b"This is no link of ours to unsubscribe, or it was revoked.\n"
        return HTTPStatus.OK, b"You won't get such messages any more.\n"

    def take(self, text: str) -> bool:
        """Store the message that the token stands for, if it still has to; return whether it is one of ours."""
        token = tokens.parse(text)
        if token is None or token.purpose is not Purpose.ONE_CLICK or token.subject >= len(KINDS):
            return False
        stop = KINDS[token.subject].stop
        with Session(self.engine) as session:
            player = session.get(Player, token.player)
            if player is None or player.deleted is not None or player.address == HOUSE:
                return False
            if not self.keyring.signed(text, player.epoch):
                return False
            address, to = player.address, Token(Purpose.NOTICES, player.id or 0)
            waiting = select(Incoming.id).where(Incoming.state == IncomingState.NEW, Incoming.group == address)
            if _has_ended(session, player, stop) and session.exec(waiting.limit(1)).first() is None:
                return True  # what waits may be a "start"
            recipient = address_with(self.server, self.keyring, to, player.epoch)
            handled = (Incoming.sender == address, Incoming.source == SOURCE, Incoming.state != IncomingState.NEW)
            number = session.exec(select(func.count(col(Incoming.id))).where(*handled)).one()
        own_id = f"{token.player}.{token.subject}.{self.clock():%Y%m%d}.{number}"  # the same until it is handled
        head = f"From: {address}\r\nTo: {recipient}\r\nSubject: {stop}\r\n"
        raw = f"{head}Message-ID: <{own_id}.one-click@{self.server.domain}>\r\n\r\n".encode()
        self.store((Arrival(raw, SOURCE, sender=address, recipients=(recipient,)),))
        return True


def _has_ended(session: Session, player: Player, stop: str) -> bool:
    if name := stop.partition(" ")[2]:
        return player.settings.get(name) == OFF
    is_guest = player.confirmed is None
    return player.stopped is not None or (is_guest and invitations.is_ruled_out(session, player.address))
