"""`pbem doctor` finds what is broken, says it in a sentence, and says what to do. Each case is a broken set-up."""

import contextlib
import json
import shutil
import ssl
from collections import namedtuple
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from aiosmtpd.controller import Controller
from aiosmtpd.smtp import Envelope

from pbem import config
from pbem.cli.doctor import domain, examination, machine, mail, ports, round_trip, storage
from pbem.cli.doctor.findings import Finding, Severity
from pbem.cli.doctor.ports import Door
from pbem.config import ImapSettings, ListenSettings, ServerSettings, SmtpSettings, Tls
from pbem.mail.reading import sandbox
from pbem.mail.transports.listener import MailListener
from pbem.mail.transports.protocols import USUAL, Arrival, Patience
from pbem.secret import Secret
from tests import databases, faked_clock
from tests.operating.doors import answering, begins_with_tls, expired, greets, is_silent, submission
from tests.operating.site import ADDRESS, FOLDER_IN, FOLDER_OUT, LMTP_IN, Site, smtp_out
from tests.servers import (
    HOST,
    PASSWORD,
    Dovecot,
    Mailbox,
    SmtpSink,
    certificate,
    free_port,
)
from tests.signing import key, name_server

pytest.importorskip("dkim")

SECRET = "hunter2-and-more"
SERVER = ServerSettings(address=ADDRESS)
OK, NOTE, PROBLEM = Severity
NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


def said(findings: Iterator[Finding] | list[Finding], level: Severity = PROBLEM) -> str:
    """Return the findings of that level, each with what to do, as lines."""
    return "\n".join(f"{each.sentence} -> {each.advice}" for each in findings if each.level is level)


def levels(findings: Iterator[Finding]) -> list[Severity]:
    return [each.level for each in findings]


SAME_CLOCK = pytest.mark.skipif(
    faked_clock.IS_FAKED and databases.kind() != "sqlite", reason="PostgreSQL is told the real time"
)

# Ports and certificates


@pytest.fixture(scope="module")
def cert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return certificate(tmp_path_factory.mktemp("cert"))[0]


def door(port: int, patience: Patience = USUAL, **more: Any) -> Door:
    return Door("outbox.smtp", SmtpSettings(**{"host": HOST, "port": port, **more}), 465, patience)


def trouble(port: int, patience: Patience = USUAL, **more: Any) -> str:
    found = ports.trouble(door(port, patience, **more))
    return said([found]) if found else ""


@pytest.mark.parametrize("security", ["starttls", "none"])
def test_a_port_that_begins_with_tls_is_told(cert: Path, security: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "GREETING_SECONDS", 0.2)
    with answering(begins_with_tls(cert)) as port:
        assert trouble(port, security=security) == (
            f'{HOST}, port {port}, begins with TLS, and security is "{security}"'
            ' -> write security = "tls" in [outbox.smtp]'
        )


def test_a_port_that_does_not_begin_with_tls_is_told() -> None:
    with answering(greets) as port:
        assert trouble(port) == (
            f'{HOST}, port {port}, doesn\'t begin with TLS, and security is "tls"'
            ' -> write security = "starttls" in [outbox.smtp], or port = 465'
        )
        assert trouble(port, security="starttls") == ""


def test_a_server_that_says_nothing_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "GREETING_SECONDS", 0.1)
    with answering(is_silent) as port:
        mute = trouble(port, security="starttls")
        assert mute.startswith(f"{HOST}, port {port}, takes connections and says nothing")
        assert "doesn't answer" in trouble(port, Patience(connect=0.1))


def test_a_certificate_that_is_trusted_is_no_trouble(cert: Path) -> None:
    with answering(begins_with_tls(cert)) as port:
        assert trouble(port, tls=Tls(ca_file=cert)) == ""


def test_a_certificate_of_somebody_unknown_is_told(cert: Path) -> None:
    with answering(begins_with_tls(cert)) as port:
        assert "isn't trusted: self-signed certificate -> if it is your own, write tls = " in trouble(port)


def test_a_certificate_for_another_host_is_told(cert: Path) -> None:
    with answering(begins_with_tls(cert)) as port:
        found = ports.trouble(door(port, tls=Tls(ca_file=cert), host="127.1"))  # the same machine by another name
        assert found
        assert "is for another host -> write the name that it is for as host" in said([found])


