"""docs/doctor.md says what `pbem doctor` finds in broken set-ups. Each row is a set-up that is really broken.

PBEM_GOLDEN=write rewrites the rows; run it in a single process.
"""

import os
import re
import shutil
import sqlite3
import ssl
import subprocess
import tempfile
from collections import namedtuple
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Self

import pytest
from jinja2 import FileSystemLoader

from pbem import config
from pbem.cli.doctor import domain, examination, local_files_and_ports, mail_servers, round_trip
from pbem.cli.doctor.findings import Finding, Severity
from pbem.config.dump import veiled_url
from pbem.mail.transports.protocols import Patience
from pbem.messages import templating
from pbem.server import backups
from pbem.server.daemon import now
from pbem.storage import sqlite
from tests import faked_clock
from tests.docs.pages import ROOT
from tests.operating.daemons import stopped_writer
from tests.operating.doors import answering, begins_with_tls, expired, greets, greets_as, is_silent, submission
from tests.operating.matches import in_play
from tests.operating.site import ADDRESS, FOLDER_IN, FOLDER_OUT, Site
from tests.servers import GENEROUS, HOST, PASSWORD, Dovecot, certificate, free_port, missing
from tests.signing import key, name_server

pytest.importorskip("dkim")
pytestmark = pytest.mark.own_database

PAGE = ROOT / "docs" / "doctor.md"
TABLE = re.compile(r"(?<=\| --- \| --- \| --- \| --- \|\n)(?:\|.*\n)*")
WORST = [Severity.PROBLEM, Severity.NOTE]


class Kit:
    """What a broken set-up is made of. `shown` are the words that differ each time, as the page has them."""

    def __init__(self, request: pytest.FixtureRequest, stack: ExitStack) -> None:
        self.request, self.stack = request, stack
        self.site: Site = request.getfixturevalue("site")
        self.folder = self.site.folder
        self.shown = {str(self.folder): "/etc/pbem"}
        self.patch: pytest.MonkeyPatch = request.getfixturevalue("monkeypatch")

    def port(self, number: int, shown: int) -> int:
        """Have the page show another number."""
        self.shown[str(number)] = str(shown)
        return number

    def cert(self) -> Path:
        """Return a certificate for this machine that nobody else knows."""
        return certificate(self.folder)[0]

    def answers(self, how: Callable[[Any], None], shown: int) -> int:
        """Run a server that does this; return its port."""
        return self.port(self.stack.enter_context(answering(how)), shown)

    def impatient(self) -> Self:
        """Have doctor wait for no greeting that won't come."""
        for module in (local_files_and_ports, mail_servers):
            self.patch.setattr(module, "GREETING_SECONDS", 0.5)
        self.patch.setattr(mail_servers, "PATIENCE", Patience(connect=0.5, answer=0.5))
        return self

    def put(self, name: str, content: str | None = "") -> Self:
        """Write a file of the site, or make a folder where it should be, instead of what is there."""
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.unlink(missing_ok=True)
        path.mkdir() if content is None else path.write_text(content, encoding="ascii")
        return self

    def imap(self, dovecot: Dovecot | None = None, check: str = "inbox.imap", **changes: Any) -> str:
        """Configure a mailbox, of that Dovecot if there is one, with one thing wrong."""
        values: dict[str, Any] = {"host": HOST, "port": 993, "username": "games", "password": {"value": PASSWORD}}
        if dovecot is not None:
            user = dovecot.mailbox().user
            dovecot.doveadm("mailbox", "create", "-u", user, f"{dovecot.prefix}Processed")
            self.shown[user] = ADDRESS
            values |= {"port": self.port(dovecot.imaps, 993), "username": user, "tls": {"ca_file": str(dovecot.cert)}}
        return self.receives(f"[inbox.imap]\n{toml(values | changes)}", check)

    def receives(self, tables: str, check: str) -> str:
        """Configure how mail is received."""
        self.site.configure(tables)
        return check

    def smtp(self, port: int, **changes: Any) -> str:
        """Configure where mail is sent to, with one thing wrong."""
        values = {"host": HOST, "port": port, "security": "none"} | changes
        self.site.configure(outbox=f"[outbox.smtp]\n{toml(values)}")
        return "outbox.smtp"

    def configured(self, tables: str, check: str) -> str:
        """Add tables to the configuration."""
        self.site.configure(outbox=FOLDER_OUT + tables)
        return check

    def in_dns(self, changes: dict[str, str | None], *, silent: bool = False, private: bytes = b"") -> str:
        """Have the DNS say what it should about our domain, but for this; sign with that, or the key in the DNS."""
        (self.folder / "dkim.pem").write_bytes(private or key("pbem.example", 2048).private)
        good = {
            "pbem.example. MX": "10 mx.pbem.example.",
            "pbem.example.": "v=spf1 mx -all",
            "games._domainkey.pbem.example.": key("pbem.example", 2048).public,
            "_dmarc.pbem.example.": "v=DMARC1; p=none",
        }
        told = {name: text for name, text in {**good, **changes}.items() if text is not None}
        if silent:
            self.patch.setattr(domain, "SECONDS", 0.1)
        self.stack.enter_context(name_server(told, silent=silent))
        return self.configured('[outbox.dkim]\nselector = "games"\nkey = { file = "dkim.pem" }\n', "dns")


