"""What `pbem doctor` says of set-ups that work, left as they are; test_broken_setups.py has the others."""

import json
import re
import ssl
import threading
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import Envelope

from pbem import config
from pbem.cli.doctor import domain, examination, findings, mail_servers, round_trip, storage
from pbem.cli.doctor.findings import Finding, Severity
from pbem.config import ImapSettings, InboxSettings, OutboxSettings, ServerSettings, Settings, SmtpSettings, Tls
from pbem.mail.transports.protocols import Arrival
from pbem.secret_setting import Secret
from tests import databases, faked_clock
from tests.operating.doors import submission
from tests.operating.site import ADDRESS, FOLDER_IN, FOLDER_OUT, LMTP_IN, Site, smtp_out
from tests.servers import HOST, PASSWORD, Mailbox, SmtpSink, certificate, free_port
from tests.signing import key, name_server

pytest.importorskip("dkim")

SECRET = "hunter2-and-more"
SERVER = ServerSettings(address=ADDRESS)
OK, NOTE, PROBLEM = Severity
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def said(findings: Iterator[Finding] | list[Finding], level: Severity = PROBLEM) -> str:
    """Return the findings of that level, each with what to do, as lines."""
    return "\n".join(f"{each.sentence} -> {each.advice}" for each in findings if each.level is level)


@pytest.fixture(scope="module")
def cert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return certificate(tmp_path_factory.mktemp("cert"))[0]


def smtp(port: int, **more: Any) -> list[Finding]:
    account = SmtpSettings(**{"host": HOST, "port": port, "security": "none", **more})
    return list(mail_servers.smtp(Settings(server=SERVER, outbox=OutboxSettings(smtp=account))))


def imap(account: ImapSettings) -> list[Finding]:
    outbox = OutboxSettings(maildir={"path": "out"})
    return list(mail_servers.imap(Settings(server=SERVER, inbox=InboxSettings(imap=account), outbox=outbox)))


def account(password: str) -> dict[str, Any]:
    return {"username": "games", "password": Secret.model_validate({"value": password})}


# Mail


@pytest.mark.slow
@pytest.mark.dovecot
def test_a_mailbox_is_looked_at_and_left_as_it_is(mailbox: Mailbox) -> None:
    mailbox.deliver(b"Subject: hello\n\nhelp\n")
    before = [path.name for path in mailbox.files()]
    found = imap(mailbox.settings())
    assert said(found) == ""
    assert f"logged in as {mailbox.user}, with TLS" in said(found, OK)
    assert "the folder INBOX has 1 messages" in said(found, OK)
    assert said(found, NOTE) == "there is no folder Processed yet -> the server creates it when it starts"
    assert [path.name for path in mailbox.files()] == before
    assert not mailbox.files("Processed")
    assert SECRET not in said(imap(mailbox.settings(password=Secret.model_validate({"value": SECRET}))))


def test_a_login_is_tried_and_nothing_sent(cert: Path) -> None:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(cert, cert.with_name("key.pem"))
    with submission(ssl_context=context, auth_require_tls=False) as port:
        tls = {"security": "tls", "tls": Tls(ca_file=cert)}
        (good,) = smtp(port, **account(PASSWORD), **tls)
        wrong = said(smtp(port, **account(SECRET), **tls))
    assert good.level is OK
    assert good.sentence == f"{HOST}, port {port}, takes mail from {ADDRESS}: logged in as games, with TLS"
    assert "refuses the login of games: 535 5.7.8 *** is wrong" in wrong


# This machine, the database and the DNS


@pytest.mark.skipif(faked_clock.IS_FAKED and databases.kind() != "sqlite", reason="PostgreSQL is told the real time")
def test_a_database_is_opened_and_written(site: Site) -> None:
    found = list(storage.database_in_use(config.load(site.config)))
    assert said(found) == ""
    assert "can be written" in said(found, OK)
    assert "which agrees with what is stored" in said(found, OK)


def test_a_domain_that_is_set_up_is_fine(site: Site) -> None:
    (site.folder / "dkim.pem").write_bytes(key("pbem.example", 2048).private)
    (site.folder / "dkim.pem").chmod(0o600)
    site.configure(FOLDER_IN, f'{FOLDER_OUT}[outbox.dkim]\nselector = "games"\nkey = {{ file = "dkim.pem" }}\n')
    records = {
        "pbem.example. MX": "20 b.pbem.example.\n10 a.pbem.example.",
        "pbem.example.": "v=spf1 mx -all",
        "games._domainkey.pbem.example.": key("pbem.example", 2048).public,
        "_dmarc.pbem.example.": "v=DMARC1; p=none",
    }
    with name_server(records):
        found = list(domain.check(config.load(site.config)))
    assert [each.level for each in found] == [OK] * 4
    assert "mail to pbem.example goes to a.pbem.example, b.pbem.example" in said(found, OK)
    site.configure()
    with name_server(records):
        assert "otherwise see deploy/dkim.md" in said(list(domain.check(config.load(site.config))), NOTE)


# A message to ourselves


