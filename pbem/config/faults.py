"""Sentences about what is wrong with a configuration. They never contain a value, which may be a secret."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from pbem.secret_setting import Secret

OFTEN_WRITTEN = {
    "user": "username",
    "login": "username",
    "pass": "password",
    "email": "address",
    "db": "database",
    "server": "host",
    "hostname": "host",
    "host": "exposed_on",
    "ssl": "security",
    "encryption": "security",
    "mailbox": "folder",
    "publish": "serve",
}
"""Names that other programs give to our keys."""
PATTERNS = {
    "outbox": "write [outbox.smtp], or [outbox.maildir], for the messages that the server sends",
    "server.unsubscribe_url": "write a URL that begins with https:// and ends with /unsubscribe/",
    "serve.url": "write a URL that begins with https:// or http://",
    "outbox.dkim.selector": "write a name of letters, digits and hyphens, as in the DNS before ._domainkey",
    "oauth2.tenant": 'write the tenant\'s ID or domain, or "common"',
}
"""What to write where something is missing, or a pattern must match."""
LONGEST_SHOWN = 60


def sentences(model: type[BaseModel], error: ValidationError) -> list[str]:
    lines = []
    for fault in error.errors(include_url=False, include_input=False):
        variable = f"PBEM_{'__'.join(map(str, fault['loc']))}".upper()
        origin = f" (from the environment variable {variable})" if variable in os.environ else ""
        lines.append(_sentence(model, fault) + origin)
    return lines


def of_toml(error: str, text: str) -> str:
    r"""Return the parser's error about a file, with the key and what to write where that can be told.

    >>> of_toml("Invalid value (at line 2, column 11)", "[house]\nenabled = yes")
    'write true or false for enabled, in line 2'
    """
    at = re.search(r"at line (\d+)", error)
    if at is None:
        return error
    lines, number = text.splitlines(), int(at[1])
    key, _, value = (part.strip() for part in lines[number - 1].partition("="))
    if "overwrite" in error or "twice" in error:
        before = (n for n, line in enumerate(lines[: number - 1], start=1) if line.partition("=")[0].strip() == key)
        return f"{key} stands twice, in lines {max(before, default=number)} and {number}"
    if value.lower() in ("yes", "no", "on", "off", "true", "false"):
        return f"write true or false for {key}, in line {number}"
    if value[:1] in ('"', "'") and value.count(value[0]) % 2:
        return f"a quotation mark is missing for {key}, in line {number}"
    if value[:1].isalpha():
        return f'write what {key} is between quotes, in line {number}: {key} = "…"'
    return error


def unknown_variables(model: type[BaseModel], environment: Mapping[str, str]) -> Iterator[str]:
    for name in sorted(environment):
        table, nested, _ = name.removeprefix("PBEM_").partition("__")
        if name.startswith("PBEM_") and nested and table.lower() not in model.model_fields:
            near = get_close_matches(table.lower(), list(model.model_fields), 1)
            hint = f"; did you mean PBEM_{near[0].upper()}__…?" if near else ""
            yield f"the environment variable {name[:LONGEST_SHOWN]} belongs to no table{hint}"


def _sentence(model: type[BaseModel], fault: ErrorDetails) -> str:
    path = tuple(map(str, fault["loc"]))
    where = ".".join(path)
    match fault["type"]:
        case "extra_forbidden":
            what = "table" if len(path) == 1 else "setting"
            return f"{where}: there is no such {what}{_near(model, path)}"
        case "missing" | "string_pattern_mismatch" if how := PATTERNS.get(where):
            return f"{where}: {how}"
        case "missing":
            return f"{where}: this is required"
        case "value_error":
            return f"{where}: {fault['ctx']['error']}" if where else str(fault["ctx"]["error"])
        case "path_type":
            return f"{where}: write a path as text between quotes"
        case "model_type" | "model_attributes_type":
            return f"{where}: {_how_to_write(model, path)}"
        case _:
            return f"{where}: {fault['msg']}"


def _how_to_write(model: type[BaseModel], path: tuple[str, ...]) -> str:
    key = path[-1]
    if _model_at(model, path) is not Secret:
        return f"this is a table; write [{'.'.join(path)}], and its settings in the lines below"
    file = "pbem.key" if path == ("server", "key") else "mail.password"
    return (
        "say where this secret comes from: "
        f'{key} = {{ file = "{file}" }} takes the first line of a file, '
        f'{key} = {{ command = "pass show …" }} that of a program\'s output, '
        f'{key} = {{ value = "…" }} what is between the quotes'
    )


def _near(model: type[BaseModel], path: Sequence[str]) -> str:
    above, key = path[:-1], path[-1].lower()
    table = _model_at(model, above)
    own = list(table.model_fields) if table is not None else []
    usual = [OFTEN_WRITTEN[key]] if OFTEN_WRITTEN.get(key) in own else []
    if names := usual or get_close_matches(key, own, 1) or list(_places(model, key))[:3]:
        return f"; did you mean {' or '.join(names)}?"
    return f"; here there are {', '.join(own)}" if own else ""


def _places(model: type[BaseModel], key: str, above: str = "") -> Iterator[str]:
    """Yield where there is a setting or table of that name, such as `server.name`."""
    for name, field in model.model_fields.items():
        inner = _table(field.annotation)
        if inner is not None and inner is not Secret:
            if key in inner.model_fields:
                yield f"{above}{name}.{key}"
            yield from _places(inner, key, f"{above}{name}.")


def _model_at(model: type[BaseModel], path: Sequence[str]) -> type[BaseModel] | None:
    table: type[BaseModel] | None = model
    for name in path:
        field = table.model_fields.get(name) if table is not None else None
        table = _table(field.annotation) if field is not None else None
    return table


def _table(annotation: Any) -> type[BaseModel] | None:
    """Return the model in an annotation such as `Tls` or `Secret | None`."""
    kinds = (annotation, *get_args(annotation))
    return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)), None)