def toml(values: dict[str, Any]) -> str:
    """Return the values as lines of TOML."""

    def one(value: Any) -> str:
        if isinstance(value, dict):
            return "{ " + ", ".join(f"{name} = {one(each)}" for name, each in value.items()) + " }"
        return f"'{value}'" if isinstance(value, str) else str(value).lower()

    return "".join(f"{name} = {one(value)}\n" for name, value in values.items())


# Set-ups: each breaks one thing, and returns the name of the check that is to find it


def lasting(kit: Kit, days: int, *under: str) -> Path:
    """Return a certificate that ends after so many days, made by openssl under that program."""
    private, made = kit.cert().with_name("key.pem"), kit.folder / "lasting.pem"
    words = ("openssl", "req", "-x509", "-key", str(private), "-subj", "/CN=localhost", "-days", str(days))
    more = ("-addext", f"subjectAltName=IP:{HOST}", "-out", str(made))
    subprocess.run([*under, *words, *more], check=True, capture_output=True)
    return made


def not_yet_valid(kit: Kit) -> str:
    """Set our clock back: what counts is that it and the certificate differ."""
    faketime = shutil.which("faketime")
    if faketime is None:
        missing("faketime", "faketime")
        raise AssertionError
    if faked_clock.IS_FAKED:
        pytest.skip("a clock that is faked already can't be faked again")
    made = lasting(kit, 9, faketime, "+5 days")
    port = kit.answers(begins_with_tls(made), 465)
    return kit.smtp(port, security="tls", tls={"ca_file": str(made)})


def password(kit: Kit, **where: str) -> str:
    """Configure where the mailbox's password is, which is a file by default."""
    return kit.imap(check="secrets", password=where or {"file": "imap.password"})


def ends_tomorrow(kit: Kit) -> str:
    made = lasting(kit, 1)
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(made, made.with_name("key.pem"))
    port = kit.port(kit.stack.enter_context(submission(ssl_context=context, auth_required=False)), 465)
    return kit.smtp(port, security="tls", tls={"ca_file": str(made)})


def der(pem: bytes) -> bytes:
    words = ["openssl", "pkey", "-outform", "DER"]
    return subprocess.run(words, input=pem, check=True, capture_output=True, timeout=GENEROUS).stdout


def has_expired(kit: Kit) -> str:
    folder = kit.folder / "expired"
    folder.mkdir()
    old = expired(folder, kit.cert())
    return kit.smtp(kit.answers(begins_with_tls(old), 465), security="tls", tls={"ca_file": str(old)})


