"""Typed settings from config.toml, the environment and files with secrets. Nothing here opens a connection."""

import re
import ssl
import tomllib
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from pbem.clocks import time_control
from pbem.secret import BadConfig, Secret, Section

Port = Annotated[int, Field(ge=0, le=65535)]
Seconds = Annotated[float, Field(gt=0)]


def _one_line(text: str) -> str:
    """Return the text, which becomes part of a protocol line; raise ValueError if it would end that line.

    >>> _one_line("Processed")
    'Processed'
    """
    if not text or not text.isprintable():
        raise ValueError("this must be one line of printable characters")
    return text


OneLine = Annotated[str, AfterValidator(_one_line)]

LONGEST_NAME = 60
SHORTEST_KEEPING = 21
"""Days after which nothing waits for a message any more: the reply to a question, a bounce, a retry."""


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
    """A login at a mail server. OAuth2 will be a second value of `auth`, with a token instead of a password."""

    host: OneLine
    username: OneLine
    auth: Literal["password"] = "password"
    password: Secret
    security: Literal["tls", "starttls", "none"] = "tls"
    tls: Tls = Tls()
    connect_seconds: Seconds = 15
    answer_seconds: Seconds = 60


class ImapSettings(Account):
    """[inbox.imap]: a mailbox on an IMAP server."""

    port: Port = 993
    folder: OneLine = "INBOX"
    processed: OneLine = "Processed"
    poll_seconds: Seconds = 60
    idle_seconds: Seconds = 300
    use_idle: bool = True


def _is_loopback(host: str) -> bool:
    """Return whether only this machine can connect to a listening address.

    >>> [_is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "::", "mx.example.org", "")]
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
        if not self.is_exposed and not _is_loopback(self.host):
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
    auth: Literal["password"] = "password"
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


class ServerSettings(Section):
    """[server]: our identity and where data is stored."""

    address: str
    aliases: tuple[str, ...] = ()
    name: str = "PBeM"
    admin: str | None = None
    database: Annotated[str, Field(repr=False)] = "sqlite:///pbem.sqlite"
    key: Secret = Secret(file=Path("pbem.key"))
    delimiter: Literal["+", "-", "="] = "+"
    mail_limit: Annotated[int, Field(ge=16_384, le=50_000_000)] = 1_000_000
    answers_per_hour: Annotated[int, Field(ge=1)] = 20
    batch_minutes: Annotated[float, Field(gt=0, le=1440)] = 15
    keep_mail_days: Annotated[int, Field(ge=0, le=36_500)] = 90
    keep_waiting_days: Annotated[int, Field(ge=0, le=36_500)] = 365
    time: str = time_control.NONE
    days_off: Annotated[int, Field(ge=0, le=6)] = 2
    vacation_days: Annotated[int, Field(ge=0, le=366)] = 30

    @model_validator(mode="after")
    def has_weekends_off_only_if_players_can(self) -> Self:
        """Require that a default for new matches is nothing that players couldn't agree on."""
        if time_control.parse(self.time).weekends_off and self.days_off < time_control.WEEKEND:
            raise ValueError("time has weekends=off, but days_off allows fewer than two days a week")
        return self

    @field_validator("address")
    @classmethod
    def leaves_room_for_tokens(cls, address: str) -> str:
        """Require a plain address with a short part before the @."""
        if not re.fullmatch(r"[A-Za-z0-9._=-]{1,20}@[A-Za-z0-9.-]+", address):
            raise ValueError("write an address like games@example.org, at most 20 characters before the @")
        return address

    @field_validator("aliases")
    @classmethod
    def are_addresses(cls, aliases: tuple[str, ...]) -> tuple[str, ...]:
        """Require plain addresses; return them in lower case."""
        if not all(re.fullmatch(r"[A-Za-z0-9._+=-]+@[A-Za-z0-9.-]+", alias) for alias in aliases):
            raise ValueError("write addresses like play@example.org")
        return tuple(alias.lower() for alias in aliases)

    @field_validator("keep_mail_days", "keep_waiting_days")
    @classmethod
    def keeps_what_is_still_needed(cls, days: int) -> int:
        """Require long enough for replies, bounces and questions, or forever."""
        if 0 < days < SHORTEST_KEEPING:
            raise ValueError(f"write at least {SHORTEST_KEEPING} days, or 0 for keeping mails for ever")
        return days

    @field_validator("time")
    @classmethod
    def is_a_time_control(cls, time: str) -> str:
        """Require a time control as players write it."""
        try:
            return time_control.format_control(time_control.parse(time))
        except time_control.BadTime as error:
            raise ValueError(str(error)) from error

    @field_validator("name")
    @classmethod
    def fits_a_header(cls, name: str) -> str:
        """Require one short line without quotes or angle brackets."""
        if not name.isprintable() or not 0 < len(name) <= LONGEST_NAME or set(name) & set('<>"'):
            raise ValueError(f'write a name of at most {LONGEST_NAME} characters, without <, > or "')
        return name

    @property
    def domain(self) -> str:
        """The part of our address after the @."""
        return self.address.rpartition("@")[2]

    @property
    def local(self) -> str:
        """The part of our address before the @."""
        return self.address.rpartition("@")[0]


