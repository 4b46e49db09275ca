"""Connections to mail servers: whether anything answers at a port, whether it begins with TLS, and its certificate."""

import errno
import smtplib
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from pbem.cli.doctor.findings import Finding, note, problem
from pbem.config import ImapSettings, SmtpSettings
from pbem.mail.transports.protocols import USUAL, Patience
from pbem.storage.utc import now

GREETING_SECONDS = 5.0
"""How long to wait for a greeting; a server that begins with TLS waits for us instead."""
SOON = timedelta(days=3)
"""How long before its end a certificate should have been renewed: those of a week are after half of it."""
IMAP, SMTP = "an IMAP", "an SMTP"
GREETINGS = {b"* ": IMAP, b"220": SMTP, b"+OK": "a POP3", b"HTTP": "a web"}
"""How servers begin."""
EXPIRED, NOT_YET_VALID, WRONG_NAME, WRONG_ADDRESS = 10, 9, 62, 64
"""OpenSSL's codes of what is wrong with a certificate."""


@dataclass(frozen=True)
class Door:
    table: str
    account: ImapSettings | SmtpSettings
    tls_port: int
    """The port at which such servers usually begin with TLS."""
    patience: Patience = USUAL

    @property
    def place(self) -> str:
        return f"{self.account.host}, port {self.account.port}"


def trouble(door: Door) -> Finding | None:
    account = door.account
    try:
        context = account.tls.context()
    except OSError as error:  # ssl.SSLError is one
        return problem(
            f"the certificates in {account.tls.ca_file} can't be read: {error.strerror or type(error).__name__}",
            f"correct ca_file in [{door.table}]",
        )
    try:
        if account.security == "tls":
            try:
                with _connection(door) as plain, context.wrap_socket(plain, server_hostname=account.host) as secure:
                    return _other_kind(door, _greeting(secure))
            except ssl.SSLCertVerificationError:
                raise
            except (ssl.SSLError, ConnectionResetError, TimeoutError) as error:
                return _without_tls(door, error)
        greeting = _first(door)
        return _other_kind(door, greeting) if greeting else _mute(door)
    except (OSError, UnicodeError) as error:
        return explained(door, error)


def explained(door: Door, error: BaseException) -> Finding | None:
    table, place, host = door.table, door.place, door.account.host
    if isinstance(error, ssl.SSLCertVerificationError):
        return _certificate(door, error)
    if isinstance(error, UnicodeError):
        return problem(f"{host[:60]} is no name of a host", f"correct host in [{table}]")
    if isinstance(error, socket.gaierror):
        return problem(f"the DNS knows no host {host}", f"correct host in [{table}], or look at this machine's DNS")
    if isinstance(error, ConnectionRefusedError):
        return problem(f"nothing listens at {place}", f"correct host and port in [{table}], or start that server")
    if isinstance(error, TimeoutError):
        return problem(
            f"{place}, doesn't answer", f"correct host and port in [{table}], or look for a firewall between"
        )
    if isinstance(error, ssl.SSLError):
        return problem(f"{place}: TLS failed: {error.reason or error}", "the server must support TLS 1.2 or newer")
    if isinstance(error, OSError) and error.errno in (errno.ENETUNREACH, errno.EHOSTUNREACH):
        return problem(f"there is no way to {place}", "look at this machine's network and firewall")
    return None


@contextmanager
def secured(door: Door) -> Iterator[ssl.SSLSocket]:
    """Provide a connection to a server that takes our mail, with TLS. Raises OSError and SMTPException."""
    account, context = door.account, door.account.tls.context()
    if account.security == "tls":
        with _connection(door) as plain, context.wrap_socket(plain, server_hostname=account.host) as connection:
            yield connection
        return
    with smtplib.SMTP(account.host, account.port, timeout=door.patience.connect) as client:
        client.starttls(context=context)
        assert isinstance(client.sock, ssl.SSLSocket)  # noqa: S101 - it has begun TLS
        yield client.sock


def ends_soon(door: Door, connection: ssl.SSLSocket) -> Finding | None:
    certificate = connection.getpeercert() or {}
    ends = datetime.fromtimestamp(ssl.cert_time_to_seconds(str(certificate["notAfter"])), UTC)
    if ends - now() > SOON:
        return None
    return note(
        f"the certificate of {door.place}, ends {ends:%Y-%m-%d %H:%M} UTC",
        "have it renewed there: from then on no mail goes through",
    )


def _connection(door: Door) -> socket.socket:
    return socket.create_connection((door.account.host, door.account.port), timeout=door.patience.connect)


def _first(door: Door) -> bytes:
    with _connection(door) as connection:
        return _greeting(connection)


def _greeting(connection: socket.socket) -> bytes:
    connection.settimeout(GREETING_SECONDS)
    try:
        return connection.recv(100)
    except TimeoutError:
        return b""


def _other_kind(door: Door, greeting: bytes) -> Finding | None:
    wanted = IMAP if door.table == "inbox.imap" else SMTP
    found = next((kind for begin, kind in GREETINGS.items() if greeting.startswith(begin)), wanted)
    if found == wanted:
        return None
    return problem(
        f"{door.place}, is {found} server, and [{door.table}] needs {wanted} server",
        f"correct host and port in [{door.table}]; the usual port is {door.tls_port}",
    )


def _mute(door: Door) -> Finding:
    """Return what a server is that says nothing: usually it begins with TLS."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE  # nothing is sent
    try:
        with _connection(door) as plain:
            plain.settimeout(GREETING_SECONDS)
            with context.wrap_socket(plain, server_hostname=door.account.host):
                return problem(
                    f'{door.place}, begins with TLS, and security is "{door.account.security}"',
                    f'write security = "tls" in [{door.table}]',
                )
    except OSError:
        return problem(f"{door.place}, takes connections and says nothing", f"correct host and port in [{door.table}]")


def _without_tls(door: Door, error: OSError) -> Finding:
    """Return what a server is with which TLS doesn't begin: usually it wants STARTTLS."""
    greeting = _first(door)
    if not greeting:
        return explained(door, error) or problem(f"{door.place}: {error}", f"correct port in [{door.table}]")
    return _other_kind(door, greeting) or problem(
        f'{door.place}, doesn\'t begin with TLS, and security is "tls"',
        f'write security = "starttls" in [{door.table}], or port = {door.tls_port}',
    )


def _certificate(door: Door, error: ssl.SSLCertVerificationError) -> Finding:
    what, code = f"the certificate of {door.place},", error.verify_code
    if code == EXPIRED:
        return problem(f"{what} has expired", "renew it there, or correct this machine's clock")
    if code == NOT_YET_VALID:
        return problem(f"{what} isn't valid yet", "correct this machine's clock")
    if code in (WRONG_NAME, WRONG_ADDRESS):
        return problem(f"{what} is for another host", f"write the name that it is for as host in [{door.table}]")
    return problem(
        f"{what} isn't trusted: {error.verify_message}",
        f'if it is your own, write tls = {{ ca_file = "…" }} in [{door.table}], with the file that holds it',
    )
