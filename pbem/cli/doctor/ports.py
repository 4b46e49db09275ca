"""Connections to mail servers: whether anything answers at a port, whether it begins with TLS, and its certificate."""

import errno
import socket
import ssl
from dataclasses import dataclass

from pbem.cli.doctor.findings import Finding, problem
from pbem.config import ImapSettings, SmtpSettings
from pbem.mail.transports.protocols import USUAL, Patience

GREETING_SECONDS = 5.0
"""How long to wait for a greeting; a server that begins with TLS waits for us instead."""
EXPIRED, NOT_YET_VALID, WRONG_NAME, WRONG_ADDRESS = 10, 9, 62, 64
"""OpenSSL's codes of what is wrong with a certificate."""


@dataclass(frozen=True)
class Door:
    """A port of a mail server, as configured."""

    table: str
    account: ImapSettings | SmtpSettings
    tls_port: int
    """The port at which such servers usually begin with TLS."""
    patience: Patience = USUAL

    @property
    def place(self) -> str:
        """Where it is, in words."""
        return f"{self.account.host}, port {self.account.port}"


def trouble(door: Door) -> Finding | None:
    """Return why no conversation can begin there; None if it can."""
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
                with _connection(door) as plain, context.wrap_socket(plain, server_hostname=account.host):
                    return None
            except ssl.SSLCertVerificationError:
                raise
            except (ssl.SSLError, ConnectionResetError, TimeoutError) as error:
                return _without_tls(door, error)
        return None if _greets(door) else _mute(door)
    except (OSError, UnicodeError) as error:
        return explained(door, error)


def explained(door: Door, error: BaseException) -> Finding | None:
    """Return what an error of a socket or of TLS means; None for other errors."""
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


def _connection(door: Door) -> socket.socket:
    return socket.create_connection((door.account.host, door.account.port), timeout=door.patience.connect)


def _greets(door: Door) -> bool:
    """Return whether the server begins to speak by itself."""
    with _connection(door) as connection:
        connection.settimeout(GREETING_SECONDS)
        try:
            return bool(connection.recv(1))
        except TimeoutError:
            return False


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
    if not _greets(door):
        return explained(door, error) or problem(f"{door.place}: {error}", f"correct port in [{door.table}]")
    return problem(
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
