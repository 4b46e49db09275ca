"""[inbox] and [outbox]: where mail comes from, and who takes ours."""

import ssl
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator

from pbem.config.fields import OneLine, Port, Seconds
from pbem.secret import Secret, Section

Auth = Literal["password", "oauth2"]


class Tls(Section):
    """How a connection is secured."""

    ca_file: Path | None = None
    """The only certificates to trust; the system's if omitted."""

    def context(self) -> ssl.SSLContext:
        """Return a client context for TLS 1.2 or newer that checks certificate and host name."""
        context = ssl.create_default_context(cafile=str(self.ca_file) if self.ca_file else None)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        return context


class Account(Section):
    """A login at a mail server, with a password or with a token (see OAuth2Settings)."""

    host: OneLine
    username: OneLine
    auth: Auth = "password"
    password: Annotated[Secret | None, Field(validate_default=True)] = None
    security: Literal["tls", "starttls", "none"] = "tls"
    tls: Tls = Tls()
    connect_seconds: Seconds = 15
    answer_seconds: Seconds = 60

    @field_validator("password")
    @classmethod
    def is_what_the_login_needs(cls, password: Secret | None, info: ValidationInfo) -> Secret | None:
        """Require a password unless a token takes its place."""
        if password is None and info.data.get("auth") == "password":
            raise ValueError('this is required, unless auth = "oauth2"')
        return password


class ImapSettings(Account):
    """[inbox.imap]: a mailbox on an IMAP server."""

    port: Port = 993
    folder: OneLine = "INBOX"
    processed: OneLine = "Processed"
    poll_seconds: Seconds = 60
    idle_seconds: Seconds = 300
    use_idle: bool = True


def is_loopback(host: str) -> bool:
    """Return whether only this machine can connect to a listening address.

    >>> [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "::", "mx.example.org", "")]
    [True, True, True, False, False, False, False]
    """
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class ListenSettings(Section):
    """[inbox.lmtp] or [inbox.smtp]: our own listener, for this machine by default."""

    host: str = "127.0.0.1"
    port: Port
    is_exposed: bool = False
    connections: Annotated[int, Field(ge=1)] = 100
    connections_per_address: Annotated[int, Field(ge=1)] = 50
    connections_per_minute: Annotated[int, Field(ge=1)] = 1_200
    recipients: Annotated[int, Field(ge=1, le=1_000)] = 50
    bytes_in_flight: Annotated[int, Field(ge=16_384)] = 32_000_000
    idle_seconds: Seconds = 300

    @model_validator(mode="after")
    def is_exposed_on_purpose(self) -> Self:
        """Require `is_exposed` for addresses that other machines can reach: there is no TLS and no login."""
        if not self.is_exposed and not is_loopback(self.host):
            raise ValueError(
                f"{self.host[:60]} can be reached from other machines, and this listener has no TLS and no login; "
                'write host = "127.0.0.1", or is_exposed = true where a firewall or a private network stands before it'
            )
        return self


class MaildirSettings(Section):
    """[outbox.maildir]: a folder with new/, cur/ and tmp/."""

    path: Path


class WatchedMaildirSettings(MaildirSettings):
    """[inbox.maildir]: a folder with new/, cur/ and tmp/, polled regularly."""

    poll_seconds: Seconds = 1


class InboxSettings(Section):
    """[inbox]: any number of the four kinds, one of each."""

    imap: ImapSettings | None = None
    lmtp: ListenSettings | None = None
    smtp: ListenSettings | None = None
    maildir: WatchedMaildirSettings | None = None


class SmtpSettings(Section):
    """[outbox.smtp]: the server that accepts our mail; without a username, there is no login."""

    host: OneLine
    port: Port = 465
    security: Literal["tls", "starttls", "none"] = "tls"
    username: str | None = None
    auth: Auth = "password"
    password: Secret | None = None
    tls: Tls = Tls()
    connect_seconds: Seconds = 15
    answer_seconds: Seconds = 60


class DkimSettings(Section):
    """[outbox.dkim]: the signature on our messages; needs the extra pbem[dkim]."""

    selector: Annotated[str, Field(pattern=r"^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,61}[A-Za-z0-9])?$")]
    key: Secret
    domain: Annotated[str, Field(pattern=r"^[A-Za-z0-9.-]+$")] | None = None


class OutboxSettings(Section):
    """[outbox]: exactly one of the two kinds, and optionally a signature."""

    smtp: SmtpSettings | None = None
    maildir: MaildirSettings | None = None
    dkim: DkimSettings | None = None

    @model_validator(mode="after")
    def one_kind(self) -> Self:
        """Require exactly one way to send mail."""
        if (self.smtp is None) == (self.maildir is None):
            raise ValueError("give exactly one of [outbox.smtp] and [outbox.maildir]")
        return self

    @model_validator(mode="after")
    def has_a_whole_login(self) -> Self:
        """Require a username and a password or a token, or neither."""
        smtp = self.smtp
        if smtp is not None and smtp.auth == "oauth2":
            if smtp.username is None:
                raise ValueError("[outbox.smtp] has no username, which OAuth2 needs too")
        elif smtp is not None and (smtp.username is None) != (smtp.password is None):
            missing = "username" if smtp.username is None else "password"
            raise ValueError(f"[outbox.smtp] has no {missing}; a login needs both, and without one there is neither")
        return self
