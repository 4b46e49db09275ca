"""Mail out over SMTP: exact bytes, one recipient at a time, over a connection that is kept for a while."""

import contextlib
import re
import smtplib
import ssl
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import structlog

from pbem.config import SmtpSettings
from pbem.mail.oauth2.access import AccessTokens
from pbem.mail.reading import bounce_reasons
from pbem.mail.reading.bounce_reasons import Reason
from pbem.mail.transports import smtp_client
from pbem.mail.transports.protocols import USUAL, NotAccepted, Patience
from pbem.mail.transports.smtp_client import SmtpClient, SmtpTlsClient
from pbem.secret import BadConfig

log = structlog.get_logger()

KEPT_SECONDS = 30.0
"""A connection unused for longer isn't trusted: servers hang up, and firewalls drop it silently."""

CLOSE_SECONDS = 1.0
LONGEST_REPLY = 500
"""How much of a server's reply is kept."""

CONSENT = 354
REFUSALS = 400
"""Codes from this one on refuse."""
PERMANENT = 500
"""Codes from this one on refuse for good."""
TOO_BIG = 552
GOING_AWAY = 421
OUT_OF_STEP = 503
"""Each side has counted other commands than the other; only a new connection helps."""
ABOUT_US = re.compile(r"^53\d\b|^5\d\d[ -]5\.(?:7\.\d+|4\.5|2\.252)\b|\brelay", re.IGNORECASE)
"""Refusals of us, not of a recipient: of our login, our rights or our address, or since we have sent too much."""


class _Refused(Exception):
    def __init__(self, code: int, reply: bytes, *, is_sender: bool = False) -> None:
        self.code = code
        text = " ".join(reply.decode("utf-8", "replace").split())
        super().__init__(f"{code} {text}"[:LONGEST_REPLY])
        self.is_about_size = is_sender and code == TOO_BIG
        self.is_about_us = is_sender and not self.is_about_size

    @property
    def as_not_accepted(self) -> NotAccepted:
        """What the outbox raises: only the words for an unknown address, or none that are known, are for good."""
        said, is_permanent = str(self), self.code >= PERMANENT
        passes = not is_permanent or bounce_reasons.of_reply(said) is Reason.FOR_NOW
        is_about_us = self.is_about_us or (is_permanent and passes and ABOUT_US.search(said) is not None)
        return NotAccepted(said, later=(passes and not self.is_about_size) or is_about_us, is_lost=is_about_us)


class SmtpOutbox:
    def __init__(self, settings: SmtpSettings, tokens: AccessTokens | None = None, patience: Patience = USUAL) -> None:
        self._settings = settings
        self._patience = patience
        self._tokens = tokens
        self._client: smtplib.SMTP | None = None
        self._used = 0.0
        self._password = ""

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        """Hand over a message; LF and CR at line ends go out as CRLF, everything else unchanged; raises NotAccepted.

        `sender` "" is the null sender <>. If the connection breaks after the message went out, nobody knows
        whether it was taken: that is NotAccepted(later=True), and the message may arrive twice.
        """
        for address in (sender, recipient):
            if not address.isprintable() or "<" in address or ">" in address:  # smtplib would accept it
                raise NotAccepted(f"{address!r} isn't an address", later=False)
        if self._client is not None and time.monotonic() - self._used > KEPT_SECONDS:
            self.close()
        wire = on_the_wire(raw)
        try:
            self._negotiate(sender, recipient, wire)
            self._hand_over(wire)
        except _Refused as error:
            self._reset()
            raise error.as_not_accepted from error
        except NotAccepted:
            self._drop()
            raise
        except (smtplib.SMTPException, OSError) as error:
            self._drop()
            raise NotAccepted(self._described(error), later=True, is_lost=True) from error

    def rehearse(self, sender: str) -> Mapping[str, Any] | None:
        """Connect, log in and name a sender, without sending anything; return the server's certificate, if it has one.

        Raises NotAccepted.
        """
        try:
            self._client = client = self._connect()
            _require(client.mail(sender), wanted=(250,))
            return client.sock.getpeercert() if isinstance(client.sock, ssl.SSLSocket) else None
        except _Refused as error:
            raise error.as_not_accepted from error
        except (smtplib.SMTPException, OSError) as error:
            raise NotAccepted(self._described(error), later=True) from error
        finally:
            self.close()

    def close(self) -> None:
        """Say goodbye if the server listens, for a second at most; never raises."""
        if (client := self._client) is not None:
            with contextlib.suppress(smtplib.SMTPException, OSError, ValueError):
                if client.sock is not None:
                    client.sock.settimeout(CLOSE_SECONDS)
                client.quit()
        self._drop()

    @property
    def _name(self) -> str:
        return f"{self._settings.host}:{self._settings.port}"

    def _described(self, error: Exception) -> str:
        """Return what happened, without the password, should the server repeat it."""
        said = f"{self._name}: {_describe(error)}"
        return said.replace(self._password, "***") if self._password else said

    def _negotiate(self, sender: str, recipient: str, wire: bytes) -> None:
        """Send everything up to the server's consent to the message; replace a kept connection that died."""
        if self._client is not None:
            try:
                self._announce(self._client, sender, recipient, wire)
            except (smtplib.SMTPServerDisconnected, OSError):
                self._drop()  # nothing of the message was sent yet, so trying again is safe
            else:
                return
        self._client = self._connect()
        self._announce(self._client, sender, recipient, wire)

    def _announce(self, client: smtplib.SMTP, sender: str, recipient: str, wire: bytes) -> None:
        options = "".join(f" {option}" for option in _mail_options(client, sender, recipient, wire))
        replies = _replies(client, (f"MAIL FROM:<{sender}>{options}", f"RCPT TO:<{recipient}>", "DATA"))
        _require(next(replies), wanted=(250,), is_sender=True)
        _require(next(replies), wanted=(250, 251))
        _require(next(replies), wanted=(CONSENT,))

    def _hand_over(self, wire: bytes) -> None:
        client = self._client
        if client is None:
            raise smtplib.SMTPServerDisconnected("not connected")
        client.send(wire)
        _require(client.getreply(), wanted=(250,))
        self._used = time.monotonic()

    def _connect(self) -> smtplib.SMTP:
        settings = self._settings
        try:
            if settings.security == "tls":
                context = settings.tls.context()
                client: smtplib.SMTP = SmtpTlsClient(
                    settings.host, settings.port, timeout=self._patience.connect, context=context
                )
            else:
                client = SmtpClient(settings.host, settings.port, timeout=self._patience.connect)
            self._client = client  # from here on, `send` cleans up after a failure
            if client.sock is not None:
                client.sock.settimeout(self._patience.answer)
            if settings.security == "starttls":
                client.starttls(context=settings.tls.context())
            client.ehlo_or_helo_if_needed()
            self._authenticate(client)
        except (BadConfig, ValueError) as error:
            raise NotAccepted(f"{self._name}: {_describe(error)}", later=True, is_lost=True) from error
        return client

    def _authenticate(self, client: smtplib.SMTP) -> None:
        settings = self._settings
        if settings.username is None:
            return
        if settings.password is not None:
            self._password = settings.password.read()
            client.login(settings.username, self._password)
            return
        if self._tokens is None:
            raise BadConfig("outbox.smtp has a username and no password, and there is no [oauth2]")
        token = self._tokens.get()
        try:
            smtp_client.log_in_with(client, settings.username, token)
        except smtplib.SMTPAuthenticationError:
            new = self._tokens.get(rejected=token)
            if new == token:
                raise
            smtp_client.log_in_with(client, settings.username, new)

    def _reset(self) -> None:
        """Reset the connection after a refusal, so that it serves the next message if the server agrees."""
        try:
            if self._client is None or self._client.rset()[0] != 250:
                self._drop()
            else:
                self._used = time.monotonic()
        except (smtplib.SMTPException, OSError):
            self._drop()

    def _drop(self) -> None:
        if self._client is not None:
            with contextlib.suppress(OSError):
                self._client.close()
        self._client = None


