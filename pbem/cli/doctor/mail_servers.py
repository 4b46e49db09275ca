"""Checks of the mail servers that we log in to; where an error can have several reasons, the greeting decides."""

import re
import socket
import ssl
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from pbem.cli.doctor.findings import Finding, fault, finding
from pbem.cli.setup.presets import PRESETS
from pbem.config import ImapSettings, Settings, SmtpSettings
from pbem.config.mail import is_loopback
from pbem.mail.transports import imap_client
from pbem.mail.transports.imap_client import CONNECTION_ERRORS
from pbem.mail.transports.protocols import ENDS_SOON, NotAccepted, Patience, certificate_end
from pbem.mail.transports.smtp import SmtpOutbox
from pbem.secret_setting import BadConfig, Secret
from pbem.server.configured_transports import tokens
from pbem.storage.utc import now

PATIENCE = Patience(connect=15, answer=15)
GREETING_SECONDS = 5.0  # how long to wait for a greeting; a server that begins with TLS waits for us instead
IMAP, SMTP = "an IMAP", "an SMTP"
GREETINGS = {b"* ": IMAP, b"220": SMTP, b"+OK": "a POP3", b"HTTP": "a web"}


@dataclass(frozen=True)
class MailServer:
    table: str
    account: ImapSettings | SmtpSettings
    kind: str
    tls_port: int  # the port at which such servers usually begin with TLS
    sender: str

    @property
    def place(self) -> str:
        return f"{self.account.host}, port {self.account.port}"

    @property
    def secured(self) -> str:
        return {"tls": ", with TLS", "starttls": ", with STARTTLS", "none": ", without TLS"}[self.account.security]

    @property
    def login_advice(self) -> str:
        """What to do about a refused login; large hosts take app passwords or tokens only."""
        host, is_local = self.account.host, is_loopback(self.account.host)
        if self.account.password is None:
            return "run pbem login as that account, and let the account use IMAP and SMTP there"
        for preset in PRESETS.values():
            if not is_local and preset.tables.get(self.table, {}).get("host") == host:
                return preset.todo[0]
        if self.account.security == "none":
            return f'write security = "starttls" in [{self.table}], or correct username and password'
        return f"correct username and password in [{self.table}]"


def imap(settings: Settings) -> Iterator[Finding]:
    """Log in to the mailbox, and look at its folders and at what the server can do. Nothing is changed there."""
    account = settings.inbox.imap
    if account is None:
        return
    server = MailServer("inbox.imap", account, IMAP, 993, settings.server.address)
    try:
        client = imap_client.connect(account, tokens(settings), PATIENCE)
    except (*CONNECTION_ERRORS, BadConfig) as error:
        yield _fault(server, error)
        return
    try:
        yield finding("server.logged_in", server=server)
        yield from _in_clear(server)
        yield from _ends_soon(server, certificate_end(client.socket()))
        yield from _mailbox(client, account)
    except CONNECTION_ERRORS as error:
        yield finding("server.failed", server=server, why=_veiled(error, account.password))
    finally:
        imap_client.disconnect(client)


def _mailbox(client: Any, account: ImapSettings) -> Iterator[Finding]:
    folder, processed = (imap_client.full_name(client, name) for name in (account.folder, account.processed))
    if not client.folder_exists(folder):
        there_are = ", ".join(sorted(str(name) for *_, name in client.list_folders())[:10])
        yield finding("imap.no_folder", folder=folder, there_are=there_are)
    else:
        waiting = int(client.select_folder(folder, readonly=True)[b"EXISTS"])
        yield finding("imap.waiting", folder=folder, waiting=waiting)
    if not client.folder_exists(processed):
        yield finding("imap.no_processed", folder=processed)
    if not client.has_capability("IDLE"):
        yield finding("imap.no_idle", seconds=imap_client.POLL_SECONDS)
    if not client.has_capability("MOVE"):
        row = "imap.no_move" if client.has_capability("UIDPLUS") else "imap.no_uidplus"
        yield finding(row, folder=account.folder)


