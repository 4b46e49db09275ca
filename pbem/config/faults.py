"""Sentences about what is wrong with a configuration. They never contain a value, which may be a secret."""

import os
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from pbem.secret import Secret

OFTEN_WRITTEN = {
    "user": "username",
    "login": "username",
    "server": "host",
    "hostname": "host",
    "mailbox": "folder",
    "ssl": "security",
    "encryption": "security",
    "email": "address",
    "db": "database",
    "pass": "password",
}
"""Names that other programs give to our keys."""
MOVED = {
    "server.answers_per_hour": "limits.answers_per_hour",
    "server.keep_mail_days": "limits.keep_mail_days",
    "server.keep_waiting_days": "limits.keep_waiting_days",
    "limits.player_per_hour": "limits.mails_per_hour",
    "limits.running_matches": "limits.matches_per_player",
}
"""Settings of earlier versions, and where they are now."""
ASKED = "what the provider says at its URL, which is written as provider"
LISTENS = '127.0.0.1, or the address in exposed_on = "…"'
LISTENER = {
    "host": LISTENS,
    "is_exposed": LISTENS,
    "connections": "100",
    "connections_per_address": "50",
    "connections_per_minute": "1200",
    "recipients": "50",
    "bytes_in_flight": "32 MB",
    "idle_seconds": "5 minutes",
}
LOGIN = {
    "auth": "the password, and a token of [oauth2] if there is no password",
    "connect_seconds": "15 seconds",
    "answer_seconds": "a minute",
}
FIXED: Mapping[str, Mapping[str, str]] = {
    "server": {
        "mail_limit": "1 MB",
        "batch_minutes": "15 minutes",
        "announced_per_minute": "60",
        "days_off": "2",
    },
    "inbox.imap": {**LOGIN, "poll_seconds": "a minute", "idle_seconds": "5 minutes", "use_idle": "true"},
    "inbox.lmtp": LISTENER,
    "inbox.smtp": LISTENER,
    "inbox.maildir": {"poll_seconds": "0.2 seconds"},
    "outbox.smtp": LOGIN,
    "outbox.dkim": {"domain": "the domain of server.address"},
    "oauth2": {"token_url": ASKED, "device_url": ASKED, "authorize_url": ASKED, "answer_seconds": "15 seconds"},
    "checks": {"dns_seconds": "5 seconds"},
    "limits": {
        "match_per_day": "1000",
        "stranger_per_day": "5",
        "stranger_per_month": "20",
        "domain_per_day": "100",
        "large_domain_per_day": "2000",
        "large_domains": "a list of the large providers",
        "work_per_message": "4000",
        "challenges_per_day": "50",
        "challenges_per_pair": "10",
        "open_seeks": "5",
        "seeks_per_day": "20",
        "seek_days": "28",
        "new_player_invitations": "3",
        "new_player_days": "14",
        "domain_invitations": "10",
        "invited_again_days": "180",
        "stranger_bytes": "250 KB",
    },
    "reading": {"seconds": "5", "megabytes": "128"},
    "house": {
        "name": "house",
        "levels": "5",
        "running_matches": "10",
        "turns_per_hour": "120",
        "hints_per_day": "10",
        "analyses_per_day": "3",
        "seconds": "60",
        "megabytes": "200",
    },
    "backup": {"every_hours": "24"},
    "publish": {"every_minutes": "10"},
    "metrics": {"host": LISTENS, "is_exposed": LISTENS, "textfile_seconds": "30"},
}
"""Settings of earlier versions that are fixed now, by table, and what each is."""
PATTERNS = {
    "publish.url": "write a URL that begins with https:// or http://",
    "outbox.dkim.selector": "write a name of letters, digits and hyphens, as in the DNS before ._domainkey",
    "oauth2.tenant": 'write the tenant\'s ID or domain, or "common"',
}
"""What to write where a pattern must match."""
LONGEST_SHOWN = 60