def test_a_certificate_that_has_expired_is_told(tmp_path: Path, cert: Path) -> None:
    old = expired(tmp_path, cert)
    with answering(begins_with_tls(old)) as port:
        assert f"port {port}, has expired -> renew it there" in trouble(port, tls=Tls(ca_file=old))


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_certificates_that_can_not_be_read_are_told(tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "ca.pem"
    if content is not None:
        file.write_text(content)
    assert f"the certificates in {file} can't be read" in trouble(1, tls=Tls(ca_file=file))


def test_a_port_at_which_nothing_listens_is_told() -> None:
    port = free_port()
    assert f"nothing listens at {HOST}, port {port} -> correct host and port in [outbox.smtp]" in trouble(port)


@pytest.mark.parametrize(
    ("host", "sentence"),
    [("mail.invalid", "the DNS knows no host mail.invalid"), ("mail..example", "mail..example is no name of a host")],
)
def test_a_host_that_there_is_none_of_is_told(host: str, sentence: str) -> None:
    assert trouble(1, host=host).startswith(f"{sentence} -> correct host in [outbox.smtp]")


# Mailboxes

FINE = "logged in as"


@pytest.mark.dovecot
def test_a_mailbox_is_looked_at_and_left_as_it_is(mailbox: Mailbox) -> None:
    mailbox.deliver(b"Subject: hello\n\nhelp\n")
    before = [path.name for path in mailbox.files()]
    found = list(mail.imap(mailbox.settings()))
    assert said(found) == ""
    assert f"logged in as {mailbox.user}, with TLS" in said(found, OK)
    assert "the folder INBOX has 1 messages" in said(found, OK)
    assert said(found, NOTE) == "there is no folder Processed yet -> the server creates it when it starts"
    assert [path.name for path in mailbox.files()] == before
    assert not mailbox.files("Processed")
    wrong = said(mail.imap(mailbox.settings(password=Secret.model_validate({"value": SECRET}))))
    assert f"refuses the login of {mailbox.user}: " in wrong
    assert "-> correct username and password in [inbox.imap]" in wrong
    assert SECRET not in wrong
    assert "there is no folder Games -> correct folder in [inbox.imap]; there are INBOX" in said(
        mail.imap(mailbox.settings(folder="Games"))
    )


@pytest.mark.slow
@pytest.mark.dovecot
def test_what_is_wrong_with_a_mailbox_is_told(mailbox: Mailbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "GREETING_SECONDS", 1.0)
    server = mailbox.server
    cases: list[tuple[Mapping[str, Any], str]] = [
        ({"port": server.imap}, "doesn't begin with TLS"),
        ({"security": "starttls"}, 'begins with TLS, and security is "starttls"'),
        ({"security": "none"}, 'write security = "tls" in [inbox.imap]'),
        ({"tls": Tls()}, "isn't trusted"),
        ({"security": "starttls", "port": server.imap, "tls": Tls()}, "isn't trusted"),
        ({"port": free_port()}, "nothing listens at"),
        ({"password": Secret(file=Path("/nowhere"))}, "inbox.imap.password: the secret in /nowhere can't be read"),
    ]
    for changes, sentence in cases:
        assert sentence in said(mail.imap(mailbox.settings(**changes))), changes
    for changes in ({"security": "starttls", "port": server.imap}, {"security": "none", "port": server.imap}):
        assert levels(mail.imap(mailbox.settings(**changes))) == [OK, OK, NOTE]


@pytest.mark.slow
@pytest.mark.dovecot
def test_what_a_server_can_not_do_is_noted(old_dovecot: Dovecot, bare_dovecot: Dovecot) -> None:
    old, bare = (said(mail.imap(each.mailbox().settings()), NOTE) for each in (old_dovecot, bare_dovecot))
    assert "no IDLE: the server looks for new mail every 60 seconds" in old
    assert "no MOVE: messages are copied" in old
    assert "neither MOVE nor UIDPLUS: messages stay in INBOX" in bare


@pytest.mark.parametrize(
    ("host", "advice"), [("imap.gmail.com", "app passwords only"), ("imap.x.example", "correct user")]
)
def test_a_refused_login_says_where_app_passwords_are_made(host: str, advice: str) -> None:
    settings = ImapSettings(host=host, username="games", password=Secret.model_validate({"value": SECRET}))
    assert advice in mail._login_advice(Door("inbox.imap", settings, 993))


# Submission


def smtp(port: int, **more: Any) -> SmtpSettings:
    return SmtpSettings(**{"host": HOST, "port": port, "security": "none", **more})


def account(password: str) -> dict[str, Any]:
    return {"username": "games", "password": Secret.model_validate({"value": password})}


def test_a_login_is_tried_and_nothing_sent(cert: Path) -> None:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(cert, cert.with_name("key.pem"))
    with submission(ssl_context=context, auth_require_tls=False) as port:
        tls = {"security": "tls", "tls": Tls(ca_file=cert)}
        good = list(mail.smtp(smtp(port, **account(PASSWORD), **tls), SERVER))
        assert said(good, OK) == f"{HOST}, port {port}, takes mail from {ADDRESS}: logged in as games, with TLS -> "
        assert levels(iter(good)) == [OK]
        wrong = said(mail.smtp(smtp(port, **account(SECRET), **tls), SERVER))
        assert "refuses the login of games: 535 5.7.8 *** is wrong" in wrong
        assert "-> correct username and password in [outbox.smtp]" in wrong


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"security": "starttls"}, 'doesn\'t offer STARTTLS -> write port = 465 and security = "tls"'),
        ({"username": "games", "password": Secret(file=Path("/nowhere"))}, "outbox.smtp.password: the secret in /no"),
    ],
)  # fmt: skip
def test_what_a_relay_does_not_offer_is_told(
    smtp_sink: Callable[..., SmtpSink], settings: dict[str, Any], sentence: str
) -> None:
    assert sentence in said(mail.smtp(smtp(smtp_sink().port, **settings), SERVER))


