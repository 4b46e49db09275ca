"""A relay: an SMTP server that answers as a test says, and keeps what it takes."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import Envelope

from pbem.config import SmtpSettings
from pbem.mail.transports.protocols import Outbox
from pbem.mail.transports.smtp import SmtpOutbox
from pbem.server.daemon import Server
from tests.servers import HOST, free_port

TAKEN = "250 2.0.0 Ok"
Says = Callable[[str, str], str]
"""Returns the reply to a stage ("MAIL", "RCPT" or "DATA") for an address: the recipient's, in MAIL the sender's."""


def takes_all(_stage: str, _address: str) -> str:
    """Take every message."""
    return TAKEN


def refuses_at(stage: str, reply: str, *addresses: str) -> Says:
    """Return what refuses those addresses at that stage, or all if none are named."""
    return lambda at, address: reply if at == stage and (not addresses or address in addresses) else TAKEN


class Relay:
    """The relay; `says` can be changed while it runs."""

    def __init__(self) -> None:
        self.says: Says = takes_all
        self.taken: list[tuple[str, bytes]] = []
        self.refused: list[str] = []
        """The address of each refusal, in order."""
        self.port = free_port()

    def _answer(self, stage: str, address: str) -> str:
        reply = self.says(stage, address)
        if reply != TAKEN:
            self.refused.append(address)
        return reply

    async def handle_MAIL(  # noqa: N802
        self, _server: Any, _session: Any, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        """Answer MAIL FROM."""
        reply = self._answer("MAIL", address)
        if reply == TAKEN:
            envelope.mail_from = address
        return reply

    async def handle_RCPT(  # noqa: N802
        self, _server: Any, _session: Any, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        """Answer RCPT TO."""
        reply = self._answer("RCPT", address)
        if reply == TAKEN:
            envelope.rcpt_tos.append(address)
        return reply

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Envelope) -> str:  # noqa: N802
        """Answer the message."""
        (recipient,) = envelope.rcpt_tos
        reply = self._answer("DATA", recipient)
        if reply == TAKEN:
            self.taken.append((recipient, envelope.original_content or b""))
        return reply


@contextmanager
def relay() -> Iterator[Relay]:
    """Run a relay that takes every message until it is told otherwise."""
    running = Relay()
    controller = Controller(running, hostname=HOST, port=running.port)
    controller.start()
    try:
        yield running
    finally:
        controller.stop()


@dataclass
class Switch:
    """An outbox that is another, which a test can exchange."""

    outbox: Outbox

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        """Hand over a message to the outbox of the moment."""
        self.outbox.send(sender, recipient, raw)

    def close(self) -> None:
        """Close it."""
        self.outbox.close()

    def to(self, running: Relay) -> None:
        """Send by that relay from now on."""
        self.outbox = SmtpOutbox(SmtpSettings(host=HOST, port=running.port, security="none"))


def with_switch(server: Server) -> Server:
    """Return the server with an outbox that can be exchanged."""
    return replace(server, sender=replace(server.sender, outbox=Switch(server.outbox)))