def sentences(model: type[BaseModel], error: ValidationError) -> list[str]:
    found = error.errors(include_url=False, include_input=False)
    return [f"{_sentence(model, fault)}{_origin(fault)}" for fault in found]


def unknown_variables(model: type[BaseModel], environment: Mapping[str, str]) -> Iterator[str]:
    for name in sorted(environment):
        table, nested, _ = name.removeprefix("PBEM_").partition("__")
        if name.startswith("PBEM_") and nested and table.lower() not in model.model_fields:
            near = get_close_matches(table.lower(), list(model.model_fields), 1)
            meant = f"; did you mean PBEM_{near[0].upper()}__…?" if near else ""
            old = _old(tuple(name.removeprefix("PBEM_").lower().split("__")))
            yield f"the environment variable {name[:LONGEST_SHOWN]}{old or f' belongs to no table{meant}'}"


def _origin(fault: ErrorDetails) -> str:
    """Return which environment variable the value comes from, if it does, as the end of a sentence."""
    variable = f"PBEM_{'__'.join(map(str, fault['loc']))}".upper()
    return f" (from the environment variable {variable})" if variable in os.environ else ""


def _sentence(model: type[BaseModel], fault: ErrorDetails) -> str:
    path = tuple(map(str, fault["loc"]))
    where = ".".join(path)
    match fault["type"]:
        case "extra_forbidden":
            what = "table" if len(path) == 1 else "setting"
            return f"{where}{_old(path) or f': there is no such {what}{_near(model, path)}'}"
        case "missing":
            return f"{where}: this is required"
        case "value_error":
            return f"{where}: {fault['ctx']['error']}" if where else str(fault["ctx"]["error"])
        case "path_type":
            return f"{where}: write a path as text between quotes"
        case "string_pattern_mismatch" if how := PATTERNS.get(".".join(path)):
            return f"{where}: {how}"
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


def _old(path: tuple[str, ...]) -> str:
    """Return what has become of a key or table of an earlier version, as the end of a sentence; "" for any other."""
    if moved := MOVED.get(".".join(path)):
        table, _, key = moved.rpartition(".")
        return f": this is {key} in [{table}] now"
    if fixed := FIXED.get(".".join(path)):
        there_were = ", ".join(f"{key} is always {value}" for key, value in fixed.items())
        return f": this table is gone: {there_were}; remove it"
    now = FIXED.get(".".join(path[:-1]), {}).get(path[-1])
    return f": this isn't a setting any more: it is always {now}; remove it" if now else ""


def _near(model: type[BaseModel], path: Sequence[str]) -> str:
    above, key = tuple(path[:-1]), path[-1].lower()
    table = _model_at(model, above)
    own = list(table.model_fields) if table is not None else []
    usual = OFTEN_WRITTEN.get(key)
    if usual in own:
        return f"; did you mean {usual}?"
    if near := get_close_matches(key, own, 1):
        return f"; did you mean {near[0]}?"
    places = [".".join((*place, key)) for place, table in _places(model) if key in table.model_fields]
    if places:
        return f"; did you mean {' or '.join(places[:3])}?"
    return f"; here there are {', '.join(own)}" if own else ""


def _places(model: type[BaseModel], above: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], type[BaseModel]]]:
    for name, field in model.model_fields.items():
        inner = _table(field.annotation)
        if inner is not None and inner is not Secret:
            yield (*above, name), inner
            yield from _places(inner, (*above, name))


def _model_at(model: type[BaseModel], path: Sequence[str]) -> type[BaseModel] | None:
    found: type[BaseModel] | None = model
    for name in path:
        field = found.model_fields.get(name) if found is not None else None
        found = _table(field.annotation) if field is not None else None
    return found


def _table(annotation: Any) -> type[BaseModel] | None:
    """Return the model in an annotation such as `Tls` or `Secret | None`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if get_origin(annotation) is None or not get_args(annotation):
        return None
    return next((found for inner in get_args(annotation) if (found := _table(inner)) is not None), None)