def test_a_server_that_takes_passwords_with_tls_only_is_told() -> None:
    with submission() as port:
        found = said(mail.smtp(smtp(port, **account(PASSWORD)), SERVER))
    assert 'offers no login, without TLS -> write security = "starttls" or "tls" in [outbox.smtp]' in found


def test_a_relay_that_refuses_our_address_is_told(smtp_sink: Callable[..., SmtpSink]) -> None:
    assert levels(mail.smtp(smtp(smtp_sink().port), SERVER)) == [OK]
    refused = said(mail.smtp(smtp(smtp_sink("-f", "MAIL").port), SERVER))
    assert f"doesn't take mail from {ADDRESS}: 500 " in refused
    assert "-> log in there, or let that server relay for this machine" in refused


def test_a_password_that_crosses_the_network_in_clear_is_told() -> None:
    found = mail._in_clear(Door("outbox.smtp", smtp(25, host="mx.example.org", **account(SECRET)), 465))
    assert found
    assert said([found]) == 'the password goes to mx.example.org without TLS -> write security = "tls" in [outbox.smtp]'
    assert mail._in_clear(Door("outbox.smtp", smtp(25, **account(SECRET)), 465)) is None


# Listeners and folders


def test_a_listener_s_port_is_free_or_ours_or_another_s(smtp_sink: Callable[..., SmtpSink]) -> None:
    def found(port: int, **more: Any) -> list[Finding]:
        return list(mail.listener("inbox.lmtp", ListenSettings.model_validate({"port": port, **more})))

    assert "is free: the server isn't running" in said(found(free_port()), OK)
    assert "another program listens at" in said(found(smtp_sink().port))
    assert "address of this machine as exposed_on in [inbox.lmtp]" in said(found(0, exposed_on="192.0.2.1"))
    assert "a firewall must protect it" in said(found(0, exposed_on="0.0.0.0"), NOTE)
    ours = MailListener(ListenSettings(port=0), "lmtp", 100_000, lambda _: True)
    ours.start(lambda _: None)
    try:
        assert "the server is running and listens" in said(found(ours.port), OK)
    finally:
        ours.stop()


def test_a_folder_in_which_nothing_can_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "no file can be made in" in said(mail.folder("outbox.maildir", tmp_path / "file" / "out"))
    assert "can be made" in said(mail.folder("outbox.maildir", tmp_path / "out"), OK)
    assert "can be written" in said(mail.folder("outbox.maildir", tmp_path), OK)
    assert not (tmp_path / "out").exists()


# This machine


def test_secrets_that_can_not_be_read_are_told(site: Site) -> None:
    settings = config.load(site.config)
    assert said(machine.secrets(settings), OK) == "1 secret can be read -> "
    (site.folder / "pbem.key").unlink()
    assert "server.key: the secret in" in said(machine.secrets(settings))
    assert "-> restore it from a backup; for a new server, run pbem init" in said(machine.secrets(settings))