def on_the_wire(raw: bytes) -> bytes:
    r"""Return a message as SMTP transmits it: CRLF line ends, dots doubled at line starts, and the final dot.

    >>> on_the_wire(b"Subject: x\n\n.hidden\n")
    b'Subject: x\r\n\r\n..hidden\r\n.\r\n'
    """
    lines = raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n").removesuffix(b"\n").replace(b"\n", b"\r\n")
    stuffed = lines.replace(b"\r\n.", b"\r\n..")
    return (b"." if lines.startswith(b".") else b"") + stuffed + b"\r\n.\r\n"


def _replies(client: smtplib.SMTP, commands: Sequence[str]) -> Iterator[tuple[int, bytes]]:
    """Send the commands, the last of which is DATA, and yield the replies: all at once where the server allows it.

    A server that consents to a message after it refused what came before waits for a message that it won't get, so the
    connection is closed then (RFC 2920, section 3.1).
    """
    lines = [f"{command}\r\n".encode() for command in commands]
    if not client.has_extn("pipelining"):
        for line in lines:
            client.send(line)
            yield client.getreply()
        return
    client.send(b"".join(lines))
    replies: list[tuple[int, bytes]] = []
    is_refused = False
    while len(replies) < len(lines):
        try:
            replies.append(client.getreply())
        except smtplib.SMTPServerDisconnected:
            if not is_refused:
                raise
            break  # it hung up after a refusal, which tells more
        is_refused = is_refused or replies[-1][0] >= REFUSALS
    if is_refused and replies[-1][0] == CONSENT:
        client.close()
    yield from replies


def _require(answer: tuple[int, bytes], wanted: tuple[int, ...], *, is_sender: bool = False) -> None:
    """Raise _Refused or SMTPServerDisconnected unless the reply has a wanted code.

    A refusal of the sender is about us, whose address all messages have: they wait until the settings are right. Only
    its size is a fault of the message itself.
    """
    code, reply = answer
    if code in wanted:
        return
    refused = _Refused(code, reply, is_sender=is_sender)
    if code in (GOING_AWAY, OUT_OF_STEP) or code < 0:
        raise smtplib.SMTPServerDisconnected(str(refused))
    raise refused


def _mail_options(client: smtplib.SMTP, sender: str, recipient: str, wire: bytes) -> list[str]:
    options: list[str] = []
    if client.has_extn("size"):
        options.append(f"SIZE={len(wire)}")
    if not wire.isascii() and client.has_extn("8bitmime"):
        options.append("BODY=8BITMIME")
    if not (sender + recipient).isascii():
        if not client.has_extn("smtputf8"):
            raise NotAccepted("the server takes only ASCII addresses (it doesn't support SMTPUTF8)", later=False)
        options.append("SMTPUTF8")
    return options


def _describe(error: Exception) -> str:
    """Return what happened as one line, without the tuples of smtplib."""
    if isinstance(error, smtplib.SMTPResponseException):
        reply = error.smtp_error
        text = reply.decode("utf-8", "replace") if isinstance(reply, bytes) else str(reply)
        return f"{error.smtp_code} {' '.join(text.split())}"[:LONGEST_REPLY]
    return f"{type(error).__name__}: {error}"[:LONGEST_REPLY]