class Delivery:
    """A mail server that delivers everything into the inbox folder of a site, whose server receives it."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.recipients: list[str] = []
        self.counts: list[int] = []

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Envelope) -> str:  # noqa: N802 - aiosmtpd's name
        self.recipients += envelope.rcpt_tos
        self.site.drop(envelope.original_content or b"")
        self.counts += self.site.run_once()
        return "250 delivered"


def round_trip_of(site: Site, seconds: float) -> list[Finding]:
    return list(round_trip.check(config.load(site.config), seconds))


def test_a_message_to_ourselves_arrives_and_is_nobody_s(site: Site) -> None:
    delivery = Delivery(site)
    controller = Controller(delivery, hostname=HOST, port=free_port())
    controller.start()
    try:
        site.configure(outbox=smtp_out(controller.port))
        assert "a message to games+doctor@pbem.example arrived after" in said(round_trip_of(site, 600), OK)
    finally:
        controller.stop()
    assert delivery.recipients == ["games+doctor@pbem.example"]
    assert delivery.counts == [1, 1, 0]
    assert site.rows("select state, verdict from incoming") == [("done", "no answer: automatic: Auto-Submitted")]


def test_it_is_found_among_the_messages_of_a_server_that_runs(site: Site) -> None:
    with site.server() as server:
        raw = round_trip.message(SERVER, "games+doctor@pbem.example", "the-mark", NOW)
        assert not round_trip.stored(server.engine, "the-mark", 0)
        (number,) = server.take((Arrival(raw, "lmtp", recipients=("games+doctor@pbem.example",)),))
        assert round_trip.stored(server.engine, "the-mark", 0)
        assert not round_trip.stored(server.engine, "the-mark", number)
        assert not round_trip.stored(server.engine, "another mark", 0)


def test_what_mail_servers_say_of_an_answer_is_told(site: Site, smtp_sink: Callable[..., SmtpSink]) -> None:
    site.configure(inbox=LMTP_IN, outbox=smtp_out(smtp_sink().port))
    found = list(round_trip.check(config.load(site.config), 0, "bob@mail.example"))
    assert "no answer has arrived" in said(found)

    answer = (
        b"Authentication-Results: mx.pbem.example;\n\tspf=pass smtp.mailfrom=mail.example\nFrom: bob@mail.example\n"
        b"In-Reply-To: <the-mark@pbem.example>\n\n> Authentication-Results: mx.mail.example; dkim=pass\n"
    )
    ours, theirs = round_trip.results(answer)
    assert (ours, theirs) == (
        "mx.pbem.example; spf=pass smtp.mailfrom=mail.example",
        "mx.mail.example; dkim=pass",
    )
    assert round_trip.results(b"From: bob@mail.example\n\nHello!\n") == []


def test_a_message_that_can_not_arrive_is_told(site: Site, smtp_sink: Callable[..., SmtpSink]) -> None:
    site.configure(inbox=LMTP_IN, outbox=smtp_out(smtp_sink("-f", "RCPT").port))
    assert "was not sent: 500 " in said(round_trip_of(site, 0))
    site.configure(inbox=LMTP_IN, outbox=smtp_out(smtp_sink().port))
    assert "start the server, which receives it" in said(round_trip_of(site, 0))
    site.configure()
    assert [each.level for each in round_trip_of(site, 0)] == [NOTE]


# All of it


def test_each_finding_of_the_table_is_made_somewhere() -> None:
    sources = (path.read_text(encoding="utf-8") for path in Path(findings.__file__).parent.glob("*.py"))
    source = "".join(sources)
    in_table = {f"{check}.{name}" for check, rows in findings.rows("findings.toml").items() for name in rows}
    assert set(re.findall(r'finding\(\s*"([^"]+)"', source)) - in_table == set()
    assert {name for name in in_table if f'"{name}"' not in source} == set()


def test_a_check_that_hangs_is_a_problem_and_the_others_go_on(site: Site) -> None:
    over = threading.Event()

    def hang(_: Settings) -> Iterator[Finding]:
        over.wait()
        yield from ()

    found = examination.findings(examination.Check("reading", hang, seconds=0.01), config.load(site.config))
    over.set()
    assert said(found).startswith("this isn't known after 0.01 seconds -> look at this machine's load")


def test_doctor_checks_what_is_configured_and_prints_what_it_finds(
    site: Site, smtp_sink: Callable[..., SmtpSink]
) -> None:
    def names() -> list[str]:
        settings = config.load(site.config)
        return [check.name for check in examination.CHECKS if examination.findings(check, settings)]

    always = ["secrets", "rights", "templates", "reading", "database", "games", "backup"]
    assert names() == [*always, "inbox.maildir", "outbox.maildir", "dns"]
    imap = '[inbox.imap]\nhost = "h"\nusername = "u"\npassword = { value = "p" }\n'
    site.configure(f"{imap}{LMTP_IN}", smtp_out(25))
    assert names() == [*always, "inbox.imap", "inbox.lmtp", "outbox.smtp", "dns"]

    site.configure(outbox=smtp_out(smtp_sink().port))
    with name_server({}):
        lines = site.pbem("doctor").out.splitlines()
    good = [line.split()[1].rstrip(":") for line in lines if line.startswith("ok ")]
    fine = "secrets rights templates reading database database database games inbox.maildir outbox.smtp"
    assert " ".join(good) == fine
    site.configure(outbox=smtp_out(free_port()))
    with name_server({"pbem.example. MX": "10 mx.pbem.example."}):
        done = site.pbem("doctor", "--json")
    assert done.code == 1
    (found,) = [each for each in json.loads(done.out) if each["level"] == "problem"]
    assert found["check"] == "outbox.smtp"
    assert found["advice"] == "correct host and port in [outbox.smtp], or start that server"