def test_a_parser_process_that_can_not_start_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise OSError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(sandbox, "start", refuse)
    found = said(machine.sandbox())
    assert "messages can't be read: the parser process can't be started: Resource temporarily unavailable" in found
    assert "-> raise this machine's limits on processes, open files and memory" in found


# The database


def examined(site: Site, now: datetime = NOW, **changes: str) -> list[Finding]:
    settings = config.load(site.config).server.model_copy(update=changes)
    return list(storage.check(settings, lambda: now))


@SAME_CLOCK
def test_a_database_is_opened_written_and_left_as_it_is(site: Site) -> None:
    found = examined(site, datetime.now(UTC))
    assert said(found) == ""
    assert "can be written" in said(found, OK)
    assert "which agrees with what is stored" in said(found, OK)


@pytest.mark.own_database
@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("sqlite:///{folder}/none.sqlite", "none.sqlite: is its disk mounted?"),
        ("sqlite:////nowhere/at/all.sqlite", "there is no database /nowhere/at/all.sqlite: is"),
        (
            "sqlite:///{folder}/text.sqlite",
            "file is not a database -> correct database in [server], or restore",
        ),
        ("sqlite:///{folder}/old.sqlite", "made by an older version of pbem"),
        ("sqlite:///{folder}/early.sqlite", "run pbem of commit ade5423f once"),
        ("nonsense", "it is not the SQLAlchemy URL of a supported database"),
        (
            f"postgresql+psycopg://me:{SECRET}@127.0.0.1:1/pbem",
            "-> start the database, or correct database in [server]",
        ),
    ],
)
def test_a_database_that_can_not_be_used_is_told(site: Site, url: str, sentence: str) -> None:
    (site.folder / "text.sqlite").write_text("this is not a database, but long enough to be taken for one" * 50)
    for name, version in (("old", "0048"), ("early", "0047")):
        shutil.copy(site.folder / "pbem.sqlite", site.folder / f"{name}.sqlite")
        old = Site(site.folder / name)
        old.database = f"sqlite:///{site.folder}/{name}.sqlite"
        old.rows("update alembic_version set version_num = :version", version=version)
    found = said(examined(site, database=url.format(folder=site.folder)))
    assert sentence in found
    assert SECRET not in found
    assert not (site.folder / "none.sqlite").exists()


@pytest.mark.own_database
@pytest.mark.parametrize(("free", "level"), [(50, PROBLEM), (500, NOTE), (5000, OK)])
def test_a_disk_that_is_nearly_full_is_told(
    site: Site, monkeypatch: pytest.MonkeyPatch, free: int, level: Severity
) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(1 << 40, 0, free << 20))
    assert f"{free} MB are free in {site.folder}" in said(examined(site), level)


@pytest.mark.own_database
def test_a_log_that_has_grown_is_noted(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storage, "LARGE_LOG", -1)
    assert "end programs that read the database for long" in said(examined(site), NOTE)


@SAME_CLOCK
def test_a_clock_that_is_behind_what_is_stored_is_told(site: Site) -> None:
    now = datetime.now(UTC)
    site.rows(
        "insert into incoming (key, size, source, recipients, state, received)"
        " values ('k', 1, 'test', '[]', 'done', :received)",
        received=f"{now:%Y-%m-%d %H:%M:%S}",
    )
    assert said(examined(site, now)) == ""
    assert "10 minutes before the newest message was received" in said(
        examined(site, now - timedelta(minutes=10))
    ) or "differ by 10 minutes" in said(examined(site, now - timedelta(minutes=10)))


# The DNS

DOMAIN = "pbem.example."
DKIM = f"games._domainkey.{DOMAIN}"
GOOD = {
    f"{DOMAIN} MX": "20 b.pbem.example.\n10 a.pbem.example.",
    DOMAIN: "v=spf1 mx -all",
    DKIM: key("pbem.example", 2048).public,
    f"_dmarc.{DOMAIN}": "v=DMARC1; p=none",
}


@pytest.fixture
def signing(site: Site) -> Site:
    private = site.folder / "dkim.pem"
    private.write_bytes(key("pbem.example", 2048).private)
    private.chmod(0o600)
    site.configure(FOLDER_IN, f'{FOLDER_OUT}[outbox.dkim]\nselector = "games"\nkey = {{ file = "dkim.pem" }}\n')
    return site


