"""All settings, read from config.toml and the environment."""

import codecs
import os
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, PrivateAttr, ValidationError, model_validator
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from pbem.checks import ChecksSettings
from pbem.config import faults
from pbem.config.mail import InboxSettings, OAuth2Settings, OutboxSettings
from pbem.config.server import (
    BackupSettings,
    GamesSettings,
    HouseSettings,
    LimitsSettings,
    LogSettings,
    MetricsSettings,
    PublishSettings,
    ServerSettings,
)
from pbem.secret import BadConfig, Secret


class Settings(BaseSettings):
    """All settings of config.toml; environment variables such as PBEM_SERVER__ADDRESS=… override them."""

    model_config = SettingsConfigDict(env_prefix="PBEM_", env_nested_delimiter="__", extra="forbid", frozen=True)

    server: ServerSettings
    inbox: InboxSettings = InboxSettings()
    outbox: OutboxSettings
    oauth2: OAuth2Settings | None = None
    checks: ChecksSettings = ChecksSettings()
    limits: LimitsSettings = LimitsSettings()
    games: GamesSettings = GamesSettings()
    house: HouseSettings = HouseSettings()
    backup: BackupSettings = BackupSettings()
    log: LogSettings = LogSettings()
    publish: PublishSettings = PublishSettings()
    metrics: MetricsSettings = MetricsSettings()

    @model_validator(mode="after")
    def has_what_logs_in(self) -> Self:
        for table, account in (("inbox.imap", self.inbox.imap), ("outbox.smtp", self.outbox.smtp)):
            if account is not None and account.username and account.password is None and self.oauth2 is None:
                raise ValueError(f"{table}.password: this is required, unless there is [oauth2], which gives tokens")
        return self

    @model_validator(mode="after")
    def reads_elsewhere_than_it_writes(self) -> Self:
        """Require two folders for mail: what is put into the inbox is read as mail to the server."""
        inbox, outbox = self.inbox.maildir, self.outbox.maildir
        if inbox is not None and outbox is not None and inbox.path == outbox.path:
            raise ValueError("[inbox.maildir] and [outbox.maildir] have the same path: write another folder in one")
        return self

    @model_validator(mode="after")
    def has_a_port_for_each_listener(self) -> Self:
        listeners = {"inbox.lmtp": self.inbox.lmtp, "inbox.smtp": self.inbox.smtp, "metrics": self.metrics}
        taken: dict[tuple[str, int | None], str] = {}
        for table, listener in listeners.items():
            if listener is not None and listener.port:
                other = taken.setdefault((listener.host, listener.port), table)
                if other != table:
                    raise ValueError(f"[{other}] and [{table}] have the same port: write another one in one of them")
        return self

    @model_validator(mode="after")
    def hears_who_unsubscribes(self) -> Self:
        if self.server.unsubscribe_url and self.metrics.port is None:
            raise ValueError("unsubscribe_url in [server] needs port in [metrics], where such requests are taken")
        return self

    _source: Path | None = PrivateAttr(default=None)

    @property
    def source(self) -> Path | None:
        return self._source


def load(path: Path, place: Path | None = None) -> Settings:
    """Return the settings of the file, overridden by the environment; raise BadConfig. Paths start at its folder.

    A draft is read as if it were at the place that it is for.
    """

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

    if path.is_dir():
        raise BadConfig(f"{path} is a folder: write the path of the file in it, such as {path / 'pbem.toml'}")
    if not path.is_file():
        raise BadConfig(f"there is no configuration at {path}; `pbem init --config {path}` writes one")
    if (encoding := _wrong_encoding(path)) is not None:
        raise BadConfig(f"{path} can't be read: {encoding}; save it as UTF-8 without a byte order mark")
    try:
        settings = FromFile()
    except ValidationError as error:
        raise BadConfig(_refusal(path, faults.sentences(Settings, error))) from error
    except SettingsError as error:
        name = next((name for name in Settings.model_fields if f'"{name}"' in str(error)), "").upper()
        raise BadConfig(
            f"an environment variable that begins with PBEM_{name} can't be read: write a setting as text, a list as "
            f"JSON, and a secret as PBEM_{name}__…__FILE=/path/to/a/file, or __VALUE or __COMMAND"
        ) from error
    except PermissionError as error:
        raise BadConfig(f"{path} can't be read: {error.strerror}; let the user that runs pbem read it") from error
    except (tomllib.TOMLDecodeError, RecursionError, OSError) as error:
        raise BadConfig(f"{path} can't be read: {error}") from error
    if unknown := list(faults.unknown_variables(Settings, os.environ)):
        raise BadConfig(_refusal(path, unknown))
    source = (place or path).resolve()
    anchored = _anchored(settings, source.parent)
    require_private_backups(anchored, anchored.publish.folder)
    anchored._source = source  # noqa: SLF001 - this is what makes them
    return anchored


