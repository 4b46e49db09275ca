"""All settings, read from config.toml and the environment."""

import codecs
import os
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Self

from pydantic import BaseModel, PrivateAttr, ValidationError, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, SettingsError

from pbem.config import faults
from pbem.config.mail import InboxSettings, OAuth2Settings, OutboxSettings
from pbem.config.server_and_small_tables import (
    BackupSettings,
    GamesSettings,
    HouseSettings,
    LimitsSettings,
    LogSettings,
    MetricsSettings,
    ServerSettings,
    ServeSettings,
)
from pbem.proof_settings import ChecksSettings
from pbem.secret_setting import BadConfig, Secret


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
    serve: ServeSettings = ServeSettings()
    metrics: MetricsSettings = MetricsSettings()

    @model_validator(mode="after")
    def fits_together(self) -> Self:
        """Require what several tables must agree on."""
        for table, account in (("inbox.imap", self.inbox.imap), ("outbox.smtp", self.outbox.smtp)):
            if account is not None and account.username and account.password is None and self.oauth2 is None:
                raise ValueError(f"{table}.password: this is required, unless there is [oauth2], which gives tokens")
        inbox, outbox = self.inbox.maildir, self.outbox.maildir
        if inbox is not None and inbox == outbox:  # what is put into the inbox is read as mail to the server
            raise ValueError("[inbox.maildir] and [outbox.maildir] have the same path: write another folder in one")
        listeners = {"inbox.lmtp": self.inbox.lmtp, "inbox.smtp": self.inbox.smtp, "metrics": self.metrics}
        taken: dict[tuple[str, int], str] = {}
        for table, listener in listeners.items():
            if listener is not None and listener.port:
                other = taken.setdefault((listener.host, listener.port), table)
                if other != table:
                    raise ValueError(f"[{other}] and [{table}] have the same port: write another one in one of them")
        if self.server.unsubscribe_url and self.metrics.port is None:
            raise ValueError("unsubscribe_url in [server] needs port in [metrics], where such requests are taken")
        return self

    _source: Path | None = PrivateAttr(default=None)

    @property
    def source(self) -> Path | None:
        return self._source

    @classmethod
    def settings_customise_sources(cls, *_: Any, **sources: Any) -> tuple[PydanticBaseSettingsSource, ...]:
        return sources["env_settings"], sources["init_settings"]


def load(path: Path, place: Path | None = None) -> Settings:
    """Return the settings of a file, or of a draft for that place, overridden by the environment; raise BadConfig."""
    try:
        settings = Settings(**_read(path))
        wrong = list(faults.unknown_variables(Settings, os.environ))
    except ValidationError as error:
        wrong = faults.sentences(Settings, error)
    except SettingsError as error:
        name = next((name for name in Settings.model_fields if f'"{name}"' in str(error)), "").upper()
        raise BadConfig(
            f"an environment variable that begins with PBEM_{name} can't be read: write a setting as text, a list as "
            f"JSON, and a secret as PBEM_{name}__…__FILE=/path/to/a/file, or __VALUE or __COMMAND"
        ) from error
    if wrong:
        raise BadConfig("\n  ".join((f"{path} can't be used:", *wrong)))
    source = (place or path).resolve()
    anchored: Settings = _anchored(settings, source.parent)
    anchored._source = source  # noqa: SLF001 - this is what makes them
    return anchored


def _read(path: Path) -> dict[str, Any]:
    try:
        text = path.read_text(encoding="utf-8-sig")
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise BadConfig(f"{path} can't be read: {faults.of_toml(str(error), text)}") from error
    except IsADirectoryError as error:
        such = path / "pbem.toml"
        raise BadConfig(f"{path} is a folder: write the path of the file in it, such as {such}") from error
    except FileNotFoundError as error:
        raise BadConfig(f"there is no configuration at {path}; `pbem init --config {path}` writes one") from error
    except PermissionError as error:
        raise BadConfig(f"{path} can't be read: {error.strerror}; let the user that runs pbem read it") from error
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        is_utf16 = error.object.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
        why = "it is UTF-16" if is_utf16 else f"line {line} isn't UTF-8, perhaps Latin-1"
        raise BadConfig(f"{path} can't be read: {why}; save it as UTF-8") from error
    except (RecursionError, OSError) as error:
        raise BadConfig(f"{path} can't be read: {error}") from error


def secrets(settings: BaseModel) -> Iterator[tuple[str, Secret]]:
    return ((path, value) for path, value in _values(settings) if isinstance(value, Secret))


def certificates(settings: BaseModel) -> Iterator[tuple[str, Path]]:
    """Yield every file with certificates that the settings name."""
    return ((path, value) for path, value in _values(settings) if path.endswith(".ca_file") and value is not None)


def _values(model: BaseModel, above: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each value with the path of its key: `inbox.imap.password`."""
    for name, value in model:
        if isinstance(value, BaseModel) and not isinstance(value, Secret):
            yield from _values(value, f"{above}{name}.")
        else:
            yield f"{above}{name}", value


def require_private_backups(settings: Settings, site: Path) -> None:
    """Raise BadConfig if the folder for backups lies in the one that is published there, or the other way round."""
    backups = settings.backup.folder
    if backups is None:
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


def _anchored(model: BaseModel, folder: Path) -> Any:
    """Return the settings with relative paths, and a relative SQLite file, made absolute."""
    values = dict[str, Any](model)
    for name, value in values.items():
        if isinstance(value, Path):
            values[name] = folder / value.expanduser()
        elif isinstance(value, BaseModel):
            values[name] = _anchored(value, folder)
        elif name == "database" and value.startswith("sqlite:///"):
            values[name] = f"sqlite:///{folder / Path(value.removeprefix('sqlite:///')).expanduser()}"
    return type(model).model_construct(model.model_fields_set, **values)  # what was set is still known
