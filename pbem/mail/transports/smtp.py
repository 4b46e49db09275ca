"""Mail out over SMTP: exact bytes, one recipient at a time, over a connection that is kept for a while."""

import contextlib
import re
import smtplib
import time
from functools import partial
from typing import IO

from pbem.config import SmtpSettings
from pbem.mail.oauth2.access import AccessTokens
from pbem.mail.reading import bounce_reasons
from pbem.mail.reading.bounce_reasons import Reason
from pbem.mail.reading.limits import normalize_newlines
from pbem.mail.transports.protocols import USUAL, NotAccepted, Patience, certificate_end
from pbem.secret_setting import BadConfig

KEPT_SECONDS = 30.0  # a connection unused for longer isn't trusted: servers hang up, and firewalls drop it silently

CLOSE_SECONDS = 1.0
LONGEST_REPLY = 500
LARGEST_REPLY = 65_536  # smtplib would read a reply without end

PERMANENT = 500
TOO_BIG = 552
BROKEN = frozenset({421, 503, -1})
"""The server hangs up, has counted other commands than we have, or says no number: only a new connection helps."""
REFUSALS = (smtplib.SMTPSenderRefused, smtplib.SMTPDataError)  # refusals of a message, or of its sender or recipient
ABOUT_US = re.compile(r"^53\d\b|^5\d\d[ -]5\.(?:7\.\d+|4\.5|2\.252)\b|\brelay", re.IGNORECASE)
"""Refusals of us, not of a recipient: of our login, our rights or our address, or since we have sent too much."""


class _BoundedLines:
    def __init__(self, file: IO[bytes]) -> None:
        self._file, self.left = file, LARGEST_REPLY
        self.close = file.close

    def readline(self, size: int) -> bytes:
        line = self._file.readline(size)
        self.left -= len(line)
        if self.left < 0:
            raise OSError(f"the reply is longer than {LARGEST_REPLY // 1024} KB")
        return line


class _Client(smtplib.SMTP):
    def getreply(self) -> tuple[int, bytes]:
        """Return the next reply; raises SMTPServerDisconnected if it is too long."""
        if self.sock is not None:
            self.file = self.file or _BoundedLines(self.sock.makefile("rb"))
            self.file.left = LARGEST_REPLY
        return super().getreply()


class _TlsClient(_Client, smtplib.SMTP_SSL):
    """The same, encrypted from the beginning."""


class SmtpOutbox:
    def __init__(self, settings: SmtpSettings, tokens: AccessTokens | None = None, patience: Patience = USUAL) -> None:
        self._settings = settings
        self._name = f"{settings.host}:{settings.port}"
        self._patience = patience
        self._tokens = tokens
        self._client: smtplib.SMTP | None = None
        self._used = 0.0
        self.certificate_ends: float | None = None
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
        lines = normalize_newlines(raw).replace(b"\n", b"\r\n")
        try:
            client = self._introduced(sender, recipient, lines)
            _hand_over(client, lines)
            self._used = time.monotonic()
        except REFUSALS as error:
            self._reset()
            raise _not_accepted(error) from error
        except NotAccepted:
            self._drop()
            raise
        except (smtplib.SMTPException, OSError) as error:
            self._drop()
            raise NotAccepted(self._described(error), later=True, is_lost=True) from error

    def rehearse(self, sender: str) -> None:
        """Connect, log in and name a sender, without sending anything. Raises NotAccepted."""
        try:
            self._client = client = self._connect()
            _require(client.mail(sender))
        except REFUSALS as error:
            raise _not_accepted(error) from error
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

    def _described(self, error: Exception) -> str:
        """Return what happened, without the password, should the server repeat it."""
        description = f"{self._name}: {_describe(error)}"
        return description.replace(self._password, "***") if self._password else description

    def _introduced(self, sender: str, recipient: str, lines: bytes) -> smtplib.SMTP:
        """Name the sender and the recipient, on a new connection if the kept one has died; return the client."""
        if self._client is not None:
            try:
                return _announced(self._client, sender, recipient, lines)
            except REFUSALS:  # they are OSErrors, too
                raise
            except (smtplib.SMTPServerDisconnected, OSError):
                self._drop()  # nothing of the message was sent yet, so trying again is safe
        return _announced(self._connect(), sender, recipient, lines)

    def _connect(self) -> smtplib.SMTP:
        settings = self._settings
        try:
            if settings.security == "tls":
                context = settings.tls.context()
                client: _Client = _TlsClient(
                    settings.host, settings.port, timeout=self._patience.connect, context=context
                )
            else:
                client = _Client(settings.host, settings.port, timeout=self._patience.connect)
            self._client = client  # from here on, `send` cleans up after a failure
            if client.sock is not None:
                client.sock.settimeout(self._patience.answer)
            if settings.security == "starttls":
                client.starttls(context=settings.tls.context())
            client.ehlo_or_helo_if_needed()
            self.certificate_ends = certificate_end(client.sock)
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
        elif self._tokens is not None:
            self._tokens.log_in(partial(_log_in_with, client, settings.username), smtplib.SMTPAuthenticationError)
        else:
            raise BadConfig("outbox.smtp has a username and no password, and there is no [oauth2]")

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


