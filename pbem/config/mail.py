"""[inbox], [outbox] and [oauth2]: where mail comes from, who takes ours, and what logs in there."""

import ssl
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, field_validator, model_validator

from pbem.secret_setting import ConfigTable, Secret

Port = Annotated[int, Field(ge=0, le=65535)]


def _one_line(text: str) -> str:
    """Return the text, which becomes part of a protocol line; raise ValueError if it would end that line."""
    if not text or not text.isprintable():
        raise ValueError("this must be one line of printable characters")
    return text


OneLine = Annotated[str, AfterValidator(_one_line)]


class Tls(ConfigTable):
    """How a connection is secured."""

    ca_file: Path | None = None  # the only certificates to trust; the system's if omitted

    def context(self) -> ssl.SSLContext:
        """Return a client context for TLS 1.2 or newer that checks certificate and host name."""
        context = ssl.create_default_context(cafile=str(self.ca_file) if self.ca_file else None)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        return context


class ImapSettings(ConfigTable):
    """[inbox.imap]: a mailbox on an IMAP server; without a password, the login takes a token."""

    host: OneLine
    port: Port = 993
    security: Literal["tls", "starttls", "none"] = "tls"
    username: OneLine
    password: Secret | None = None
    tls: Tls = Tls()
    folder: OneLine = "INBOX"
    processed: OneLine = "Processed"

    @model_validator(mode="after")
    def moves_what_was_read(self) -> Self:
        """Require two folders: what stayed in the first would be read again for ever."""
        if self.processed == self.folder or self.processed.upper() == self.folder.upper() == "INBOX":
            raise ValueError('processed is the same as folder: write another folder, such as processed = "Processed"')
        return self


LOOPBACK = "127.0.0.1"


def is_loopback(host: str) -> bool:
    """Return whether only this machine can connect to a listening address.

    >>> [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "::", "mx.example.org", "")]
    [True, True, True, False, False, False, False]
    """
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


class Listening(ConfigTable):
    """A port of ours. There is no TLS and no login, so it is for this machine unless it is exposed on purpose."""

    port: Port | None = None
    exposed_on: OneLine | None = None

    @property
    def host(self) -> str:
        return self.exposed_on or LOOPBACK


class ListenSettings(Listening):
    """[inbox.lmtp] or [inbox.smtp]: our own listener, for this machine unless it is exposed on purpose."""

    port: Port


class MaildirSettings(ConfigTable):
    """[inbox.maildir] or [outbox.maildir]: a folder with new/, cur/ and tmp/."""

    path: Path


class InboxSettings(ConfigTable):
    """[inbox]: any number of the four kinds, one of each."""

    imap: ImapSettings | None = None
    lmtp: ListenSettings | None = None
    smtp: ListenSettings | None = None
    maildir: MaildirSettings | None = None


class SmtpSettings(ConfigTable):
    """[outbox.smtp]: the server that accepts our mail; without a username, there is no login."""

    host: OneLine
    port: Port = 465
    security: Literal["tls", "starttls", "none"] = "tls"
    username: OneLine | None = None
    password: Secret | None = None
    tls: Tls = Tls()

    @model_validator(mode="after")
    def has_a_whole_login(self) -> Self:
        if self.password is not None and self.username is None:
            raise ValueError("there is a password and no username; a login needs both")
        return self


class DkimSettings(ConfigTable):
    """[outbox.dkim]: the signature on our messages; needs the extra pbem[dkim]."""

    selector: Annotated[str, Field(pattern=r"^[A-Za-z0-9](?:[A-Za-z0-9.-]{0,61}[A-Za-z0-9])?$")]
    key: Secret


class OutboxSettings(ConfigTable):
    """[outbox]: exactly one of the two kinds, and optionally a signature."""

    smtp: SmtpSettings | None = None
    maildir: MaildirSettings | None = None
    dkim: DkimSettings | None = None

    @model_validator(mode="after")
    def one_kind(self) -> Self:
        if (self.smtp is None) == (self.maildir is None):
            raise ValueError("give exactly one of [outbox.smtp] and [outbox.maildir]")
        return self


def is_secure(url: str) -> str:
    """Return the URL; raise ValueError unless what is sent there is encrypted, or stays on this machine."""
    parts = urlsplit(url)
    if parts.hostname and (parts.scheme == "https" or (parts.scheme == "http" and parts.hostname == LOOPBACK)):
        return url
    raise ValueError("write a URL that begins with https://")


class OAuth2Settings(ConfigTable):
    """[oauth2]: the provider, what it knows us by, and where the tokens are kept."""

    provider: OneLine
    client_id: OneLine
    client_secret: Secret | None = None
    token_file: Path = Path("oauth2.token")
    tenant: Annotated[str, Field(pattern=r"^[A-Za-z0-9.-]+$")] = "common"
    scope: str = ""

    @field_validator("provider")
    @classmethod
    def is_known_or_can_be_asked(cls, provider: str) -> str:
        try:
            return provider if provider in ("google", "microsoft") else is_secure(provider)
        except ValueError as error:
            kinds = 'write "google", "microsoft", or the URL of a provider, which begins with https://'
            raise ValueError(kinds) from error
