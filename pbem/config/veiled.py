"""The settings in force as JSON and as TOML, with secrets veiled: told by where they come from."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel
from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from pbem.config.loading import Settings, secrets
from pbem.config.mail import Tls
from pbem.secret import Secret

VEIL = "***"


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
                yield f"{name} = {format_value(value)}{comment}"
        yield ""


def veils(settings: Settings) -> bool:
    """Return whether a secret is veiled in those lines, so that they can't be used as a configuration."""
    return VEIL in veiled_url(settings.server.database) or any(secret.file is None for _, secret in secrets(settings))


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


def format_value(value: Any) -> str:
    r"""Return the value as TOML writes it.

    >>> print(format_value({"file": "pbem.key"}), format_value(("a", 'b"')), format_value(1.5), format_value(True))
    { file = "pbem.key" } ["a", "b\""] 1.5 true
    """
    match value:
        case Mapping():
            pairs = ", ".join(f"{key} = {format_value(inner)}" for key, inner in value.items())
            return f"{{ {pairs} }}" if pairs else "{}"
        case list() | tuple():
            return f"[{', '.join(map(format_value, value))}]"
        case bool() | int() | float():
            return json.dumps(value)
        case _:
            return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")


def _tables(model: BaseModel, above: str = "") -> Iterator[tuple[str, BaseModel]]:
    for name in type(model).model_fields:
        value = getattr(model, name)
        if isinstance(value, BaseModel) and not isinstance(value, Secret | Tls):
            if not above and name in ("inbox", "outbox"):
                yield from _tables(value, f"{name}.")
            else:
                yield f"{above}{name}", value


def _plain(name: str, value: Any) -> Any:
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