class ChecksSettings(Section):
    """[checks]: what a message must prove besides its reply token; nothing by default."""

    authserv_id: str = ""
    headers: Annotated[int, Field(ge=1, le=5)] = 1
    dkim: bool = False
    dns_seconds: Annotated[float, Field(gt=0, le=30)] = 5
    proof: Literal["token", "token or domain", "token and domain"] = "token"

    @model_validator(mode="after")
    def checks_what_it_needs(self) -> Self:
        """Require a source of verified domains if the proof depends on domains."""
        if self.proof != "token" and not (self.authserv_id or self.dkim):
            raise ValueError(f'proof = "{self.proof}" needs authserv_id, or dkim = true')
        return self


LARGE_DOMAINS = (
    *("gmail.com", "googlemail.com", "outlook.com", "hotmail.com", "live.com", "msn.com", "yahoo.com", "aol.com"),
    *("icloud.com", "me.com", "mac.com", "proton.me", "protonmail.com", "fastmail.com", "mail.com", "zoho.com"),
    *("gmx.de", "gmx.net", "gmx.at", "gmx.ch", "web.de", "t-online.de", "freenet.de", "posteo.de", "mailbox.org"),
    *("orange.fr", "free.fr", "laposte.net", "libero.it", "seznam.cz", "wp.pl", "o2.pl", "onet.pl", "interia.pl"),
    *("yandex.ru", "yandex.com", "mail.ru", "ukr.net", "qq.com", "163.com", "126.com", "sina.com", "naver.com"),
    *("yahoo.co.jp", "yahoo.co.uk", "hotmail.co.uk", "btinternet.com", "bluewin.ch", "comcast.net", "att.net"),
)
"""Domains at which many people who don't know each other have addresses."""
Limit = Annotated[int, Field(ge=1)]


class LimitsSettings(Section):
    """[limits]: how much mail one sender can send, and have us send; this ends mail loops, and nobody is harassed."""

    player_per_hour: Limit = 500
    match_per_day: Limit = 1_000
    stranger_per_day: Limit = 5
    stranger_per_month: Limit = 20
    domain_per_day: Limit = 100
    large_domain_per_day: Limit = 2_000
    large_domains: tuple[str, ...] = LARGE_DOMAINS
    strangers_per_day: Limit = 5_000
    work_per_message: Limit = 4_000
    running_matches: Limit = 200
    challenges_per_day: Limit = 50
    challenges_per_pair: Limit = 10
    open_seeks: Limit = 5
    seeks_per_day: Limit = 20
    seek_days: Limit = 28
    invitations_per_day: Limit = 10
    new_player_invitations: Limit = 3
    new_player_days: Annotated[int, Field(ge=0)] = 14
    domain_invitations: Limit = 10
    all_invitations: Limit = 200
    invited_again_days: Limit = 180
    stranger_bytes: Annotated[int, Field(ge=16_384)] = 250_000

    def is_large(self, domain: str) -> bool:
        """Return whether people at that domain have nothing to do with each other."""
        return domain.lower() in self.large_domains

    def per_domain(self, domain: str) -> int:
        """Return how many replies the strangers of that domain get in a day."""
        return self.large_domain_per_day if self.is_large(domain) else self.domain_per_day