def for_another_host(kit: Kit) -> str:
    kit.shown["127.1"] = "mail.example"
    cert = kit.cert()
    port = kit.answers(begins_with_tls(cert), 465)
    return kit.smtp(port, host="127.1", security="tls", tls={"ca_file": str(cert)})


def wrong_smtp_password(kit: Kit) -> str:
    port = kit.port(kit.stack.enter_context(submission(auth_require_tls=False)), 465)
    return kit.smtp(port, username=ADDRESS, password={"value": "hunter2"})


def only_with_tls(kit: Kit) -> str:
    port = kit.port(kit.stack.enter_context(submission()), 587)
    return kit.smtp(port, username=ADDRESS, password={"value": PASSWORD})


def sink(kit: Kit, *faults: str) -> int:
    return kit.port(kit.request.getfixturevalue("smtp_sink")(*faults).port, 25)


def never_logged_in(kit: Kit) -> str:
    kit.smtp(kit.port(kit.stack.enter_context(submission(auth_require_tls=False)), 25), username=ADDRESS)
    with kit.site.config.open("a", encoding="utf-8") as file:
        file.write('[oauth2]\nprovider = "google"\nclient_id = "1234"\ntoken_file = "oauth2.token"\n')
    return "outbox.smtp"


def another_key(kit: Kit) -> str:
    file(kit)
    with kit.site.server() as server:
        in_play(server, 1)
    (kit.folder / "pbem.key").write_text("the key of another server\n", encoding="ascii")
    return "database"


def elsewhere(kit: Kit, mode: int, shown: str) -> Path:
    """Return a new folder with these rights where everyone can go; pytest's folders are closed."""
    folder = Path(kit.stack.enter_context(tempfile.TemporaryDirectory(prefix="doctor")))
    folder.chmod(mode)
    kit.shown[str(folder)] = shown
    return folder


def to_ourselves(kit: Kit) -> str:
    port = kit.port(free_port(), 2525)
    kit.site.configure(
        f"[inbox.smtp]\nport = {port}\n", f'[outbox.smtp]\nhost = "{HOST}"\nport = {port}\nsecurity = "none"\n'
    )
    return "outbox.smtp"


def program_in_home(kit: Kit) -> str:
    program, unit = kit.folder / "pbem", kit.folder / "pbem.service"
    program.write_text("#!/bin/sh\n", encoding="ascii")
    unit.write_text(f"[Service]\nExecStart={program} run\n", encoding="ascii")
    kit.folder.chmod(0o700)
    kit.patch.setattr(local_files_and_ports.closed_to_service, "__defaults__", (unit,))
    return "rights"


def key_for_everyone(kit: Kit) -> str:
    folder = elsewhere(kit, 0o711, "/etc/pbem")
    shutil.copy(kit.folder / "pbem.key", folder)
    (folder / "pbem.key").chmod(0o644)
    text = kit.site.config.read_text(encoding="utf-8")
    kit.site.config.write_text(text.replace('"pbem.key"', f'"{folder}/pbem.key"'), encoding="utf-8")
    return "rights"


def broken_template(kit: Kit, content: bytes) -> str:
    folder = kit.folder / "templates"
    folder.mkdir()
    (folder / "turn.j2").write_bytes(content)
    broken = templating.templates(templating.HTML).overlay(loader=FileSystemLoader(folder))
    kit.patch.setattr(templating, "templates", lambda face: broken)
    return "templates"


def database(kit: Kit, url: str) -> str:
    kit.site.database = url
    kit.site.configure()
    return "database"


def file(kit: Kit, name: str = "pbem.sqlite") -> Path:
    database(kit, f"sqlite:///{kit.folder}/{name}")
    kit.site.make()
    made: Path = kit.folder / name
    return made


