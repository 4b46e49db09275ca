"""Players and a server that write to each other, for tests: real database, real queues, real mails in folders."""

import email
import email.policy
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.headerregistry import BaseHeader, HeaderRegistry
from email.message import EmailMessage
from email.utils import make_msgid
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import event
from sqlalchemy import text as sql

from pbem import config
from pbem.reading.protocol import InProcessParser, MailParser
from pbem.server import daemon
from tests import databases

Told = TypeVar("Told")
ADDRESS = "games@pbem.example"
MORNING = datetime(2026, 3, 2, 8, tzinfo=UTC)
"""When every correspondence begins, on whatever day it is played."""


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
    """The time of a server under test: it stands still until a test moves it."""

    def __init__(self) -> None:
        self._now = MORNING
        self._leapt = timedelta()

    def __call__(self) -> datetime:
        """Return what the server takes for now."""
        return self._now

    def set(self, now: datetime) -> None:
        """Show that time."""
        self._now = now

    def leap(self, **time: float) -> None:
        """Show another time although none has passed."""
        self._now += timedelta(**time)
        self._leapt += timedelta(**time)

    def monotonic(self) -> float:
        """Return how much time has really passed."""
        return (self._now - MORNING - self._leapt).total_seconds()

    def advance(self, **time: float) -> None:
        """Let some minutes, hours or days pass."""
        self._now += timedelta(**time)


class Correspondence:
    """A server and the mailboxes of everybody it writes to."""

    def __init__(self, server: daemon.Server, folder: Path, clock: Clock, setting: object = None) -> None:
        self.server = server
        self.clock = clock
        self.folder = folder
        self._out = folder / "out" / "new"
        self._seen: set[str] = set()
        self.received: dict[str, list[EmailMessage]] = {}
        """All mails to an address, oldest first."""
        self.log: list[tuple[str, EmailMessage]] = []
        """Everything written, by ("in" or "out"), in order."""
        self._above = b""
        self._delivered = 0
        self._begun_with = server, setting
        self._scenes: tuple[object, ...] = ()
        self._commits = self._commits_of_scenes = 0
        event.listen(server.engine, "commit", self._count)

    def play(self, scene: Callable[..., Told], *words: str) -> Told:
        """Let a scene happen, and return what it returns.

        Where nothing but scenes has happened before, each process plays it once; whenever the same scenes follow each
        other again, under the same settings, the rows and files that it left are copied.
        """
        server, setting = self._begun_with
        changed = self._commits != self._commits_of_scenes or self.server is not server or self._above
        if setting is None or changed:
            return scene(self, *words)
        scenes = (*self._scenes, (scene, words))
        moment = _MOMENTS.get((setting, self.clock(), scenes))
        if moment:
            self._continue_from(moment)
        else:
            began = self.clock()
            told = scene(self, *words)
            _MOMENTS[setting, began, scenes] = moment = self._remember(told)
        self._scenes, self._commits_of_scenes = scenes, self._commits
        return moment.told

    def _count(self, _connection: object) -> None:
        self._commits += 1

    def _remember(self, told: Any) -> "Moment":
        """Keep what it would take to begin here."""
        files = _moments_folder() / str(len(_MOMENTS))
        for name in ("in", "out"):
            if (self.folder / name).is_dir():
                shutil.copytree(self.folder / name, files / name)
        received = {address: tuple(mails) for address, mails in self.received.items()}
        rows = databases.keep(self.server.engine)
        return Moment(told, self.clock(), tuple(self.log), received, self._delivered, files, rows)

    def _continue_from(self, moment: "Moment") -> None:
        """Be where another correspondence was."""
        databases.put_back(moment.rows, self.server.engine)
        shutil.copytree(moment.files, self.folder, dirs_exist_ok=True)
        self.clock.set(moment.clock)
        self.log = list(moment.log)
        self.received = {address: list(mails) for address, mails in moment.received.items()}
        self._delivered = moment.delivered
        self._seen = {path.name for path in self._out.iterdir()} if self._out.is_dir() else set()

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
        return self.play(_join, name)

    def match(self, challenge: str = "challenge bob quadraphages", first: str = "alice", second: str = "bob") -> None:
        """Let both join, challenge and accept."""
        self.play(_match, challenge, first, second)

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
        return self.last_to(f"{name}@mail.example")

    def last_to(self, address: str) -> EmailMessage:
        """The newest mail to an address."""
        return self.received[address][-1]


