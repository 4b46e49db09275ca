"""Opening a connection to an IMAP server: security, login, and the names of its folders."""

import contextlib
import imaplib
import logging
import select
import ssl
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from imapclient import IMAPClient, SocketTimeout
from imapclient.exceptions import LoginError

from pbem.config import ImapSettings
from pbem.mail.oauth2.access import AccessTokens
from pbem.mail.transports.protocols import USUAL, Patience
from pbem.secret_setting import BadConfig

CONNECTION_ERRORS = (imaplib.IMAP4.error, OSError, ValueError, LookupError, AttributeError, TypeError, AssertionError)
"""What imaplib, imapclient and the socket raise for a server that is gone, confused or refuses."""


def connect(settings: ImapSettings, tokens: AccessTokens | None = None, patience: Patience = USUAL) -> Any:
    """Return a client that is logged in, perhaps with a token; raises BadConfig and CONNECTION_ERRORS."""
    logging.getLogger("imapclient").setLevel(logging.WARNING)  # below that, it logs every line
    tls = settings.tls.context() if settings.security != "none" else None
    client: Any = IMAPClient(
        settings.host,
        settings.port,
        ssl=settings.security == "tls",
        ssl_context=tls,
        timeout=SocketTimeout(connect=patience.connect, read=patience.answer),
    )
    try:
        if settings.security == "starttls":
            client.starttls(tls)
        _log_in(client, settings, tokens)
    except BaseException:
        disconnect(client)
        raise
    return client


def disconnect(client: Any) -> None:
    """Close the connection without a LOGOUT, because the server may not be listening; never raises."""
    with contextlib.suppress(*CONNECTION_ERRORS):
        client.shutdown()


def _log_in(client: Any, settings: ImapSettings, tokens: AccessTokens | None) -> None:
    if settings.password is not None:
        password = settings.password.read()
        if (settings.username + password).isascii():
            client.login(settings.username, password)
        else:  # LOGIN is ASCII in imaplib; SASL PLAIN is UTF-8
            client.plain_login(settings.username, password)
    elif tokens is not None:
        has_bearer_only = client.has_capability("AUTH=OAUTHBEARER") and not client.has_capability("AUTH=XOAUTH2")
        log_in = client.oauthbearer_login if has_bearer_only else client.oauth2_login
        tokens.log_in(partial(log_in, settings.username), LoginError)
    else:
        raise BadConfig("inbox.imap has no password, and there is no [oauth2]")


def full_name(client: Any, folder: str) -> str:
    """Return the full name of the folder: some servers keep all of a user's folders below "INBOX."."""
    if not client.has_capability("NAMESPACE"):
        return folder
    personal = client.namespace().personal
    prefix = personal[0][0] if personal else ""
    return folder if folder.upper() == "INBOX" or folder.startswith(prefix) else prefix + folder


def ensure_folder(client: Any, folder: str) -> None:
    """Create the folder if it doesn't exist; another server may do so at the same time."""
    if client.folder_exists(folder):
        return
    try:
        client.create_folder(folder)
    except imaplib.IMAP4.error:
        if not client.folder_exists(folder):
            raise
    with contextlib.suppress(imaplib.IMAP4.error):  # only so that mail programs show it
        client.subscribe_folder(folder)


IDLE_SECONDS, POLL_SECONDS = 300.0, 60.0  # how long one IDLE lasts, and how often to look if the server doesn't have it
# Waiting for new mail on an IMAP connection: IDLE (RFC 2177), or sleeping until the next poll.
#
# imapclient's own idle() isn't used: its idle_check() misses what arrives together with the "+", takes half a line for
# a broken one, and returns [] at once and forever after the server is gone.
SLICE = 0.25
GOODBYE_SECONDS = 1.0
IDLE_PAUSE = 1.0  # the pause between two IDLEs when a server keeps announcing things other than mail


def has_new_mail(client: Any) -> bool:
    """Return whether the server has announced a message count, during any command, since the last call."""
    return bool(client._imap.response("EXISTS")[1] != [None])  # noqa: SLF001 - documented in imaplib


def idle(client: Any, seconds: float, stopped: Callable[[], bool]) -> None:
    end = time.monotonic() + seconds
    while time.monotonic() < end and not stopped():
        if _idle_once(client, end, stopped):
            if has_new_mail(client):
                return
            nap(min(IDLE_PAUSE, end - time.monotonic()), stopped)


def _idle_once(client: Any, end: float, stopped: Callable[[], bool]) -> bool:
    imap = client._imap  # noqa: SLF001 - imapclient has no other access to IDLE
    tag = imap._command("IDLE")  # noqa: SLF001
    while imap._get_response() is not None:  # noqa: SLF001 - until the "+"
        if imap.tagged_commands[tag]:
            raise imaplib.IMAP4.error("the server refused IDLE")
    has_response = _has_buffered(imap)
    poller = select.poll()
    poller.register(client.socket().fileno(), select.POLLIN)
    while not has_response and not stopped() and (left := end - time.monotonic()) > 0:
        has_response = bool(poller.poll(1000 * min(SLICE, left)))
    if stopped():
        client.socket().settimeout(GOODBYE_SECONDS)
    # The response is read after DONE: imaplib reads whole lines, and raises on BYE, end of file and silence.
    imap.send(b"DONE\r\n")
    imap._command_complete("IDLE", tag)  # noqa: SLF001
    return has_response


def _has_buffered(imap: Any) -> bool:
    """Return whether bytes have been read from the socket already, where poll can't see them."""
    if isinstance(imap.sock, ssl.SSLSocket) and imap.sock.pending():
        return True
    if hasattr(imap, "_readbuf"):  # Python 3.14
        return bool(imap._readbuf)  # noqa: SLF001
    timeout = imap.sock.gettimeout()
    imap.sock.setblocking(False)
    try:
        return bool(imap.file.peek(1))
    except OSError:  # how TLS says that there is nothing
        return False
    finally:
        imap.sock.settimeout(timeout)


def nap(seconds: float, stopped: Callable[[], bool]) -> None:
    end = time.monotonic() + seconds
    while not stopped() and (left := end - time.monotonic()) > 0:
        time.sleep(min(SLICE, left))
