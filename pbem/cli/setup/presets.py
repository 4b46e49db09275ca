"""What `pbem init` writes: a configuration for a usual place of mail, as presets.toml has it."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, NamedTuple

from pbem.config.dump import format_value

EXAMPLE = "games@games.example"  # the server's address where mail is in folders, to try things by hand
PASSWORDS = {"inbox.imap": "imap.password", "outbox.smtp": "smtp.password"}
"""The files with the passwords, next to the configuration. The unit in deploy/ names them as well."""
HEAD = """\
# pbem with {}. What isn't written here has its default.
# `pbem config show` prints all that is in force; docs/configuration.md explains every setting.
"""
PresetPlace = Literal["gmail", "gmail-oauth2", "outlook", "fastmail", "postfix", "dovecot", "folders"]


class Preset(NamedTuple):
    title: str
    tables: Mapping[str, Mapping[str, str | int]]
    logins: tuple[str, ...] = ()
    todo: tuple[str, ...] = ()
    oauth2: Mapping[str, Any] | None = None


_FILE = Path(__file__).with_suffix(".toml")
PRESETS = {name: Preset(**preset) for name, preset in tomllib.loads(_FILE.read_text("utf-8")).items()}


def written(preset: Preset, server: Mapping[str, str], username: str, client_id: str) -> str:
    """Return the text of a configuration: the tables that the preset needs, with what differs from the defaults."""
    tables = {"server": dict[str, Any](server)}
    for table, values in preset.tables.items():
        tables[table] = dict(values)
        if table in preset.logins:
            tables[table]["username"] = username
            if not preset.oauth2:
                tables[table]["password"] = {"file": PASSWORDS[table]}
    if preset.oauth2:
        tables["oauth2"] = {**preset.oauth2, "client_id": client_id}
    lines = [HEAD.format(preset.title)]
    for table, values in tables.items():
        lines += [f"\n[{table}]\n", *(f"{key} = {format_value(value)}\n" for key, value in values.items())]
    return "".join(lines)