def smtp(settings: Settings) -> Iterator[Finding]:
    """Log in where our mail is sent, and name our address as a sender, with a tag as each has. Nothing is sent."""
    account, ours = settings.outbox.smtp, settings.server
    if account is None:
        return
    server = MailServer("outbox.smtp", account, SMTP, 465, ours.address)
    listeners = (settings.inbox.smtp, settings.inbox.lmtp)
    if is_loopback(account.host) and account.port in [each.port for each in listeners if each is not None]:
        yield finding("server.ourselves", server=server)
        return
    try:
        outbox = SmtpOutbox(account, tokens(settings), PATIENCE)
        outbox.rehearse(f"{ours.local}{ours.delimiter}doctor@{ours.domain}")
    except NotAccepted as error:
        yield _fault(server, error)
        return
    yield from _ends_soon(server, outbox.certificate_ends)
    as_whom = f": logged in as {account.username}" if account.username else ""
    yield finding("server.takes_mail", server=server, as_whom=as_whom)
    if account.username:
        yield from _in_clear(server)


def _in_clear(server: MailServer) -> Iterator[Finding]:
    if server.account.security == "none" and not is_loopback(server.account.host):
        yield finding("server.in_clear", server=server)


def _ends_soon(server: MailServer, ends: float | None) -> Iterator[Finding]:
    if ends is not None and ends - now().timestamp() < ENDS_SOON:
        yield finding("server.ends_soon", server=server, ends=datetime.fromtimestamp(ends, UTC))


def _fault(server: MailServer, error: BaseException) -> Finding:
    account, cause, said = server.account, error.__cause__ or error, str(error)
    try:
        account.tls.context()
    except OSError as unread:  # ssl.SSLError is one
        return finding("server.no_certificates", server=server, why=unread.strerror or type(unread).__name__)
    if isinstance(cause, BadConfig):
        said = str(cause) if account.password is None else f"{server.table}.password: {cause}"
    said = _veiled(said, account.password).removeprefix(f"{account.host}:{account.port}: ")
    if found := fault("mail", error, said, server=server):
        return found
    if wrong := _mismatch(server):
        return wrong
    return fault("right_kind", error, said, server=server) or finding("server.failed", server=server, why=said)


def _mismatch(server: MailServer) -> Finding | None:
    """Return what is wrong with the port, by how the server there greets; None if nothing is."""
    if (answer := _greeting(server)) is None:
        return None
    (greeting, is_secure), wants_tls = answer, server.account.security == "tls"
    kind = next((kind for begin, kind in GREETINGS.items() if greeting.startswith(begin)), server.kind)
    if kind != server.kind:
        return finding("server.other_kind", server=server, kind=kind)
    if is_secure and not wants_tls:
        return finding("server.begins_with_tls", server=server)
    if greeting and not is_secure and wants_tls:
        return finding("server.begins_without_tls", server=server)
    return None if greeting or is_secure else finding("server.mute", server=server)


def _greeting(server: MailServer) -> tuple[bytes, bool] | None:
    """Return how the server greets, and whether it begins with TLS; None if it takes no connection."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # nothing is sent
    place = (server.account.host, server.account.port)
    mute = (TimeoutError, ConnectionResetError, ssl.SSLError)
    try:
        with socket.create_connection(place, GREETING_SECONDS) as plain, suppress(*mute):
            if greeting := plain.recv(100):
                return greeting, False
        plain = socket.create_connection(place, GREETING_SECONDS)
        with plain, suppress(*mute), context.wrap_socket(plain, server_hostname=server.account.host) as secure:
            return secure.recv(100), True
    except OSError:
        return None
    return b"", False


def _veiled(error: object, password: Secret | None) -> str:
    """Return an error as one line, without the password, should the server repeat it."""
    said = re.sub(r"\bb(['\"])(.*)\1", r"\2", " ".join(str(error).split()))  # imaplib tells bytes as Python writes them
    try:
        secret = password.read() if password is not None else ""
    except BadConfig:
        secret = ""
    return said.replace(secret, "***") if secret else said


def any_inbox(settings: Settings) -> Iterator[Finding]:
    if not any(vars(settings.inbox).values()):
        yield finding("inbox.none")