class ReadingSettings(Section):
    """[reading]: how much time and memory the two parser processes may take for one message."""

    seconds: Seconds = 5
    megabytes: Annotated[int, Field(ge=16, le=4_096)] = 128


class HouseSettings(Section):
    """[house]: the opponent that always has time, and what it may cost."""

    enabled: bool = True
    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,18}[a-z0-9]$")] = "house"
    levels: Annotated[int, Field(ge=1, le=5)] = 5
    running_matches: Limit = 10
    turns_per_hour: Limit = 120
    hints_per_day: Limit = 10
    seconds: Seconds = 60
    megabytes: Annotated[int, Field(ge=32, le=4_096)] = 200


class LogSettings(Section):
    """[log]: one line per event, to standard error."""

    format: Literal["console", "json"] = "console"
    level: Literal["debug", "info", "warning", "error"] = "info"


class Settings(BaseSettings):
    """All settings of config.toml; environment variables such as PBEM_SERVER__ADDRESS=… override them."""

    model_config = SettingsConfigDict(env_prefix="PBEM_", env_nested_delimiter="__", extra="forbid", frozen=True)

    server: ServerSettings
    inbox: InboxSettings = InboxSettings()
    outbox: OutboxSettings
    checks: ChecksSettings = ChecksSettings()
    limits: LimitsSettings = LimitsSettings()
    reading: ReadingSettings = ReadingSettings()
    house: HouseSettings = HouseSettings()
    log: LogSettings = LogSettings()


def load(path: Path) -> Settings:
    """Return the settings of the file, overridden by the environment; raise BadConfig. Paths start at its folder."""

    class FromFile(Settings):
        @classmethod
        def settings_customise_sources(
            cls,
            settings_cls: type[BaseSettings],
            init_settings: PydanticBaseSettingsSource,
            env_settings: PydanticBaseSettingsSource,
            dotenv_settings: PydanticBaseSettingsSource,
            file_secret_settings: PydanticBaseSettingsSource,
        ) -> tuple[PydanticBaseSettingsSource, ...]:
            return env_settings, TomlConfigSettingsSource(settings_cls, toml_file=path)

    if not path.is_file():
        raise BadConfig(f"there is no configuration at {path}; `pbem init --config {path}` writes one")
    try:
        settings = FromFile()
    except ValidationError as error:
        raise BadConfig(_sentences(path, error)) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise BadConfig(f"{path} can't be read: {error}") from error
    return _anchored(settings, path.resolve().parent)


def _sentences(path: Path, error: ValidationError) -> str:
    """Return each invalid key with the reason; never the value, which may be a secret."""
    lines = [f"  {'.'.join(map(str, fault['loc'])) or 'file'}: {fault['msg']}" for fault in error.errors()]
    return f"{path} can't be used:\n" + "\n".join(lines)


def _anchored(settings: Settings, folder: Path) -> Settings:
    """Return the settings with relative paths, and a relative SQLite file, made absolute."""

    def anchor(model: BaseModel) -> BaseModel:
        changes: dict[str, object] = {}
        for name in type(model).model_fields:
            value = getattr(model, name)
            if isinstance(value, Path):
                changes[name] = folder / value.expanduser()
            elif isinstance(value, BaseModel):
                changes[name] = anchor(value)
            elif name == "database" and value.startswith("sqlite:///") and not value.startswith("sqlite:////"):
                changes[name] = f"sqlite:///{folder / value.removeprefix('sqlite:///')}"
        return model.model_copy(update=changes)

    anchored = anchor(settings)
    assert isinstance(anchored, Settings)  # noqa: S101 - model_copy keeps the class
    return anchored