def instead(kit: Kit, content: str | None) -> str:
    """Put that, or a folder, where the database should be."""
    kit.put(file(kit).name, content)
    return "database"


def stored(kit: Kit, sql: str, check: str = "database", **values: object) -> str:
    """Have the database hold something else."""
    file(kit)
    kit.site.rows(sql, **values)
    return check


def foreign(kit: Kit) -> str:
    made = file(kit)
    made.unlink()
    with closing(sqlite3.connect(made)) as connection:
        connection.executescript("create table photo (id); create table album (id)")
    return "database"


def clock_seen(kit: Kit, ahead: timedelta) -> str:
    sql = "insert into clock (id, beat) values (1, :then)"
    return stored(kit, sql, then=f"{now() + ahead:%Y-%m-%d %H:%M:%S}")


def no_pg_dump(kit: Kit) -> str:
    kit.patch.setenv("PATH", str(kit.folder))
    database(kit, f"postgresql+psycopg://pbem@{HOST}:1/pbem")
    return kit.configured(f'[backup]\nfolder = "{kit.folder}"\n', "backup")


def held_by_a_stopped_process(kit: Kit) -> str:
    kit.patch.setattr(sqlite, "BUSY_SECONDS", 0.1)  # half a minute in production
    process = kit.stack.enter_context(stopped_writer(file(kit)))
    kit.shown[str(process.pid)] = "4711"
    return "database"


def nearly_full(kit: Kit, free: int) -> str:
    file(kit)
    usage = namedtuple("usage", "total used free")
    kit.patch.setattr(shutil, "disk_usage", lambda _: usage(1 << 40, 0, free << 20))
    return "database"


def postgres(kit: Kit, change: str, to: str) -> str:
    return database(kit, on_postgres(kit, kit.request.getfixturevalue("postgres").database()).replace(change, to))


def on_postgres(kit: Kit, url: str) -> str:
    """Have the page show a usual URL instead of this one."""
    port, tail = re.search(r":(\d+)/", url), url[url.index("?") :]
    assert port
    kit.port(int(port[1]), 5432)
    kit.shown |= {tail: "", veiled_url(url).partition("?")[2]: "", "/postgres?": "/pbem", "/games?": "/games"}
    return url


def not_allowed_to_write(kit: Kit) -> str:
    server, schema = kit.request.getfixturevalue("postgres"), ""
    url = on_postgres(kit, server.migrated())
    schema, role = url.rpartition("%3D")[2], f"reader{os.getpid()}"
    server._execute(f"create role {role} login; grant usage on schema {schema} to {role}")
    server._execute(f"grant select on all tables in schema {schema} to {role}")
    kit.shown[role] = "games"
    return database(kit, url.replace("pbem@", f"{role}@"))


def no_postgres(kit: Kit) -> str:
    return database(kit, f"postgresql+psycopg://pbem:hunter2@{HOST}:{kit.port(free_port(), 5432)}/pbem")


def backup_for_everyone(kit: Kit) -> str:
    folder = elsewhere(kit, 0o755, "/var/backups/pbem")
    (folder / backups.name(ADDRESS, datetime(2026, 11, 21, 3, 15, tzinfo=UTC))).touch(mode=0o644)
    return kit.configured(f'[backup]\nfolder = "{folder}"\n', "rights")


def dovecot(kit: Kit, name: str = "dovecot") -> Dovecot:
    server: Dovecot = kit.request.getfixturevalue(name)
    return server


DKIM = "games._domainkey.pbem.example."
VERSION = "update alembic_version set version_num = :version"
RECEIVED = """
    insert into incoming (key, size, source, recipients, state, received)
    values ('k', 1, 's', '[]', 'done', :received)
"""


