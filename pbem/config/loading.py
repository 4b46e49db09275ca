"""All settings, read from config.toml and the environment."""

import tomllib
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)

from pbem.config.limits import HouseSettings, LimitsSettings, ReadingSettings
from pbem.config.mail import InboxSettings, OutboxSettings
from pbem.config.server import ChecksSettings, ServerSettings
from pbem.secret import BadConfig, Section


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
