"""Mail out over SMTP: exact bytes, one recipient at a time, over a connection kept for a while."""

import contextlib
import re
import smtplib
import time
from collections.abc import Callable

import structlog

from pbem.config import BadConfig, SmtpSettings
from pbem.transports.protocols import NotSent

log = structlog.get_logger()

KEPT_SECONDS = 30.0
"""A connection unused for longer is not trusted: servers hang up, and firewalls forget it silently."""

CLOSE_SECONDS = 1.0
WORDS = 500
"""So much of a server's answer is kept."""

TOO_BIG = 552
GOING_AWAY = 421


class _Refused(Exception):
    """The server said no, in words."""

    def __init__(self, code: int, words: bytes, *, later: bool) -> None:
        self.later = later
        text = " ".join(words.decode("utf-8", "replace").split())
        super().__init__(f"{code} {text}"[:WORDS])


class SmtpOutbox:
    """An Outbox that hands mail to one SMTP server, the relay or submission host of the settings."""

    def __init__(self, settings: SmtpSettings) -> None:
        self._settings = settings
        self._client: smtplib.SMTP | None = None
        self._used = 0.0

    def send(self, sender: str, recipient: str, raw: bytes) -> None:
        """Hand over a mail; LF and CR at line ends go out as CRLF, all else as it is; raises NotSent.

        `sender` "" is the null sender <>. Where the connection breaks after the mail went out, nobody
        knows whether it was taken: that is NotSent(later=True), and the mail may arrive twice.
        """
        for address in (sender, recipient):
            if not address.isprintable() or "<" in address or ">" in address:  # smtplib would make do with it
                raise NotSent(f"{address!r} is no address", later=False)
        if self._client is not None and time.monotonic() - self._used > KEPT_SECONDS:
            self.close()
        try:
            self._offer(sender, recipient, raw)
            self._hand_over(raw)
        except _Refused as error:
            self._forget_mail()
            raise NotSent(str(error), later=error.later) from error
        except NotSent:
            self._drop()
            raise
        except (smtplib.SMTPException, OSError) as error:
            self._drop()
            raise NotSent(f"{self._name}: {_words(error)}", later=True) from error

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

    def _offer(self, sender: str, recipient: str, raw: bytes) -> None:
        """Everything up to the server's consent to the mail; a kept connection that died is made anew."""
        if self._client is not None:
            try:
                self._announce(self._client, sender, recipient, raw)
            except (smtplib.SMTPServerDisconnected, OSError):
                self._drop()  # nothing of the mail was out yet, so that once more is safe
            else:
                return
        self._client = self._connect()
        self._announce(self._client, sender, recipient, raw)

    def _announce(self, client: smtplib.SMTP, sender: str, recipient: str, raw: bytes) -> None:
        options = _mail_options(client, sender, recipient, raw)
        # A 5xx to MAIL is about us, the sender of every mail: the settings are wrong, and the mail must
        # wait until they are right. Only its size is a fault of the mail itself.
        self._ask(lambda: client.mail(sender, options), wanted=(250,), final=(TOO_BIG,))
        self._ask(lambda: client.rcpt(recipient), wanted=(250, 251))
        self._ask(lambda: client.docmd("DATA"), wanted=(354,))

    def _hand_over(self, raw: bytes) -> None:
        client = self._client
        if client is None:
            raise smtplib.SMTPServerDisconnected("not connected")
        client.send(on_the_wire(raw))
        self._ask(client.getreply, wanted=(250,))
        self._used = time.monotonic()

    def _ask(
        self, question: Callable[[], tuple[int, bytes]], wanted: tuple[int, ...], final: tuple[int, ...] = ()
    ) -> None:
        code, words = question()
        if code in wanted:
            return
        if code == GOING_AWAY or code < 0:
            raise smtplib.SMTPServerDisconnected(str(_Refused(code, words, later=True)))
        refused = code >= 500 if not final else code in final
        raise _Refused(code, words, later=not refused)

    def _connect(self) -> smtplib.SMTP:
        settings = self._settings
        try:
            if settings.security == "tls":
                context = settings.tls.context()
                client: smtplib.SMTP = smtplib.SMTP_SSL(
                    settings.host, settings.port, timeout=settings.connect_seconds, context=context
                )
            else:
                client = smtplib.SMTP(settings.host, settings.port, timeout=settings.connect_seconds)
            self._client = client  # from here on a failure is cleaned up by send
            if client.sock is not None:
                client.sock.settimeout(settings.answer_seconds)
            if settings.security == "starttls":
                client.starttls(context=settings.tls.context())
            client.ehlo_or_helo_if_needed()
            self._authenticate(client)
        except (BadConfig, ValueError) as error:
            raise NotSent(f"{self._name}: {_words(error)}", later=True) from error
        return client

    def _authenticate(self, client: smtplib.SMTP) -> None:
        """Log in where a username is set; OAuth2 will be another case."""
        settings = self._settings
        if settings.username is None:
            return
        match settings.auth:
            case "password":
                if settings.password is None:
                    raise BadConfig("outbox.smtp has a username and no password")
                client.login(settings.username, settings.password.read())

    def _forget_mail(self) -> None:
        """After a refusal the connection is good for the next mail, if the server agrees."""
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
    r"""Give a mail as SMTP carries it: CRLF line ends, dots doubled at line starts, and the closing dot.

    >>> on_the_wire(b"Subject: x\n\n.hidden\n")
    b'Subject: x\r\n\r\n..hidden\r\n.\r\n'
    """
    lines = re.sub(rb"\r\n|\r|\n", b"\r\n", raw)
    if not lines.endswith(b"\r\n"):
        lines += b"\r\n"
    return re.sub(rb"(?m)^\.", b"..", lines) + b".\r\n"


def _mail_options(client: smtplib.SMTP, sender: str, recipient: str, raw: bytes) -> list[str]:
    options: list[str] = []
    if client.has_extn("size"):
        options.append(f"SIZE={len(on_the_wire(raw))}")
    if not raw.isascii() and client.has_extn("8bitmime"):
        options.append("BODY=8BITMIME")
    if not (sender + recipient).isascii():
        if not client.has_extn("smtputf8"):
            raise NotSent("the server takes only ASCII addresses (it has no SMTPUTF8)", later=False)
        options.append("SMTPUTF8")
    return options


def _words(error: Exception) -> str:
    """Say what happened, without what smtplib packs into tuples."""
    if isinstance(error, smtplib.SMTPResponseException):
        words = error.smtp_error
        text = words.decode("utf-8", "replace") if isinstance(words, bytes) else str(words)
        return f"{error.smtp_code} {' '.join(text.split())}"[:WORDS]
    return f"{type(error).__name__}: {error}"[:WORDS]
