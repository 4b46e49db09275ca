"""Players and a server that write to each other, for tests: real database, real queues, real mails in folders."""

import email
import email.policy
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.utils import make_msgid
from pathlib import Path

from sqlalchemy import text as sql

from pbem import config
from pbem.reading.protocol import InProcessParser, MailParser
from pbem.server import daemon
from tests import databases

ADDRESS = "games@pbem.example"


def settings(folder: Path, **changes: str) -> config.Settings:
    """A server with a database of its own and mail folders below that folder."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "pbem.toml"
    database = changes.get("database") or databases.at(folder)
    path.write_text(
        f"""
        [server]
        address = "{ADDRESS}"
        database = "{database}"
        key = {{ value = "the key of the tests" }}
        {changes.get("server", "")}
        [inbox.maildir]
        path = "in"
        [outbox.maildir]
        path = "out"
        {changes.get("more", "")}
        """,
        encoding="utf-8",
    )
    return config.load(path)


class Clock:
    """The time of a server under test: the real one until it is set or moved on."""

    def __init__(self) -> None:
        self._ahead = timedelta()
        self._set: datetime | None = None

    def __call__(self) -> datetime:
        """What the server takes for now."""
        return (self._set or daemon.now()) + self._ahead

    def set(self, now: datetime) -> None:
        """Stand still at that time."""
        self._set, self._ahead = now, timedelta()

    def advance(self, **time: float) -> None:
        """Let some minutes, hours or days pass."""
        self._ahead += timedelta(**time)


class Correspondence:
    """A server and the mailboxes of everybody it writes to."""

    def __init__(self, server: daemon.Server, folder: Path, clock: Clock) -> None:
        self.server = server
        self.clock = clock
        self._out = folder / "out" / "new"
        self._seen: set[str] = set()
        self.received: dict[str, list[EmailMessage]] = {}
        """All mails to an address, oldest first."""
        self.log: list[tuple[str, EmailMessage]] = []
        """Everything written, by ("in" or "out"), in order."""
        self._above = b""
        self._delivered = 0

    def deliver(self, raw: bytes) -> list[EmailMessage]:
        """Put a raw mail into the inbox, let the server work, and get what it sent."""
        self.log.append(("in", parsed(self._above + raw)))
        return self.deliver_unread(raw)

    def deliver_unread(self, raw: bytes) -> list[EmailMessage]:
        """The same with a mail that had better not be read by anybody but the server."""
        inbox = self.server.inboxes[0]
        folder = self._out.parent.parent / "in"
        for name in ("new", "cur", "tmp"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        self._delivered += 1
        (folder / "new" / f"{self._delivered}.test").write_bytes(self._above + raw)
        daemon.run_once(self.server)
        inbox.close()
        return self._collect()

    def wait(self, **time: float) -> list[EmailMessage]:
        """Let some minutes, hours or days pass; what the server sent by then."""
        self.clock.advance(**time)
        daemon.run_once(self.server)
        self.server.inboxes[0].close()
        return self._collect()

    @contextmanager
    def trusting(self, results: str) -> Iterator[None]:
        """Let the border of the server write those Authentication-Results on top of every mail."""
        before, self._above = self._above, f"Authentication-Results: {results}\n".encode()
        yield
        self._above = before

    def _collect(self) -> list[EmailMessage]:
        if not self._out.is_dir():
            return []
        fresh = sorted((path for path in self._out.iterdir() if path.name not in self._seen), key=_written)
        mails = []
        for path in fresh:
            self._seen.add(path.name)
            mail = parsed(path.read_bytes())
            mails.append(mail)
            self.received.setdefault(str(mail["To"]), []).append(mail)
            self.log.append(("out", mail))
        return mails

    def write(
        self, sender: str, body: str = "", subject: str = "", *, to: str = ADDRESS, **headers: str
    ) -> list[EmailMessage]:
        """A fresh plain mail from an address; what the server sent for it."""
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
        """An answer to a mail as a mail program writes it, the mail quoted below; what the server sent for it."""
        quoted = "\n".join(f"> {line}" for line in text(mail).splitlines())
        answer = f"{body}\n\nOn Mon, 1 Jan 2007 at 10:00, PBeM <{ADDRESS}> wrote:\n{quoted}\n" if quote else body
        return self.write(
            str(mail["To"]),
            answer,
            f"Re: {mail['Subject']}",
            to=to or mail["Reply-To"].addresses[0].addr_spec,
            In_Reply_To=str(mail["Message-ID"]),
            References=f"{mail.get('References', '')} {mail['Message-ID']}".strip(),
        )

    def join(self, name: str) -> str:
        """Make NAME@mail.example a player; the personal address."""
        address = f"{name}@mail.example"
        (confirm,) = self.write(address, f"join {name}")
        (welcome,) = self.reply(confirm, "yes")
        return next(line.strip() for line in text(welcome).splitlines() if "games+" in line)

    def match(self, challenge: str = "challenge bob quadraphages", first: str = "alice", second: str = "bob") -> None:
        """Let both join, challenge and accept."""
        personal = self.join(first)
        self.join(second)
        self.write(f"{first}@mail.example", challenge, to=personal)
        self.reply(self.last(second), "accept")

    def resign(self, name: str, words: str = "resign") -> list[EmailMessage]:
        """Let a player resign in the answer to the newest mail, and say yes to the question; what was sent for that."""
        (question,) = self.reply(self.last(name), words)
        return self.reply(question, "yes")

    def execute(self, statement: str) -> list[tuple[object, ...]]:
        """Run SQL on the database of the server; the rows, where there are any."""
        with self.server.engine.begin() as connection:
            result = connection.execute(sql(statement))
            return [tuple(row) for row in result] if result.returns_rows else []

    def last(self, name: str) -> EmailMessage:
        """The newest mail to NAME@mail.example."""
        return self.received[f"{name}@mail.example"][-1]


def parsed(raw: bytes) -> EmailMessage:
    """A mail of ours, read strictly."""
    mail = email.message_from_bytes(raw, policy=email.policy.default)
    assert isinstance(mail, EmailMessage)
    return mail


def text(mail: EmailMessage) -> str:
    """The words of a mail."""
    part = mail.get_body(("plain",))
    return str(part.get_content()) if part else ""


def _written(path: Path) -> tuple[int, str]:
    return path.stat().st_mtime_ns, path.name


@contextmanager
def correspondence(folder: Path, parser: MailParser | None = None, **changes: str) -> Iterator[Correspondence]:
    """A server in a folder of its own; it takes mails apart itself, which is faster, unless a parser is given."""
    clock = Clock()
    with daemon.open_server(settings(folder, **changes), clock, parser or InProcessParser()) as server:
        yield Correspondence(server, folder, clock)