def secrets(settings: BaseModel, above: str = "") -> Iterator[tuple[str, Secret]]:
    """Yield every secret in the settings, with the path of its key: `inbox.imap.password`."""
    for name in type(settings).model_fields:
        value, path = getattr(settings, name), f"{above}{name}"
        if isinstance(value, Secret):
            yield path, value
        elif isinstance(value, BaseModel):
            yield from secrets(value, f"{path}.")


def certificates(settings: BaseModel, above: str = "") -> Iterator[tuple[str, Path]]:
    """Yield every file with certificates that the settings name, with the path of its key: `inbox.imap.tls.ca_file`."""
    for name in type(settings).model_fields:
        value, path = getattr(settings, name), f"{above}{name}"
        if name == "ca_file" and value is not None:
            yield path, value
        elif isinstance(value, BaseModel):
            yield from certificates(value, f"{path}.")


def require_private_backups(settings: Settings, site: Path | None) -> None:
    """Raise BadConfig if the folder for backups lies in the one that is published there, or the other way round."""
    backups = settings.backup.folder
    if backups is None or site is None:
        return
    private, public = backups.resolve(), site.resolve()
    if private.is_relative_to(public) or public.is_relative_to(private):
        raise BadConfig(
            f"backup.folder is {backups}, and {site} is published for everybody to read: backups have secrets, so "
            "neither folder may be in the other; choose another one"
        )


def require_secrets(settings: Settings) -> None:
    """Raise BadConfig unless all secrets can be read; a missing password is best told at the start."""
    for path, secret in secrets(settings):
        try:
            secret.read()
        except BadConfig as error:
            raise BadConfig(f"{path}: {error}") from error
    if settings.oauth2 is not None and not settings.oauth2.token_file.exists():
        raise BadConfig(f'oauth2.token_file: there is no {settings.oauth2.token_file} yet; "pbem login" writes it')


def _wrong_encoding(path: Path) -> str | None:
    """Return how the text in the file is encoded, if not as TOML wants it; None if it is, or can't be read at all."""
    try:
        raw = path.read_bytes()
        raw.decode()
    except UnicodeDecodeError as error:
        if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
            return "it is UTF-16"
        line = raw.count(b"\n", 0, error.start) + 1
        return f"line {line} isn't UTF-8, perhaps Latin-1"
    except OSError:
        return None
    return "it begins with a byte order mark" if raw.startswith(codecs.BOM_UTF8) else None


def _refusal(path: Path, sentences: list[str]) -> str:
    return f"{path} can't be used:\n" + "\n".join(f"  {sentence}" for sentence in sentences)


def _anchored(settings: Settings, folder: Path) -> Settings:
    """Return the settings with relative paths, and a relative SQLite file, made absolute."""

    def anchor(model: BaseModel) -> BaseModel:
        changes: dict[str, Any] = {}
        for name in type(model).model_fields:
            value = getattr(model, name)
            if isinstance(value, Path):
                changes[name] = folder / value.expanduser()
            elif isinstance(value, BaseModel):
                changes[name] = anchor(value)
            elif name == "database" and value.startswith("sqlite:///") and not value.startswith("sqlite:////"):
                changes[name] = f"sqlite:///{folder / value.removeprefix('sqlite:///')}"
        values = {name: getattr(model, name) for name in type(model).model_fields} | changes
        return type(model).model_construct(model.model_fields_set, **values)  # what was set is still known

    anchored = anchor(settings)
    assert isinstance(anchored, Settings)  # noqa: S101 - model_construct makes one of the class
    return anchored
