"""Players who write to the server, and a post office that receives its messages to them: a real aiosmtpd."""

import asyncio
import email
import email.policy
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from email.message import EmailMessage
from email.utils import make_msgid
from typing import Any, Self

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from notation.record import Record
from tests.correspondence import MORNING, text
from tests.servers import HOST, free_port, until

Deliver = Callable[[str, str, bytes], None]
"""Delivers a message: envelope sender, envelope recipient, raw message."""


class PostOffice:
    """An SMTP server that keeps every message it receives, for `next` to return one by one."""

    def __init__(self, port: int | None = None) -> None:
        self.port = free_port() if port is None else port
        self.taken: list[tuple[str, EmailMessage]] = []
        self.stalls_at = ""
        """The recipient for whom the server stalls before its reply."""
        self.stalled = False
        self._handed: set[int] = set()
        self._lock = threading.Lock()
        self._controller = Controller(self, hostname=HOST, port=self.port)

    def __enter__(self) -> Self:
        self._controller.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._controller.stop()

    async def handle_DATA(  # noqa: N802 - aiosmtpd's name
        self, _server: SMTP, _session: Session, envelope: Envelope
    ) -> str:
        if self.stalls_at in envelope.rcpt_tos:
            self.stalled = True
            await asyncio.sleep(60)
        mail = email.message_from_bytes(envelope.content or b"", policy=email.policy.default)
        assert isinstance(mail, EmailMessage)
        with self._lock:
            self.taken += [(recipient, mail) for recipient in envelope.rcpt_tos]
        return "250 taken"

    def ids(self) -> list[str]:
        """Return the Message-IDs of everything received."""
        with self._lock:
            return [str(mail["Message-ID"]) for _, mail in self.taken]

    def next(self, address: str) -> EmailMessage:
        """Return the oldest message to that address that wasn't returned before; wait for it if necessary."""
        number, mail = until(lambda: self._waiting(address), f"a mail to {address}")
        self._handed.add(number)
        assert isinstance(mail, EmailMessage)
        return mail

    def _waiting(self, address: str) -> tuple[int, EmailMessage] | None:
        with self._lock:
            for number, (recipient, mail) in enumerate(self.taken):
                if recipient == address and number not in self._handed:
                    return number, mail
        return None


@pytest.fixture
def post() -> Iterator[PostOffice]:
    """Run the post office that receives all messages to players."""
    with PostOffice() as services:
        yield services


@dataclass
class Person:
    """Someone with an address, who writes to the server and reads its replies."""

    name: str
    server: str
    deliver: Deliver
    post: PostOffice
    hides_tokens: bool = False
    """Whether To in their replies has the address without the token, as with some mail programs and gateways."""

    @property
    def address(self) -> str:
        return f"{self.name}@mail.example"

    def write(self, body: str, *, to: str = "", **headers: str) -> bytes:
        """Send a new message. Return its bytes."""
        raw = written(self.address, self.server if self.hides_tokens else to or self.server, body, **headers)
        self.deliver(self.address, to or self.server, raw)
        return raw

    def answer(self, mail: EmailMessage, body: str) -> bytes:
        """Reply to a message as mail programs do, quoting it below."""
        quoted = "".join(f"> {line}\n" for line in words(mail).splitlines())
        headers = {} if self.hides_tokens else {"In-Reply-To": str(mail["Message-ID"])}
        return self.write(
            f"{body}\n\nOn {mail['Date']}, {mail['From']} wrote:\n{quoted}",
            to=mail["Reply-To"].addresses[0].addr_spec,
            Subject=f"Re: {mail['Subject']}",
            **headers,
        )

    def next(self) -> EmailMessage:
        """Return the next message that arrives."""
        return self.post.next(self.address)

    def join(self) -> str:
        """Become a player. Return the personal address."""
        self.write(f"join {self.name}")
        self.answer(self.next(), "yes")
        return next(line.strip() for line in words(self.next()).splitlines() if "+" in line and "@" in line)


def words(mail: EmailMessage) -> str:
    """Return the text of a message, with LF line ends."""
    return text(mail).replace("\r\n", "\n")


def written(sender: str, to: str, body: str, **headers: Any) -> bytes:
    """Return a raw message."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Date"] = sender, to, MORNING
    mail["Message-ID"] = headers.pop("message_id", None) or make_msgid(domain="mail.example")
    for name, value in headers.items():
        mail[name] = value
    mail.set_content(body)
    return mail.as_bytes()


def play(first: Person, second: Person, game: Record, turns: Sequence[str]) -> EmailMessage:
    """Let both join and play those turns, after a challenge by `first`. Return the last message to the next mover."""
    personal = first.join()
    second.join()
    first.write(f"challenge {second.name} {game.game}", to=personal)
    first.next()
    second.answer(second.next(), "accept\n\nWith pleasure.")
    newest, _ = first.next(), second.next()
    for number, turn in enumerate(turns):
        mover, other = (first, second) if number % 2 == 0 else (second, first)
        mover.answer(newest, turn)
        mover.next()
        newest = other.next()
    return newest
