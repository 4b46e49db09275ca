"""Configurations for usual places of mail, which `pbem init` writes: config.example.toml with other values."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from pbem.config import ServerSettings, faults
from pbem.config.veiled import format_value
from pbem.secret import BadConfig

PASSWORDS = {"inbox.imap": "imap.password", "outbox.smtp": "smtp.password"}
"""The files with the passwords, next to the configuration. The unit in deploy/ names them as well."""


class PresetPlace(StrEnum):
    """A usual place of mail."""

    GMAIL = "gmail"
    GMAIL_OAUTH2 = "gmail-oauth2"
    OUTLOOK = "outlook"
    FASTMAIL = "fastmail"
    POSTFIX = "postfix"
    DOVECOT = "dovecot"
    FOLDERS = "folders"


@dataclass(frozen=True)
class Preset:
    """What a place needs: tables of the configuration, those of them with a login, and what to do there."""

    title: str
    tables: Mapping[str, Mapping[str, str | int]]
    logins: tuple[str, ...] = ()
    todo: tuple[str, ...] = ()
    oauth2: Mapping[str, Any] = field(default_factory=dict)
    """Settings of [oauth2], if it takes the place of passwords."""


RELAY: Mapping[str, str | int] = {"host": "127.0.0.1", "port": 25, "security": "none"}
BOTH = ("inbox.imap", "outbox.smtp")
GMAIL: Mapping[str, Mapping[str, str | int]] = {
    "inbox.imap": {"host": "imap.gmail.com"},
    "outbox.smtp": {"host": "smtp.gmail.com"},
}
GMAIL_SENDS = "an account can send to 500 recipients a day (Workspace: 2000)"
PRESETS = {
    PresetPlace.GMAIL: Preset(
        "Gmail or Google Workspace",
        GMAIL,
        BOTH,
        (
            (
                "Google takes app passwords only, or OAuth2 (gmail-oauth2): turn on 2-step verification, then make one "
                "at https://myaccount.google.com/apppasswords"
            ),
            GMAIL_SENDS,
        ),
    ),
    PresetPlace.GMAIL_OAUTH2: Preset(
        "Gmail or Google Workspace, with OAuth2",
        GMAIL,
        BOTH,
        (
            (
                "register a desktop app at https://console.cloud.google.com (APIs & Services, Credentials), enable "
                "the Gmail API there, write its client secret into oauth2.secret, and run pbem login as the server's "
                "account"
            ),
            "publish the app there (Audience): the logins of an app that is being tested end after seven days",
            GMAIL_SENDS,
        ),
        {"provider": "google", "client_secret": {"file": "oauth2.secret"}},
    ),
    PresetPlace.OUTLOOK: Preset(
        "Outlook.com or Microsoft 365",
        {
            "inbox.imap": {"host": "outlook.office365.com"},
            "outbox.smtp": {"host": "smtp.office365.com", "port": 587, "security": "starttls"},
        },
        BOTH,
        (
            (
                "Microsoft takes OAuth2 only: register an app at https://entra.microsoft.com that allows public client "
                "flows, with the delegated permissions IMAP.AccessAsUser.All and SMTP.Send, and run pbem login as the "
                "server's account"
            ),
            "the account must be allowed to use IMAP and authenticated SMTP",
        ),
        {"provider": "microsoft"},
    ),
    PresetPlace.FASTMAIL: Preset(
        "Fastmail",
        {"inbox.imap": {"host": "imap.fastmail.com"}, "outbox.smtp": {"host": "smtp.fastmail.com"}},
        BOTH,
        ("Fastmail takes app passwords only: make one for IMAP and SMTP in its settings, under Privacy & Security",),
    ),
    PresetPlace.POSTFIX: Preset(
        "your own Postfix on this machine, over LMTP",
        {"inbox.lmtp": {"port": 8024}, "outbox.smtp": RELAY},
        todo=("Postfix must deliver to port 8024: deploy/postfix.md has the lines for main.cf",),
    ),
    PresetPlace.DOVECOT: Preset(
        "your own Dovecot and Postfix on this machine, over IMAP",
        {"inbox.imap": {"host": "127.0.0.1", "port": 143, "security": "none"}, "outbox.smtp": RELAY},
        ("inbox.imap",),
        ("Dovecot must keep mail to sub-addresses in the INBOX: deploy/dovecot.md has the lines",),
    ),
    PresetPlace.FOLDERS: Preset(
        "two folders on this machine, to try things by hand",
        {"inbox.maildir": {}, "outbox.maildir": {}},
    ),
}


def example() -> Path:
    """Return the path of the example configuration, in an installed package or in a checkout."""
    package = Path(__file__).parent.parent.parent
    inside = package / "config.example.toml"
    return inside if inside.is_file() else package.parent / "config.example.toml"


def check(server: Mapping[str, str]) -> None:
    """Raise BadConfig if those settings of [server] can't be used."""
    try:
        ServerSettings.model_validate(server)
    except ValidationError as error:
        raise BadConfig("; ".join(faults.sentences(ServerSettings, error))) from None


def written(preset: Preset, server: Mapping[str, str], username: str, client_id: str = "") -> str:
    """Return the example with the tables that the preset needs, and without those for trying things out."""
    text = example().read_text(encoding="utf-8")
    for table in ("inbox.maildir", "outbox.maildir"):
        if table not in preset.tables:
            text = _commented_out(text, table)
    for table, values in preset.tables.items():
        text = _table(text, table, {**values, **(_login(preset, table, username) if table in preset.logins else {})})
    if preset.oauth2:
        text = _table(text, "oauth2", {**preset.oauth2, "client_id": client_id})
    return _table(text, "server", server)


def _login(preset: Preset, table: str, username: str) -> dict[str, Any]:
    return {"username": username, **({} if preset.oauth2 else {"password": {"file": PASSWORDS[table]}})}


def _block(text: str, table: str) -> tuple[int, int]:
    """Return where the table begins and ends, commented out or not."""
    found = re.search(rf"^(?:# )?\[{re.escape(table)}\]\n(?:.+\n)*", text, re.MULTILINE)
    assert found, table  # noqa: S101 - a test looks for each
    return found.span()


def _commented_out(text: str, table: str) -> str:
    begin, end = _block(text, table)
    lines = "".join(f"# {line}\n" for line in text[begin:end].splitlines())
    return text[:begin] + lines + text[end:]


def _table(text: str, table: str, values: Mapping[str, Any]) -> str:
    """Return the text with those values in the table; its other keys stay commented out, or as they are."""
    begin, end = _block(text, table)
    block = re.sub(rf"^# \[{re.escape(table)}\]", f"[{table}]", text[begin:end])
    for key, value in values.items():
        line = re.search(rf"^(?:# )?{key} = (?:\{{[^}}\n]*\}}|\"[^\"\n]*\"|\S+) *(#.*)?$", block, re.MULTILINE)
        assert line, key  # noqa: S101 - a test sets each
        written = f"{key} = {format_value(value)}"
        if line[1]:
            column = line.start(1) - line.start() - len("# ")  # where the comments of the example stand
            written = f"{written.ljust(column - 1)} {line[1]}"
        block = f"{block[: line.start()]}{written}{block[line.end() :]}"
    return text[:begin] + block + text[end:]