Setup = Callable[[Kit], str]
BY_DOVECOT: dict[str, Setup] = {
    "wrong password of the mailbox": lambda kit: kit.imap(dovecot(kit), password={"value": "wrong"}),
    'security = "starttls" at a port that begins with TLS': lambda kit: kit.impatient().imap(
        dovecot(kit), security="starttls"
    ),
    'security = "tls" at a port that doesn\'t begin with it': lambda kit: kit.imap(
        dovecot(kit), port=kit.port(dovecot(kit).imap, 143)
    ),
    "a certificate that nobody vouches for": lambda kit: kit.imap(dovecot(kit), tls={}),
    "the folder of the mailbox is missing": lambda kit: kit.imap(dovecot(kit), folder="Games"),
    "the mailbox has no folder for what was read": lambda kit: kit.imap(dovecot(kit), processed="Done"),
    "no IDLE": lambda kit: kit.imap(dovecot(kit, "old_dovecot")),
    "no MOVE": lambda kit: kit.imap(dovecot(kit, "old_dovecot")),
    "neither MOVE nor UIDPLUS": lambda kit: kit.imap(dovecot(kit, "bare_dovecot")),
}
BY_POSTGRES: dict[str, Setup] = {
    "PostgreSQL has no such user": lambda kit: postgres(kit, "pbem@", "games@"),
    "PostgreSQL has no such database": lambda kit: postgres(kit, "/postgres", "/games"),
    "PostgreSQL doesn't let us write": not_allowed_to_write,
}
QUICK: dict[str, Setup] = {
    "wrong host of the mailbox": lambda kit: kit.imap(host="imap.invalid"),
    "wrong port of the mailbox": lambda kit: kit.imap(port=kit.port(free_port(), 993)),
    "the file of a password is missing": password,
    "the file of a password is a folder": lambda kit: password(kit.put("imap.password", None)),
    "a password ends with a space": lambda kit: password(kit.put("imap.password", f"{PASSWORD} \n")),
    "the command for a password isn't there": lambda kit: password(kit, command="pass-of-nobody show games/imap"),
    "the file of certificates is missing": lambda kit: kit.imap(tls={"ca_file": "/nowhere/ca.pem"}),
    "wrong password where mail is sent": wrong_smtp_password,
    "a login that is offered with TLS only": only_with_tls,
    "mail is sent to ourselves": to_ourselves,
    "no STARTTLS": lambda kit: kit.smtp(sink(kit), security="starttls"),
    "the service can't read its program": program_in_home,
    "nobody has logged in with OAuth2": never_logged_in,
    "the file of tokens is damaged": lambda kit: never_logged_in(kit.put("oauth2.token", "hello\n")),
    "a relay that doesn't take our mail": lambda kit: kit.smtp(sink(kit, "-f", "MAIL")),
    "a server or firewall that says nothing": lambda kit: kit.impatient().smtp(
        kit.answers(is_silent, 587), security="starttls"
    ),
    "an expired certificate": has_expired,
    "a certificate of the future, or our clock is behind": not_yet_valid,
    "a certificate for another host": for_another_host,
    "a certificate that ends tomorrow": ends_tomorrow,
    "mail is sent to an IMAP server": lambda kit: kit.smtp(kit.answers(greets_as(b"* OK ready\r\n"), 143)),
    "the mailbox is at an SMTP server": lambda kit: kit.imap(
        port=kit.answers(greets_as(b"220 ready\r\n"), 25), security="none"
    ),
    "the mailbox is at a web server": lambda kit: kit.imap(
        port=kit.answers(greets_as(b"HTTP/1.1 400 Bad Request\r\n\r\n"), 80), security="none"
    ),
    "the mailbox's server takes no connection": lambda kit: kit.imap(
        port=kit.answers(greets_as(b"* BYE too many connections\r\n"), 143), security="none"
    ),
    "a relay that is too busy": lambda kit: kit.smtp(kit.answers(greets_as(b"421 4.7.0 Too many connections\r\n"), 25)),
    "nothing receives mail": lambda kit: kit.receives("", "inbox"),
    "another program has our port": lambda kit: kit.receives(
        f"[inbox.lmtp]\nport = {kit.answers(greets, 2424)}\n", "inbox.lmtp"
    ),
    "another program has the port of the metrics": lambda kit: kit.configured(
        f"[metrics]\nport = {kit.answers(greets, 9464)}\n", "metrics"
    ),
    "the listener's address is another machine's": lambda kit: kit.receives(
        '[inbox.lmtp]\nport = 2424\nexposed_on = "192.0.2.1"\n', "inbox.lmtp"
    ),
    "the listener is open to other machines": lambda kit: kit.receives(
        f'[inbox.lmtp]\nport = {kit.port(free_port(), 2424)}\nexposed_on = "0.0.0.0"\n', "inbox.lmtp"
    ),
    "a folder for mail can't be made": lambda kit: kit.put("file").receives(
        FOLDER_IN.replace('"in"', '"file/in"'), "inbox.maildir"
    ),
    "the server's key is missing": lambda kit: (kit.folder / "pbem.key").unlink() or "secrets",
    "the server's key is another one": another_key,
    "the server's key can be guessed": lambda kit: kit.put("pbem.key", "x\n") and "secrets",
    "everyone can read the key": key_for_everyone,
    "everyone can read a backup": backup_for_everyone,
    "a game that is enabled isn't installed": lambda kit: kit.configured('[games]\nenabled = ["hex"]\n', "games"),
    "a template is broken": lambda kit: broken_template(kit, b"{% if %}"),
    "a template was saved as Latin-1": lambda kit: broken_template(kit, "Grüße".encode("latin-1")),
    "there are no tables yet": lambda kit: file(kit).unlink() or "database",
    "the database is empty, or its disk isn't mounted": lambda kit: instead(kit, ""),
    "the database is something else": lambda kit: instead(kit, "this is no database, but long enough for one" * 50),
    "the database is a folder": lambda kit: instead(kit, None),
    "the database is another program's": foreign,
    "the database is of an older version": lambda kit: stored(kit, VERSION, version="1.0020"),
    "the database is of a version before 1.0": lambda kit: stored(kit, VERSION, version="0031"),
    "the database is of a newer version": lambda kit: stored(kit, VERSION, version="9999"),
    "PostgreSQL isn't running": no_postgres,
    "the database is at another program's port": lambda kit: database(
        kit, f"postgresql+psycopg://pbem@{HOST}:{kit.answers(greets_as(b'220 ready'), 25)}/pbem"
    ),
    "a stopped process holds the database": held_by_a_stopped_process,
    "the disk is full": lambda kit: nearly_full(kit, 0),
    "the disk is filling": lambda kit: nearly_full(kit, 500),
    "the clock is off": lambda kit: stored(
        kit, RECEIVED, received=f"{now() + timedelta(minutes=90, seconds=20):%Y-%m-%d %H:%M:%S}"
    ),
    "the clock is ahead": lambda kit: clock_seen(kit, -timedelta(days=400)),
    "the clock was ahead": lambda kit: clock_seen(kit, timedelta(days=400, seconds=20)),
    "the server has made no backup for days": lambda kit: kit.put(
        f"backups/{backups.name(ADDRESS, now() - timedelta(days=3))}"
    ).configured('[backup]\nfolder = "backups"\n', "backup"),
    "backups can't be written": lambda kit: kit.put("file").configured('[backup]\nfolder = "file/backups"\n', "backup"),
    "there is nothing that makes backups of PostgreSQL": no_pg_dump,
    "no MX record": lambda kit: kit.in_dns({"pbem.example. MX": None}),
    "an MX record that refuses all mail": lambda kit: kit.in_dns({"pbem.example. MX": "0 ."}),
    "no SPF record": lambda kit: kit.in_dns({"pbem.example.": None}),
    "two SPF records": lambda kit: kit.in_dns({"pbem.example.": "v=spf1 mx -all\nv=spf1 -all"}),
    "an SPF record that allows everybody": lambda kit: kit.in_dns({"pbem.example.": "v=spf1 mx +all"}),
    "the DKIM key isn't in the DNS": lambda kit: kit.in_dns({DKIM: None}),
    "another DKIM key is in the DNS": lambda kit: kit.in_dns({DKIM: key("other.example", 2048).public}),
    "the DKIM key is no key": lambda kit: kit.in_dns({}, private=b"xyzzy\n"),
    "the DKIM key is DER": lambda kit: kit.in_dns({}, private=der(key("pbem.example", 2048).private)),
    "the DKIM key is short": lambda kit: kit.in_dns({}, private=key("short.example", 512).private),
    "no DMARC record": lambda kit: kit.in_dns({"_dmarc.pbem.example.": None}),
    "the DNS doesn't answer": lambda kit: kit.in_dns({}, silent=True),
    "mail is sent and doesn't arrive (`--send`)": lambda kit: kit.smtp(sink(kit)) and "round trip",
}
SETUPS = {**BY_DOVECOT, **QUICK, **BY_POSTGRES}
ABOUT = {"no IDLE": "no IDLE", "no MOVE": "no MOVE", "neither MOVE nor UIDPLUS": "UIDPLUS"}
"""What to look for where a set-up lacks several things."""


