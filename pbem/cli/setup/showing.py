"""The command `config show`: the configuration in force, with secrets veiled."""

import json
from collections.abc import Iterator
from typing import Annotated, Any

import typer
from pydantic import BaseModel
from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from pbem import config
from pbem.cli.core import CONFIG, ConfigOption, app, out, sentences
from pbem.cli.setup import toml
from pbem.config import Settings, Tls
from pbem.secret import Secret

VEIL = "***"
configuration = typer.Typer(help="Look at the configuration.", no_args_is_help=True)
app.add_typer(configuration, name="config")


@configuration.callback()
def group() -> None:
    """Look at the configuration."""


@configuration.command()
def show(
    config_file: ConfigOption = CONFIG,
    as_json: Annotated[bool, typer.Option("--json", help="Print it as JSON.")] = False,
) -> None:
    """Print the configuration in force: file, environment and defaults, without secrets."""
    with sentences():
        settings = config.load(config_file)
    text = json.dumps(veiled(settings), indent=2, ensure_ascii=False) if as_json else "\n".join(lines(settings))
    out.print(text, markup=False, highlight=False)


def veiled(settings: Settings) -> dict[str, Any]:
    """Return all tables with their values; secrets are told by where they come from."""
    return {name: _plain(name, getattr(settings, name)) for name in Settings.model_fields}


def lines(settings: Settings) -> Iterator[str]:
    """Yield the same as TOML, with a comment on each value that is a default."""
    for path, table in _tables(settings):
        yield f"[{path}]"
        for name in type(table).model_fields:
            value = _plain(name, getattr(table, name))
            comment = "" if name in table.model_fields_set else "  # default"
            if value is None:
                yield f"# {name} is not set"
            elif not isinstance(getattr(table, name), BaseModel) or isinstance(getattr(table, name), Secret | Tls):
                yield f"{name} = {toml.format_value(value)}{comment}"
        yield ""


def veiled_url(url: str) -> str:
    """Return a database URL without its passwords.

    >>> veiled_url("postgresql+psycopg://me:secret@db.example/pbem?sslpassword=too&sslmode=require")
    'postgresql+psycopg://me:***@db.example/pbem?sslmode=require&sslpassword=***'
    """
    try:
        parsed: URL = make_url(url)
    except (ArgumentError, ValueError):
        return VEIL
    hidden = {name: VEIL for name in parsed.query if "pass" in name.lower()}
    return parsed.update_query_dict(hidden).render_as_string(hide_password=True).replace("%2A%2A%2A", VEIL)


def _tables(model: BaseModel, above: str = "") -> Iterator[tuple[str, BaseModel]]:
    """Yield each table that has settings of its own, with its path."""
    for name in type(model).model_fields:
        value = getattr(model, name)
        if isinstance(value, BaseModel) and not isinstance(value, Secret | Tls):
            if not above and name in ("inbox", "outbox"):
                yield from _tables(value, f"{name}.")
            else:
                yield f"{above}{name}", value


def _plain(name: str, value: Any) -> Any:
    """Return a value as JSON has it, without a secret."""
    match value:
        case Secret():
            return _origin(value)
        case BaseModel():
            found = {each: _plain(each, getattr(value, each)) for each in type(value).model_fields}
            return {each: inner for each, inner in found.items() if inner is not None or not isinstance(value, Tls)}
        case tuple():
            return [_plain(name, inner) for inner in value]
        case None | bool() | int() | float():
            return value
        case _:
            return veiled_url(value) if name == "database" else str(value)


def _origin(secret: Secret) -> dict[str, str]:
    """Return where the secret comes from; the words of a command may themselves be secret."""
    if secret.file is not None:
        return {"file": str(secret.file)}
    if secret.command is not None:
        program, _, words = secret.command.partition(" ")
        return {"command": f"{program} {VEIL}" if words else program}
    return {"value": VEIL}
