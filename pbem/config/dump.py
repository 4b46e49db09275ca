"""The settings in force as JSON and as TOML, with secrets veiled: told by where they come from."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import BaseModel
from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from pbem.config.loading import Settings, secrets
from pbem.config.mail import InboxSettings, OutboxSettings
from pbem.secret_setting import VEIL


def veiled(settings: Settings) -> dict[str, Any]:
    shown = settings.model_dump(mode="json")
    shown["server"]["database"] = veiled_url(settings.server.database)
    return shown


def lines(settings: Settings) -> Iterator[str]:
    """Yield the same as TOML, with a comment on each value that is a default."""
    tables: dict[str, BaseModel | None] = {}
    for name, table in settings:
        has_tables = isinstance(table, InboxSettings | OutboxSettings)
        tables |= {f"{name}.{kind}": box for kind, box in table} if has_tables else {name: table}
    for path, table in tables.items():
        if table is not None:
            yield f"[{path}]"
            for name, value in table.model_dump(mode="json").items():
                comment = "" if name in table.model_fields_set else "  # default"
                if value is None:
                    yield f"# {name} is not set"
                else:
                    yield f"{name} = {format_value(veiled_url(value) if name == 'database' else value)}{comment}"
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
            pairs = ", ".join(f"{key} = {format_value(inner)}" for key, inner in value.items() if inner is not None)
            return f"{{ {pairs} }}" if pairs else "{}"
        case list() | tuple():
            return f"[{', '.join(map(format_value, value))}]"
        case bool() | int() | float():
            return json.dumps(value)
        case _:
            return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")