def _join(letters: Correspondence, name: str) -> str:
    address = f"{name}@mail.example"
    (confirm,) = letters.write(address, f"join {name}")
    (welcome,) = letters.reply(confirm, "yes")
    return next(line.strip() for line in text(welcome).splitlines() if "games+" in line)


def _match(letters: Correspondence, challenge: str, first: str, second: str) -> None:
    personal = letters.join(first)
    letters.join(second)
    letters.write(f"{first}@mail.example", challenge, to=personal)
    letters.reply(letters.last(second), "accept")


@dataclass(frozen=True)
class Moment:
    """What a correspondence was after some scenes."""

    told: Any
    """What the last of them returned."""
    clock: datetime
    log: tuple[tuple[str, EmailMessage], ...]
    received: Mapping[str, tuple[EmailMessage, ...]]
    delivered: int
    files: Path
    rows: databases.Kept


_MOMENTS: dict[tuple[object, datetime, tuple[object, ...]], Moment] = {}
"""Where scenes led that this process has played, by the settings, the time at which they began, and the scenes."""


@cache
def _moments_folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="pbem-moments"))


def forget() -> None:
    """Remove what is kept of scenes; the outermost conftest.py asks for it at the end."""
    if _moments_folder.cache_info().currsize:
        shutil.rmtree(_moments_folder())
        _moments_folder.cache_clear()
        _MOMENTS.clear()


class _Registry(HeaderRegistry):
    """Headers as the library reads them, once and not whenever a test looks."""

    def __init__(self) -> None:
        super().__init__()
        self._read = lru_cache(maxsize=4096)(super().__call__)

    def __call__(self, name: str, value: Any) -> BaseHeader:
        return self._read(name, value)


STRICT = email.policy.default.clone(header_factory=_Registry())


def parsed(raw: bytes) -> EmailMessage:
    """A mail of ours, read strictly."""
    mail = email.message_from_bytes(raw, policy=STRICT)
    assert isinstance(mail, EmailMessage)
    return mail


def text(mail: EmailMessage) -> str:
    """The words of a mail."""
    part = mail.get_body(("plain",))
    return str(part.get_content()) if part else ""


def _written(path: Path) -> tuple[int, str]:
    return path.stat().st_mtime_ns, path.name


Alter = Callable[[daemon.Server], daemon.Server]


def unchanged(server: daemon.Server) -> daemon.Server:
    """Return the server as its settings make it."""
    return server


@contextmanager
def correspondence(
    folder: Path, parser: MailParser | None = None, altered: Alter = unchanged, **changes: str
) -> Iterator[Correspondence]:
    """Run a server in a folder of its own, altered as wanted.

    It takes mails apart itself, which is faster, unless a parser is given.
    """
    clock = Clock()
    chosen = settings(folder, **changes)
    databases.make(chosen.server.database)
    with daemon.open_server(chosen, clock, parser or InProcessParser(), monotonic=clock.monotonic) as server:
        words = repr(chosen).replace(chosen.server.database, server.engine.dialect.name).replace(str(folder), "")
        is_new = parser is None and not _has_rows(server)
        yield Correspondence(altered(server), folder, clock, (words, altered) if is_new else None)


def _has_rows(server: daemon.Server) -> bool:
    """Return whether anything happened in the database before."""
    with server.engine.connect() as connection:
        return any(
            connection.execute(sql(f"select 1 from {table} limit 1")).first() for table in ("incoming", "player")
        )
