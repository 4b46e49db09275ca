"""The players of a demonstration: each has a mailbox, which is a folder, and writes by SMTP."""

import email
import email.policy
import queue
import smtplib
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.utils import localtime, make_msgid
from pathlib import Path

from pbem.messages.mime import text_of

HOST = "127.0.0.1"
PATIENCE_SECONDS = 30


class Stuck(Exception):
    """The demo could not continue, and why."""


@dataclass
class DemoPlayer:
    name: str
    mailbox: Path
    arrived: "queue.Queue[EmailMessage]" = field(default_factory=queue.Queue)

    @property
    def address(self) -> str:
        return f"{self.name}@players.example"

    def deliver(self, raw: bytes) -> None:
        mail = email.message_from_bytes(raw, policy=email.policy.default)
        number = len(list(self.mailbox.iterdir())) + 1
        (self.mailbox / f"{number:03}.eml").write_bytes(raw)
        self.arrived.put(mail)

    def next_mail(self) -> EmailMessage:
        try:
            return self.arrived.get(timeout=PATIENCE_SECONDS)
        except queue.Empty:
            raise Stuck(f"no message reached {self.name} within {PATIENCE_SECONDS} seconds") from None


def answer(port: int, player: DemoPlayer, mail: EmailMessage, words: str) -> None:
    """Reply like a mail program: to the Reply-To, with the old message quoted below."""
    quoted = "".join(f"> {line}\n" for line in text_of(mail).splitlines())
    write(
        port,
        player,
        mail["Reply-To"].addresses[0].addr_spec,
        f"Re: {mail['Subject']}",
        f"{words}\n\nOn {mail['Date']}, {mail['From']} wrote:\n{quoted}",
        str(mail["Message-ID"]),
    )


def write(port: int, player: DemoPlayer, to: str, subject: str, words: str, answers: str = "") -> None:
    """Raises smtplib.SMTPException or OSError."""
    mail = EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = player.address, to, subject
    mail["Date"], mail["Message-ID"] = localtime(), make_msgid(domain="players.example")
    if answers:
        mail["In-Reply-To"] = mail["References"] = answers
    mail.set_content(words)
    with smtplib.SMTP(HOST, port, timeout=PATIENCE_SECONDS) as smtp:
        smtp.sendmail(player.address, [to], mail.as_bytes())