def in_dns(site: Site, records: Mapping[str, str | None], **more: Any) -> list[Finding]:
    """Return what is found where the DNS has those records besides the good ones; None takes one out."""
    told = {name: text for name, text in {**GOOD, **records}.items() if text is not None}
    with name_server(told, **more):
        return list(domain.check(config.load(site.config)))


def test_a_domain_that_is_set_up_is_fine(signing: Site) -> None:
    found = in_dns(signing, {})
    assert levels(iter(found)) == [OK] * 4
    assert "mail to pbem.example goes to a.pbem.example, b.pbem.example" in said(found, OK)


@pytest.mark.parametrize(
    ("records", "level", "sentence"),
    [
        ({f"{DOMAIN} MX": None}, PROBLEM, "no MX record for pbem.example, so nobody can write to it -> publish one"),
        ({f"{DOMAIN} MX": None, f"{DOMAIN} A": "192.0.2.1"}, NOTE, "mail goes to the host of that name -> publish an"),
        ({f"{DOMAIN} MX": "0 ."}, PROBLEM, "pbem.example takes no mail: its MX says so"),
        ({DOMAIN: None}, NOTE, "pbem.example has no SPF record: other servers trust its mail less -> publish a TXT"),
        ({DOMAIN: "v=spf1 mx +all"}, PROBLEM, "lets everybody send in its name"),
        ({DOMAIN: "v=spf1 mx -all\nv=spf1 -all"}, PROBLEM, "pbem.example has 2 SPF records, so none counts"),
        ({f"_dmarc.{DOMAIN}": "v=DMARC1; p=none\nv=DMARC1"}, PROBLEM, "_dmarc.pbem.example has 2 DMARC"),
        ({DKIM: None}, PROBLEM, "the DNS has no key at games._domainkey.pbem.example"),
        ({DKIM: key("other.example", 2048).public}, PROBLEM, "is not the one we sign with: all our signatures"),
        ({DKIM: "hello"}, PROBLEM, "is not an RSA key -> publish the record as in deploy/dkim.md"),
        ({f"_dmarc.{DOMAIN}": None}, NOTE, 'such as "v=DMARC1; p=none"'),
    ],
)  # fmt: skip
def test_what_the_dns_lacks_is_told(
    signing: Site, records: dict[str, str | None], level: Severity, sentence: str
) -> None:
    assert sentence in said(in_dns(signing, records), level)


def test_mail_that_we_do_not_sign_is_noted(site: Site) -> None:
    assert "a server on the way should; otherwise see deploy/dkim.md" in said(in_dns(site, {}), NOTE)


