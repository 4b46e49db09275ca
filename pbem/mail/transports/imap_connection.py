"""Opening a connection to an IMAP server: security, login, and the names of its folders."""

import contextlib
import imaplib
import logging
from typing import Any

from imapclient import IMAPClient, SocketTimeout

from pbem.config import ImapSettings
from pbem.mail.oauth2.access import AccessTokens
from pbem.mail.transports.protocols import USUAL, Patience
from pbem.secret import BadConfig

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
    if settings.password is None:
        if tokens is None:
            raise BadConfig("inbox.imap has no password, and there is no [oauth2]")
        _log_in_with(client, settings, tokens)
        return
    password = settings.password.read()
    if (settings.username + password).isascii():
        client.login(settings.username, password)
    else:  # LOGIN is ASCII in imaplib; SASL PLAIN is UTF-8
        client.plain_login(settings.username, password)


def _log_in_with(client: Any, settings: ImapSettings, tokens: AccessTokens) -> None:
    token = tokens.get()
    try:
        _show(client, settings, token)
    except imaplib.IMAP4.abort:
        raise
    except imaplib.IMAP4.error:
        new = tokens.get(rejected=token)
        if new == token:
            raise
        _show(client, settings, new)


def _show(client: Any, settings: ImapSettings, token: str) -> None:
    if client.has_capability("AUTH=OAUTHBEARER") and not client.has_capability("AUTH=XOAUTH2"):
        client.oauthbearer_login(settings.username, token)
    else:
        client.oauth2_login(settings.username, token)


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
