"""A correspondence between players and a server, for tests, with a real database, queues, and messages in folders."""

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

import structlog
from sqlalchemy import event
from sqlalchemy import text as sql
from sqlmodel import Session, select
from typer.testing import CliRunner, Result

from notation.games import GAMES
from pbem import config
from pbem.cli.index import app
from pbem.conversation.feature import Features
from pbem.features.all import FEATURES
from pbem.mail.reading.protocol import InProcessParser, MailParser
from pbem.players import bounces
from pbem.server import daemon
from pbem.storage.database import transaction
from pbem.storage.models import Clock as ServerClock
from pbem.storage.models import Outgoing
from tests import databases
from tests.searchers import FirstTurn

Told = TypeVar("Told")
ADDRESS = "games@pbem.example"
MORNING = datetime(2026, 3, 2, 8, tzinfo=UTC)
"""The time at which every correspondence begins."""


def settings(folder: Path, **changes: str) -> config.Settings:
    """Return settings for a server with its own database and with mail folders in that folder."""
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
    """The clock of a server under test, which only moves when a test moves it."""

    def __init__(self) -> None:
        self._now = MORNING
        self._leapt = timedelta()

    def __call__(self) -> datetime:
        """Return the current time of the server."""
        return self._now

    def set(self, now: datetime) -> None:
        """Set the time."""
        self._now = now

    def leap(self, **time: float) -> None:
        """Change the time without letting any pass."""
        self._now += timedelta(**time)
        self._leapt += timedelta(**time)

    def monotonic(self) -> float:
        """Return how many seconds have really passed."""
        return (self._now - MORNING - self._leapt).total_seconds()

    def advance(self, **time: float) -> None:
        """Let some minutes, hours or days pass."""
        self._now += timedelta(**time)


class Correspondence:
    """A server and the mailboxes of everyone to whom it writes."""

    def __init__(self, server: daemon.Server, folder: Path, clock: Clock, setting: object = None) -> None:
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
        self._begun_with = server, setting
        self._scenes: tuple[object, ...] = ()
        self._commits = self._commits_of_scenes = 0
        event.listen(server.engine, "commit", self._count)

    def play(self, scene: Callable[..., Told], *words: str) -> Told:
        """Play a scene, and return what it returns.

        If only scenes were played before, each process plays the same sequence of scenes under the same settings only
        once; after that, the resulting rows and files are copied.
        """
        server, setting = self._begun_with
        changed = self._commits != self._commits_of_scenes or self.server is not server
        if setting is None or changed:
            return scene(self, *words)
        scenes = (*self._scenes, (scene, words, self._above, tuple(GAMES)))
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
        """Return everything needed to continue from here."""
        files = _moments_folder() / str(len(_MOMENTS))
        for name in ("in", "out"):
            if (self.folder / name).is_dir():
                shutil.copytree(self.folder / name, files / name)
        received = {address: tuple(mails) for address, mails in self.received.items()}
        rows = databases.keep(self.server.engine)
        return Moment(told, self.clock(), tuple(self.log), received, self._delivered, files, rows)

    def _continue_from(self, moment: "Moment") -> None:
        """Continue from where another correspondence was."""
        databases.put_back(moment.rows, self.server.engine)
        shutil.copytree(moment.files, self.folder, dirs_exist_ok=True)
        self.clock.set(moment.clock)
        self.log = list(moment.log)
        self.received = {address: list(mails) for address, mails in moment.received.items()}
        self._delivered = moment.delivered
        self._seen = {path.name for path in self._out.iterdir()} if self._out.is_dir() else set()

    def deliver(self, raw: bytes) -> list[EmailMessage]:
        """Deliver a raw message and let the server work. Return what it sent."""
        self.log.append(("in", parsed(self._above + raw)))
        return self.deliver_unread(raw)

    def deliver_unread(self, raw: bytes) -> list[EmailMessage]:
        """Do the same with a message that isn't safe to parse here, and isn't logged."""
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
        """Let some minutes, hours or days pass, then let the server work. Return what it sent."""
        self.clock.advance(**time)
        daemon.run_once(self.server)
        self.server.inboxes[0].close()
        return self._collect()

    def run_for(self, **time: float) -> list[EmailMessage]:
        """Let some time pass in which the server runs, as its heartbeats say. Return what it sends at the end."""
        self.clock.advance(**time)
        with transaction(self.server.engine) as session:
            row = session.get_one(ServerClock, 1)
            row.beat = self.clock()
            session.add(row)
        return self.wait()

    @contextmanager
    def trusting(self, results: str) -> Iterator[None]:
        """Add these Authentication-Results on top of every message, as the mail server in front would."""
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

    def join(self, name: str) -> str:
        """Make NAME@mail.example a player. Return their personal address."""
        return self.play(_join, name)

    def match(self, challenge: str = "challenge bob quadraphages", first: str = "alice", second: str = "bob") -> None:
        """Let both join, challenge and accept."""
        self.play(_match, challenge, first, second)

    def resign(self, name: str, words: str = "resign") -> list[EmailMessage]:
        """Let a player resign in reply to the newest message, and confirm. Return what the server sent then."""
        (question,) = self.reply(self.last(name), words)
        return self.reply(question, "yes")

    def operate(self, *words: str, keys: str | None = None, **environment: str) -> Result:
        """Run a command of the operator's on this server, who types those keys. Return what it printed."""
        before = structlog.get_config()
        try:
            return CliRunner().invoke(
                app, [*words, "--config", str(self.folder / "pbem.toml")], input=keys, env=environment
            )
        finally:
            structlog.configure(**before)

    def execute(self, statement: str) -> list[tuple[object, ...]]:
        """Run SQL on the server's database. Return the rows, if any."""
        with self.server.engine.begin() as connection:
            result = connection.execute(sql(statement))
            return [tuple(row) for row in result] if result.returns_rows else []

    def last(self, name: str) -> EmailMessage:
        """Return the newest message to NAME@mail.example."""
        return self.last_to(f"{name}@mail.example")

    def carried(self, mail: EmailMessage) -> EmailMessage:
        """Return a message of ours as its carriers know it, with its envelope sender as Return-Path."""
        services = self.server.services
        with Session(self.server.engine) as session:
            row = session.exec(select(Outgoing).where(Outgoing.message_id == str(mail["Message-ID"]))).one()
            path = bounces.return_path(services.server, services.keyring, row)
        return parsed(f"Return-Path: {path}\n".encode() + mail.as_bytes())

    def last_to(self, address: str) -> EmailMessage:
        """Return the newest message to an address."""
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
    """The state of a correspondence after some scenes."""

    told: Any
    """The return value of the last scene."""
    clock: datetime
    log: tuple[tuple[str, EmailMessage], ...]
    received: Mapping[str, tuple[EmailMessage, ...]]
    delivered: int
    files: Path
    rows: databases.Kept