def _announced(client: smtplib.SMTP, sender: str, recipient: str, lines: bytes) -> smtplib.SMTP:
    _require(client.mail(sender, _mail_options(client, sender, recipient, lines)), sender=sender)
    _require(client.rcpt(recipient))
    return client


def _hand_over(client: smtplib.SMTP, lines: bytes) -> None:
    try:
        _require(client.data(lines))
    except smtplib.SMTPDataError as error:  # perhaps the server didn't even take the first line
        if error.smtp_code in BROKEN:
            raise smtplib.SMTPServerDisconnected(_describe(error)) from error
        raise


def _log_in_with(client: smtplib.SMTP, username: str, token: str) -> None:
    mechanisms = client.esmtp_features.get("auth", "").upper().split()
    if "XOAUTH2" in mechanisms:
        mechanism, login, end = "XOAUTH2", f"user={username}\1auth=Bearer {token}\1\1", ""
    elif "OAUTHBEARER" in mechanisms:
        name = username.replace("=", "=3D").replace(",", "=2C")
        mechanism, login, end = "OAUTHBEARER", f"n,a={name},\1auth=Bearer {token}\1\1", "\1"
    else:
        raise smtplib.SMTPNotSupportedError("the server supports neither AUTH XOAUTH2 nor AUTH OAUTHBEARER")
    # A challenge tells why the token is rejected; the server refuses the login once that is answered.
    client.auth(mechanism, lambda challenge=None: login if challenge is None else end)


def _require(answer: tuple[int, bytes], *, sender: str | None = None) -> None:
    """Raise one of REFUSALS, or SMTPServerDisconnected, unless the reply agrees."""
    code, reply = answer
    if code in BROKEN:
        raise smtplib.SMTPServerDisconnected(_reply(code, reply))
    if code not in (250, 251):
        raise smtplib.SMTPDataError(code, reply) if sender is None else smtplib.SMTPSenderRefused(code, reply, sender)


def _not_accepted(error: smtplib.SMTPResponseException) -> NotAccepted:
    """Return what the outbox raises: only the words for an unknown address, or none that are known, are for good.

    A refusal of the sender is about us, whose address all messages have: they wait until the settings are right. Only
    its size is a fault of the message itself.
    """
    code, reply = error.smtp_code, _reply(error.smtp_code, error.smtp_error)
    is_of_sender, is_permanent = isinstance(error, smtplib.SMTPSenderRefused), code >= PERMANENT
    if is_of_sender and code == TOO_BIG:
        return NotAccepted(reply, later=False)
    passes = not is_permanent or bounce_reasons.of_reply(reply) is Reason.FOR_NOW
    is_about_us = is_of_sender or (is_permanent and passes and ABOUT_US.search(reply) is not None)
    return NotAccepted(reply, later=passes or is_about_us, is_lost=is_about_us)


def _mail_options(client: smtplib.SMTP, sender: str, recipient: str, lines: bytes) -> list[str]:
    options: list[str] = []
    if client.has_extn("size"):
        options.append(f"SIZE={len(lines)}")
    if not lines.isascii() and client.has_extn("8bitmime"):
        options.append("BODY=8BITMIME")
    if not (sender + recipient).isascii():
        if not client.has_extn("smtputf8"):
            raise NotAccepted("the server takes only ASCII addresses (it doesn't support SMTPUTF8)", later=False)
        options.append("SMTPUTF8")
    return options


def _describe(error: Exception) -> str:
    if isinstance(error, smtplib.SMTPResponseException):
        return _reply(error.smtp_code, error.smtp_error)
    return f"{type(error).__name__}: {error}"[:LONGEST_REPLY]


def _reply(code: int, text: bytes | str) -> str:
    words = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    return f"{code} {' '.join(words.split())}"[:LONGEST_REPLY]