@pytest.fixture
def kit(request: pytest.FixtureRequest) -> Iterator[Kit]:
    with ExitStack() as stack:
        yield Kit(request, stack)


def found(kit: Kit, check: str) -> list[Finding]:
    """Return what doctor finds in the set-up, by the check of that name."""
    settings = config.load(kit.site.config)
    if check == "round trip":
        return list(round_trip.check(settings, 0))
    (planned,) = (each for each in examination.CHECKS if each.name == check)
    return examination.findings(planned, settings)


def worst(findings: list[Finding], about: str) -> Finding:
    """Return the finding that matters most."""
    matter = [each for each in findings if each.level in WORST and about in each.sentence]
    assert matter, findings
    return min(matter, key=lambda each: WORST.index(each.level))


def row(kit: Kit, title: str, finding: Finding) -> str:
    """Return the row of the table."""
    columns = [finding.level.value, finding.sentence, finding.advice]
    for mine in sorted(kit.shown, key=len, reverse=True):
        columns = [each.replace(mine, kit.shown[mine]) for each in columns]
    columns = [each.replace(HOST, "mail.example") for each in columns]
    columns = [
        re.sub(r"\d{4}-\d\d-\d\d( \d\d:\d\d)?", lambda at: f"2026-11-21{' 12:00' if at[1] else ''}", each)
        for each in map(" ".join, map(str.split, columns))
    ]
    return "| " + " | ".join(each.replace("|", "\\|") for each in (title, *columns)) + " |\n"


def rows() -> dict[str, str]:
    """Return the rows of the page by their titles."""
    (table,) = TABLE.findall(PAGE.read_text(encoding="utf-8"))
    return {line.split(" | ")[0].removeprefix("| "): line for line in table.splitlines(keepends=True)}


@pytest.mark.slow
@pytest.mark.parametrize(
    "title", [pytest.param(title, marks=[pytest.mark.dovecot] if title in BY_DOVECOT else []) for title in SETUPS]
)
def test_doctor_says_what_the_page_says(kit: Kit, title: str) -> None:
    said = row(kit, title, worst(found(kit, SETUPS[title](kit)), ABOUT.get(title, "")))
    if os.environ.get("PBEM_GOLDEN") == "write":
        known = {**rows(), title: said}
        table = "".join(known[each] for each in SETUPS if each in known)
        PAGE.write_text(TABLE.sub(lambda _: table, PAGE.read_text(encoding="utf-8"), count=1), encoding="utf-8")
    assert rows().get(title) == said


def test_the_page_has_each_set_up_in_order() -> None:
    assert list(rows()) == list(SETUPS)