_MOMENTS: dict[tuple[object, datetime, tuple[object, ...]], Moment] = {}
"""The states after scenes that this process has played, by settings, time of the beginning, and scenes."""


@cache
def _moments_folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="pbem-moments"))


def forget() -> None:
    """Delete the stored states; tests/conftest.py calls this at the end."""
    if _moments_folder.cache_info().currsize:
        shutil.rmtree(_moments_folder())
        _moments_folder.cache_clear()
        _MOMENTS.clear()


class _Registry(HeaderRegistry):
    """The library's header registry with a cache, so that tests parse each header only once."""

    def __init__(self) -> None:
        super().__init__()
        self._read = lru_cache(maxsize=4096)(super().__call__)

    def __call__(self, name: str, value: Any) -> BaseHeader:
        return self._read(name, value)


STRICT = email.policy.default.clone(header_factory=_Registry())


def parsed(raw: bytes) -> EmailMessage:
    """Return a parsed message of ours, after strict parsing."""
    mail = email.message_from_bytes(raw, policy=STRICT)
    assert isinstance(mail, EmailMessage)
    return mail


def text(mail: EmailMessage) -> str:
    """Return the text part of a message."""
    part = mail.get_body(("plain",))
    return str(part.get_content()) if part else ""


def quoted(mail: EmailMessage) -> str:
    """Return a message as a mail program quotes it in a reply."""
    lines = "\n".join(f"> {line}" for line in text(mail).splitlines())
    return f"On Mon, 1 Jan 2007 at 10:00, PBeM <{ADDRESS}> wrote:\n{lines}"


def _written(path: Path) -> tuple[int, str]:
    return path.stat().st_mtime_ns, path.name


Alter = Callable[[daemon.Server], daemon.Server]


def unchanged(server: daemon.Server) -> daemon.Server:
    """Return the server unchanged."""
    return server


@contextmanager
def correspondence(
    folder: Path,
    parser: MailParser | None = None,
    altered: Alter = unchanged,
    features: Features = FEATURES,
    **changes: str,
) -> Iterator[Correspondence]:
    """Run a server with those features in a folder, after `altered` has changed it.

    Unless a parser is given, messages are parsed in this process, which is faster.
    """
    clock = Clock()
    chosen = settings(folder, **changes)
    databases.make(chosen.server.database)
    with daemon.open_server(
        chosen, clock, parser or InProcessParser(), FirstTurn(), features=features, monotonic=clock.monotonic
    ) as server:
        words = repr(chosen).replace(chosen.server.database, "").replace(str(folder), "")
        is_new = parser is None and features is FEATURES and not _has_rows(server)
        yield Correspondence(
            altered(server), folder, clock, (server.engine.dialect.name, words, altered) if is_new else None
        )


def _has_rows(server: daemon.Server) -> bool:
    """Return whether the database was used before."""
    with server.engine.connect() as connection:
        return any(
            connection.execute(sql(f"select 1 from {table} limit 1")).first() for table in ("incoming", "player")
        )