def test_a_dns_that_does_not_answer_is_told(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(domain, "SECONDS", 0.1)
    found = said(in_dns(site, {}, silent=True))
    assert found == ("the DNS doesn't answer about pbem.example -> look at this machine's resolver (/etc/resolv.conf)")


# A message to ourselves


class Delivery:
    """A mail server that delivers everything into the inbox folder of a site."""

    def __init__(self, site: Site) -> None:
        self.site = site
        self.recipients: list[str] = []

    async def handle_DATA(self, _server: Any, _session: Any, envelope: Envelope) -> str:  # noqa: N802 - aiosmtpd's name
        self.recipients += envelope.rcpt_tos
        self.site.drop(envelope.original_content or b"")
        return "250 delivered"


def round_trip_of(site: Site, seconds: float) -> list[Finding]:
    return list(round_trip.check(config.load(site.config), seconds, lambda: NOW))


def test_a_message_to_ourselves_arrives_and_is_nobody_s(site: Site) -> None:
    delivery = Delivery(site)
    controller = Controller(delivery, hostname=HOST, port=free_port())
    controller.start()
    try:
        site.configure(outbox=smtp_out(controller.port))
        assert "a message to games+doctor@pbem.example arrived after" in said(round_trip_of(site, 60), OK)
    finally:
        controller.stop()
    assert delivery.recipients == ["games+doctor@pbem.example"]
    assert site.run_once() == [1, 1, 0]
    assert site.rows("select state, verdict from incoming") == [("done", "no answer: automatic: Auto-Submitted")]
    assert site.rows("select count(*) from outgoing") == [0]


def test_a_message_that_only_a_server_that_runs_can_receive_is_found_among_its_messages(site: Site) -> None:
    with site.server() as server:
        raw = round_trip.message(SERVER, "games+doctor@pbem.example", "the-mark", NOW)
        assert not round_trip.is_stored(server.engine, "the-mark", 0)
        (number,) = server.take((Arrival(raw, "lmtp", recipients=("games+doctor@pbem.example",)),))
        assert round_trip.is_stored(server.engine, "the-mark", 0)
        assert not round_trip.is_stored(server.engine, "the-mark", number)
        assert not round_trip.is_stored(server.engine, "another mark", 0)


@pytest.mark.slow
@pytest.mark.dovecot
def test_a_message_to_ourselves_is_seen_in_the_mailbox(mailbox: Mailbox) -> None:
    raw = round_trip.message(SERVER, ADDRESS, "the-mark", NOW)
    with contextlib.ExitStack() as opened:
        look = round_trip._in_mailbox(read_from(mailbox), "the-mark", opened)
        assert look
        assert not look()
        mailbox.deliver(raw)
        assert look()
        assert round_trip._in_mailbox(read_from(mailbox, port=free_port()), "the-mark", opened) is None


def read_from(mailbox: Mailbox, **changes: Any) -> config.Settings:
    """Return the settings of a server that reads that mailbox."""
    outbox = config.OutboxSettings(maildir=config.MaildirSettings(path=Path("out")))
    return config.Settings(server=SERVER, inbox=config.InboxSettings(imap=mailbox.settings(**changes)), outbox=outbox)


def test_a_message_that_does_not_arrive_is_told(site: Site, smtp_sink: Callable[..., SmtpSink]) -> None:
    site.configure(outbox=smtp_out(smtp_sink().port))
    lost = said(round_trip_of(site, 0))
    assert "a message to games+doctor@pbem.example was sent, and hasn't arrived in 0 seconds" in lost
    assert "-> look for it in the spam folder; see the log of the mail server that took it" in lost
    site.configure(inbox=LMTP_IN, outbox=smtp_out(smtp_sink("-f", "RCPT").port))
    assert "was not sent: 500 " in said(round_trip_of(site, 0))
    site.configure(inbox=LMTP_IN, outbox=smtp_out(smtp_sink().port))
    assert "start the server, which listens for it" in said(round_trip_of(site, 0))
    site.configure()
    assert levels(iter(round_trip_of(site, 0))) == [NOTE]


# All of it


def test_doctor_checks_what_is_configured(site: Site) -> None:
    def names() -> list[str]:
        return [check.name for check in examination.checks(site.config, config.load(site.config))]

    always = ["secrets", "rights", "templates", "reading", "database", "games", "backup"]
    assert names() == [*always, "inbox.maildir", "outbox.maildir", "dns"]
    imap = '[inbox.imap]\nhost = "h"\nusername = "u"\npassword = { value = "p" }\n'
    site.configure(f"{imap}{LMTP_IN}", smtp_out(25))
    assert names() == [*always, "inbox.imap", "inbox.lmtp", "outbox.smtp", "dns"]


@pytest.mark.slow
def test_doctor_prints_what_it_finds(site: Site, smtp_sink: Callable[..., SmtpSink]) -> None:
    site.configure(outbox=smtp_out(smtp_sink().port))
    with name_server(GOOD):
        done = site.pbem("doctor")
    assert done.code == 0, done.said
    names = ("secrets", "rights", "templates", "reading", "database", "inbox.maildir", "outbox.smtp", "dns")
    lines = done.out.splitlines()
    assert [name for name in names if not any(line.startswith(f"ok      {name}: ") for line in lines)] == []
    assert lines[-1] == "10 checks: 0 problems, 2 notes"
    site.configure(outbox=smtp_out(free_port()))
    with name_server(GOOD):
        done = site.pbem("doctor", "--json")
    assert done.code == 1
    (found,) = [each for each in json.loads(done.out) if each["level"] == "problem"]
    assert found["check"] == "outbox.smtp"
    assert found["advice"] == "correct host and port in [outbox.smtp], or start that server"


def test_doctor_can_not_run_without_a_configuration(site: Site) -> None:
    site.config.unlink()
    done = site.pbem("doctor")
    assert done.code == 2
    assert "there is no configuration" in done.err
