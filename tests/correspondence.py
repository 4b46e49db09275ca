"""A correspondence between players and a server, for tests, with a real database, queues, and messages in folders."""

import re
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from pathlib import Path
from typing import Any, TypeVar
from unittest.mock import patch
from urllib.parse import unquote

import structlog
from sqlalchemy import event
from sqlalchemy import text as sql
from sqlmodel import Session, select
from typer.testing import CliRunner, Result

from pbem import config
from pbem.cli import shared
from pbem.cli.command_index import app
from pbem.conformance import server_harness
from pbem.conformance.server_harness import ADDRESS as ADDRESS
from pbem.conformance.server_harness import MORNING as MORNING
from pbem.conformance.server_harness import Clock, Letters, parsed
from pbem.conformance.server_harness import quoted as quoted
from pbem.conformance.server_harness import text as text
from pbem.conversation.feature import Features
from pbem.features.all import FEATURES
from pbem.mail.reading.isolated_parser import MailParser
from pbem.messages.reply_links import address_with
from pbem.players import bounces
from pbem.server import daemon
from pbem.storage.database import transaction
from pbem.storage.models import Clock as ServerClock
from pbem.storage.models import Outgoing
from pbem.tokens import Purpose, Token
from tests import databases, moments
from tests.moments import Moment
from tests.searchers import FirstTurn

Told = TypeVar("Told")
HREF = re.compile(r'href="mailto:([^"?]*)\?subject=[^"&]*&(?:amp;)?body=([^"]*)"')


def settings(folder: Path, **changes: str) -> config.Settings:
    """Return settings for a server with its own database and with mail folders in that folder."""
    folder.mkdir(parents=True, exist_ok=True)
    return server_harness.settings(folder, changes.pop("database", "") or databases.at(folder), **changes)


class Correspondence(Letters):
    """Letters whose scenes are played once, with an operator."""

    def __init__(self, server: daemon.Server, folder: Path, clock: Clock, setting: object = None) -> None:
        super().__init__(server, folder, clock)
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
        scenes = (*self._scenes, moments.name_of(scene, words, self._above))
        moment = moments.known(key := (setting, self.clock(), scenes))
        if moment:
            self._continue_from(moment)
        else:
            with moments.made_once(key) as made:
                if made:
                    self._continue_from(moment := made)
                else:
                    moment = self._remember(scene(self, *words))
                    moments.keep(key, moment)
        self._scenes, self._commits_of_scenes = scenes, self._commits
        return moment.told

    def _count(self, _connection: object) -> None:
        self._commits += 1

    def _remember(self, told: Any) -> Moment:
        """Return everything needed to continue from here."""
        files = moments.folder_of_files()
        for name in ("in", "out"):
            if (self.folder / name).is_dir():
                shutil.copytree(self.folder / name, files / name)
        received = {address: tuple(mails) for address, mails in self.received.items()}
        rows = databases.keep(self.server.engine)
        return Moment(told, self.clock(), tuple(self.log), received, self._delivered, files, rows)

    def _continue_from(self, moment: Moment) -> None:
        """Continue from where another correspondence was."""
        databases.put_back(moment.rows, self.server.engine)
        shutil.copytree(moment.files, self.folder, dirs_exist_ok=True)
        self.clock.set(moment.clock)
        self.log = list(moment.log)
        self.received = {address: list(mails) for address, mails in moment.received.items()}
        self._delivered = moment.delivered
        self._seen = {path.name for path in self._out.iterdir()} if self._out.is_dir() else set()

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

    def join(self, name: str) -> str:
        """Make NAME@mail.example a player. Return their personal address."""
        return self.play(Letters.join, name)

    def match(self, challenge: str = "challenge bob quadraphages", first: str = "alice", second: str = "bob") -> None:
        """Let both join, challenge and accept."""
        self.play(Letters.match, challenge, first, second)

    def personal(self, name: str) -> str:
        """Return the personal address of a player: a message to it proves who wrote it."""
        ((number, epoch),) = self.execute(f"select id, epoch from player where name = '{name}'")
        services = self.server.services
        return address_with(services.server, services.keyring, Token(Purpose.PERSONAL, number), epoch)

    def say(self, name: str, words: str) -> list[EmailMessage]:
        """Let a player write to their personal address. Return what the server sent."""
        return self.write(f"{name}@mail.example", words, to=self.personal(name))

    def resign(self, name: str, words: str = "resign") -> list[EmailMessage]:
        """Let a player resign in reply to the newest message, and confirm. Return what the server sent then."""
        (question,) = self.reply(self.last(name), words)
        return self.reply(question, "yes")

    def operate(self, *words: str, keys: str | None = None, **environment: str) -> Result:
        """Run a command of the operator's on this server, who types those keys. Return what it printed."""
        before = structlog.get_config()
        try:
            with patch.object(shared, "now", self.clock):
                return CliRunner().invoke(
                    app, [*words, "--config", str(self.folder / "pbem.toml")], input=keys, env=environment
                )
        finally:
            structlog.configure(**before)

    def execute(self, statement: str) -> list[tuple[Any, ...]]:
        """Run SQL on the server's database. Return the rows, if any."""
        with self.server.engine.begin() as connection:
            result = connection.execute(sql(statement))
            return [tuple(row) for row in result] if result.returns_rows else []

    def rows(self, statement: str) -> list[Any]:
        """Return the rows of a query; those of a single column as their value."""
        return [row[0] if len(row) == 1 else row for row in self.execute(statement)]

    @property
    def played(self) -> list[str]:
        """The turns of all matches, in their order."""
        return self.rows("select text from ply order by match, number")

    def carried(self, mail: EmailMessage) -> EmailMessage:
        """Return a message of ours as its carriers know it, with its envelope sender as Return-Path."""
        services = self.server.services
        with Session(self.server.engine) as session:
            row = session.exec(select(Outgoing).where(Outgoing.message_id == str(mail["Message-ID"]))).one()
            path = bounces.return_path(services.server, services.keyring, row)
        return parsed(f"Return-Path: {path}\n".encode() + mail.as_bytes())


def said(mail: EmailMessage) -> str:
    """Return the text of a message in one line."""
    return " ".join(text(mail).split())


def to(mails: Iterable[EmailMessage], name: str) -> list[EmailMessage]:
    """Return the messages to NAME@mail.example."""
    return [mail for mail in mails if mail["To"] == f"{name}@mail.example"]


def html(mail: EmailMessage) -> str:
    """Return the HTML part of a message; "" if there is none."""
    part = mail.get_body(("html",))
    return str(part.get_content()) if part else ""


def links(mail: EmailMessage) -> dict[str, str]:
    """Return the words of the links in the HTML of a message, with the addresses to which they go."""
    return {unquote(words): unquote(address) for address, words in HREF.findall(html(mail))}


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
    with daemon.open_server(chosen, clock, parser or MailParser(), FirstTurn(), features=features) as server:
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
