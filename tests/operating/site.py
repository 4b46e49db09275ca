"""A folder in which pbem runs as for an operator: from the command line, with a configuration file."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
import structlog
from sqlalchemy import Engine, create_engine, event, text
from sqlalchemy.pool import NullPool
from typer.testing import CliRunner

from pbem import config
from pbem.cli.command_index import app
from pbem.messages.reply_links import address_with
from pbem.server import daemon
from pbem.tokens import Keyring, Purpose, Token
from tests import databases

ADDRESS = "games@pbem.example"

SERVER = """
[server]
address = "{address}"
database = "{database}"
key = {{ file = "pbem.key" }}
[log]
format = "json"
"""
FOLDER_IN = '[inbox.maildir]\npath = "in"\n'
FOLDER_OUT = '[outbox.maildir]\npath = "out"\n'
LMTP_IN = "[inbox.lmtp]\nport = 0\n"
KEY = "the key of the tests\n"


def smtp_out(port: int) -> str:
    """Return the configuration of an outbox that sends through a server on this machine."""
    return f'[outbox.smtp]\nhost = "127.0.0.1"\nport = {port}\nsecurity = "none"\n'


@dataclass(frozen=True)
class Done:
    """How a command ended and what it printed."""

    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        """Both outputs, for checks that neither contains something."""
        return self.out + self.err


class Site:
    """The folder, its configuration and its database."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self.config = folder / "pbem.toml"
        self.database = databases.at(folder)
        self.address = ADDRESS

    def configure(self, inbox: str = FOLDER_IN, outbox: str = FOLDER_OUT, address: str = ADDRESS) -> None:
        """Write the configuration and the key."""
        self.address = address
        self.config.write_text(
            f"{SERVER.format(address=address, database=self.database)}\n{inbox}\n{outbox}", encoding="utf-8"
        )
        (self.folder / "pbem.key").write_text(KEY, encoding="utf-8")
        for path in (self.config, self.folder / "pbem.key"):
            path.chmod(0o600)

    def make(self) -> None:
        """Create the tables of the database, as `pbem init` does."""
        databases.make(self.database)

    def pbem(self, *words: str, stdin: bytes = b"", **env: str) -> Done:
        """Run a command inside this process, and re-raise unexpected exceptions.

        Don't use it for `run` without --once, which sets signal handlers.
        """
        result = CliRunner().invoke(app, list(words), input=stdin, env={"PBEM_CONFIG": str(self.config)} | env)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Done(result.exit_code, result.stdout, result.stderr)

    def process(self, *words: str, stdin: bytes = b"", umask: int = -1, obeys_modes: bool = False, **env: str) -> Done:
        """Run a command in this folder as a separate process, perhaps without root's right to ignore files' modes."""
        from tests import forks  # loads all commands

        said = Done(*forks.run(words, self.folder, environment() | env, stdin, umask, obeys_modes))
        assert "Traceback" not in said.said, said.said
        return said

    def run_once(self, **env: str) -> list[int]:
        """Process what is waiting. Return the numbers of messages received, processed and sent."""
        done = self.pbem("run", "--once", **env)
        assert done.code == 0, done.said
        return [int(words.split()[0]) for words in done.out.split(", ")]

    def server(self) -> Any:
        """Return a context manager that opens the configured server inside this process."""
        return daemon.open_server(config.load(self.config))

    def drop(self, *mails: bytes) -> None:
        """Put messages into the inbox folder."""
        new = self.folder / "in" / "new"
        new.mkdir(parents=True, exist_ok=True)
        for mail in mails:
            (new / f"{len(list(new.iterdir())):03}.test").write_bytes(mail)

    def sent(self) -> list[bytes]:
        """Return the messages in the outbox folder, oldest first."""
        paths = (self.folder / "out" / "new").glob("*")
        return [path.read_bytes() for path in sorted(paths, key=lambda path: path.stat().st_mtime_ns)]

    def personal(self, name: str) -> str:
        """Return the personal address of a player: a message to it proves who wrote it."""
        server = config.load(self.config).server
        ((number, epoch),) = self.rows("select id, epoch from player where name = :name", name=name)
        return address_with(server, Keyring(server.key.read()), Token(Purpose.PERSONAL, number), epoch)

    def rows(self, sql: str, **values: object) -> list[Any]:
        """Return the rows of a query, after a commit; rows of a single column are returned as their value."""
        return rows(self._engine, sql, **values)

    @cached_property
    def _engine(self) -> Engine:
        engine = create_engine(self.database, poolclass=NullPool)
        if engine.dialect.name == "postgresql":
            event.listen(engine, "connect", lambda raw, _: raw.execute("set time zone 'UTC'"))
        return engine


def rows(engine: Engine, sql: str, **values: object) -> list[Any]:
    """Return the rows of a query, after a commit; rows of a single column are returned as their value."""
    with engine.begin() as connection:
        found = connection.execute(text(sql), values)
        fetched = found.fetchall() if found.returns_rows else []
    return [row[0] if len(row) == 1 else tuple(row) for row in fetched]


def environment() -> dict[str, str]:
    """Return the environment of this process, without variables that configure pbem."""
    return {name: value for name, value in os.environ.items() if not name.startswith("PBEM_")}


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    """Make a folder with a configuration that reads messages from a folder and writes them to another."""
    monkeypatch.delenv("PBEM_CONFIG", raising=False)
    site = Site(tmp_path / "site")
    site.configure()
    site.make()
    yield site
    structlog.reset_defaults()
