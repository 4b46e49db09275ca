"""No secret leaks into the log, the database, a message, a terminal or a repr, even after an error.

Every secret contains a mark. Operations that handle secrets are made to fail, and all output is searched for the mark.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, Session

from tests.operating.daemons import Daemon
from tests.operating.people import written
from tests.operating.site import ADDRESS, Site
from tests.servers import HOST, Mailbox, free_port, until
from tests.signing import key

KEY, IMAP, SMTP_WORD, DATABASE, OLD = (
    f"xyzzy{n}swordfishxyzzy" for n in ("key", "imap", "smtp", "database", "rognlie")
)
MARKED = "swordfish"


class Submission:
    """A submission server that refuses every login."""

    def __init__(self) -> None:
        self.tried: list[str] = []
        self.port = free_port()
        self._controller = Controller(
            self, hostname=HOST, port=self.port, authenticator=self._refuse, auth_require_tls=False
        )

    def _refuse(self, _server: SMTP, _session: Session, _envelope: Envelope, _how: str, data: object) -> AuthResult:
        self.tried.append(getattr(data, "password", b"").decode())
        return AuthResult(success=False, handled=False)

    def __enter__(self) -> "Submission":
        self._controller.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._controller.stop()


@dataclass
class Stage:
    """A site whose secrets are all marked; its mailbox and submission server refuse the login."""

    site: Site
    submission: Submission
    dkim: str
    """A line of the private key."""

    @property
    def written(self) -> str:
        """The content of all files of the site, except those that hold secrets, and the database."""
        apart = ("pbem.toml", "pbem.key", "dkim.pem", "pbem.sqlite")
        files = [path for path in self.site.folder.rglob("*") if path.is_file() and not path.name.startswith(apart)]
        return b"\n".join(path.read_bytes() for path in files).decode("latin-1")

    def check(self, *more: str) -> None:
        """Assert that neither the files nor the given texts contain a secret."""
        for text in (self.written, *more):
            assert MARKED not in text, re.findall(f".{{0,80}}{MARKED}", text)[:3]
            assert self.dkim not in text


@pytest.fixture
def stage(site: Site, mailbox: Mailbox) -> Iterator[Stage]:
    (site.folder / "pbem.key").write_text(f"{KEY}\n", encoding="utf-8")
    private = key("pbem.example", 2048).private
    (site.folder / "dkim.pem").write_bytes(private)
    with Submission() as submission:
        site.config.write_text(
            f"""
            [server]
            address = "{ADDRESS}"
            database = "sqlite:///pbem.sqlite"
            key = {{ file = "pbem.key" }}
            admin = "root@pbem.example"
            [inbox.lmtp]
            port = 0
            [inbox.imap]
            host = "{HOST}"
            port = {mailbox.server.imap}
            security = "none"
            username = "{mailbox.user}"
            password = {{ value = "{IMAP}" }}
            [outbox.smtp]
            host = "{HOST}"
            port = {submission.port}
            security = "none"
            username = "games"
            password = {{ value = "{SMTP_WORD}" }}
            [outbox.dkim]
            selector = "games"
            key = {{ file = "dkim.pem" }}
            [log]
            format = "json"
            level = "debug"
            """,
            encoding="utf-8",
        )
        yield Stage(site, submission, private.decode().splitlines()[3])


def rows(site: Site) -> str:
    """Return every row but the received messages themselves, which are the sender's words."""
    tables = site.rows("select name from sqlite_master where type = 'table'")
    return str([site.rows(f'select * from "{table}"') for table in tables if table != "rawmessage"])


@pytest.mark.slow
def test_a_running_server_that_fails_everywhere_tells_no_secret(stage: Stage, start: Callable[..., Daemon]) -> None:
    site = stage.site
    daemon = start(site, waits=False)  # it never is
    until(lambda: daemon.lines("listening"), "mail can be delivered")
    until(lambda: "authenticat" in daemon.text().lower(), "the mailbox has refused the login")
    daemon.deliver("al@mail.example", ADDRESS, written("al@mail.example", ADDRESS, "help"))
    until(lambda: stage.submission.tried, "the server that takes mail has refused the login")
    assert SMTP_WORD in "".join(stage.submission.tried)
    until(lambda: [line for line in daemon.lines("mail out") if "not sent" in line["verdict"]], "it is told")
    # A bug while handling a line with a player's password for another server: its match doesn't replay.
    stamp = "'2026-01-01 00:00:00'"
    site.rows(f"update player set name = 'al', created = {stamp}, confirmed = {stamp}")
    (player,) = site.rows("select id from player where name = 'al'")
    site.rows(
        "insert into match (game, options, seat0, seat1, challenger, state, created) "
        f"values ('quadraphages', '{{\"first\": \"y\"}}', {player}, {player}, {player}, 'running', {stamp})"
    )
    line = f"quadraphages move 1 al {OLD} c1b1 g9h9 3"
    to = site.personal("al")
    daemon.deliver("al@mail.example", to, written("al@mail.example", to, line, Subject=f"show 1 al {OLD}"))
    until(lambda: [each for each in daemon.lines("mail in") if each["verdict"] == "shunted"], "the mail is shunted")
    until(lambda: daemon.lines("mails wait for the operator"), "the admin is told")
    done = daemon.end()
    assert "Traceback" in rows(site)
    said = [site.process(*words).said for words in (["mail", "list"], ["check"], ["player", "bounced"])]
    stage.check(done.said, rows(site), *said)
