"""A server and the mailboxes of all to whom it writes: matches by mail, with a real database and mail in folders."""

import email
import email.policy
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from email.headerregistry import BaseHeader, HeaderRegistry
from email.message import EmailMessage
from email.utils import make_msgid
from functools import lru_cache
from pathlib import Path
from typing import Any

from pbem import config
from pbem.mail.reading.isolated_parser import MailParser
from pbem.server import daemon

ADDRESS = "games@pbem.example"
MORNING = datetime(2026, 3, 2, 8, tzinfo=UTC)


def settings(folder: Path, database: str = "", *, server: str = "", more: str = "") -> config.Settings:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "pbem.toml"
    path.write_text(
        f"""
        [server]
        address = "{ADDRESS}"
        database = "{database or f"sqlite:///{folder}/pbem.sqlite"}"
        key = {{ value = "the key of the tests" }}
        {server}
        [inbox.maildir]
        path = "in"
        [outbox.maildir]
        path = "out"
        {more}
        """,
        encoding="utf-8",
    )
    return config.load(path)


class Clock:
    """The clock of a server under test, which only moves when a test moves it."""

    def __init__(self) -> None:
        self._now = MORNING

    def __call__(self) -> datetime:
        return self._now

    def set(self, now: datetime) -> None:
        self._now = now

    def advance(self, **time: float) -> None:
        self._now += timedelta(**time)


class Letters:
    def __init__(self, server: daemon.Server, folder: Path, clock: Clock) -> None:
        self.server = server
        self.clock = clock
        self.folder = folder
        self._out = folder / "out" / "new"
        self._seen: set[str] = set()
        self.received: dict[str, list[EmailMessage]] = {}
        """All messages by recipient, oldest first."""
        self.log: list[tuple[str, EmailMessage]] = []
        """All messages in order, each with its direction, "in" or "out"."""
        self._above = b""
        self._delivered = 0

    def deliver(self, raw: bytes) -> list[EmailMessage]:
        """Deliver a raw message and run the server. Return what it sent."""
        self.log.append(("in", parsed(self._above + raw)))
        return self.deliver_unread(raw)

    def deliver_unread(self, raw: bytes) -> list[EmailMessage]:
        """Deliver a message that isn't safe to parse here, and isn't logged."""
        new = self.folder / "in" / "new"
        new.mkdir(parents=True, exist_ok=True)
        self._delivered += 1
        (new / f"{self._delivered}.test").write_bytes(self._above + raw)
        return self._run()

    def wait(self, **time: float) -> list[EmailMessage]:
        """Let time pass, then run the server. Return what it sent."""
        self.clock.advance(**time)
        return self._run()

    def _run(self) -> list[EmailMessage]:
        daemon.run_once(self.server)
        paths = [path for path in self._out.glob("*") if path.name not in self._seen]
        paths.sort(key=lambda path: (path.stat().st_mtime_ns, path.name))
        self._seen.update(path.name for path in paths)
        mails = [parsed(path.read_bytes()) for path in paths]
        for mail in mails:
            self.received.setdefault(str(mail["To"]), []).append(mail)
            self.log.append(("out", mail))
        return mails

    def write(
        self, sender: str, body: str = "", subject: str = "", *, to: str = ADDRESS, **headers: str
    ) -> list[EmailMessage]:
        """Send a new plain text message from an address. Return what the server sent."""
        mail = EmailMessage()
        mail["From"] = sender
        mail["To"] = to
        mail["Subject"] = subject
        mail["Message-ID"] = make_msgid(domain="mail.example")
        for name, value in headers.items():
            mail[name.replace("_", "-")] = value
        mail.set_content(body)
        return self.deliver(mail.as_bytes())

    def reply(self, mail: EmailMessage, body: str, *, to: str | None = None, quote: bool = True) -> list[EmailMessage]:
        """Reply to a message as a mail program does, quoting it below. Return what the server sent."""
        answer = f"{body}\n\n{quoted(mail)}\n" if quote else body
        return self.write(
            str(mail["To"]),
            answer,
            f"Re: {mail['Subject']}",
            to=to or mail["Reply-To"].addresses[0].addr_spec,
            In_Reply_To=str(mail["Message-ID"]),
            References=f"{mail.get('References', '')} {mail['Message-ID']}".strip(),
        )

    def last(self, name: str) -> EmailMessage:
        """Return the newest message to NAME@mail.example."""
        return self.received[f"{name}@mail.example"][-1]

    def join(self, name: str) -> str:
        """Make NAME@mail.example a player. Return their personal address."""
        address = f"{name}@mail.example"
        (confirm,) = self.write(address, f"join {name}")
        (welcome,) = self.reply(confirm, "yes")
        return next(line.strip() for line in text(welcome).splitlines() if "games+" in line)

    def match(self, challenge: str, first: str = "alice", second: str = "bob") -> None:
        personal = self.join(first)
        self.join(second)
        self.write(f"{first}@mail.example", challenge, to=personal)
        self.reply(self.last(second), "accept")


@contextmanager
def letters(folder: Path) -> Iterator[Letters]:
    clock = Clock()
    with daemon.open_server(settings(folder), clock, MailParser()) as server:
        yield Letters(server, folder, clock)


class _Registry(HeaderRegistry):
    """The library's header registry with a cache, so that tests parse each header only once."""

    def __init__(self) -> None:
        super().__init__()
        self._read = lru_cache(maxsize=4096)(super().__call__)

    def __call__(self, name: str, value: Any) -> BaseHeader:
        return self._read(name, value)


STRICT = email.policy.default.clone(header_factory=_Registry())


def parsed(raw: bytes) -> EmailMessage:
    return email.message_from_bytes(raw, policy=STRICT)


def text(mail: EmailMessage) -> str:
    part = mail.get_body(("plain",))
    return str(part.get_content()) if part else ""


def quoted(mail: EmailMessage) -> str:
    lines = "\n".join(f"> {line}" for line in text(mail).splitlines())
    return f"On Mon, 1 Jan 2007 at 10:00, PBeM <{ADDRESS}> wrote:\n{lines}"
