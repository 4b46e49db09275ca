"""Configurations for usual places of mail, which `pbem init` writes: what was chosen, and no default."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from pydantic import ValidationError

from pbem.config import ServerSettings, faults
from pbem.config.veiled import format_value
from pbem.secret import BadConfig

PASSWORDS = {"inbox.imap": "imap.password", "outbox.smtp": "smtp.password"}
"""The files with the passwords, next to the configuration. The unit in deploy/ names them as well."""

HEAD = """\
# pbem with {}. What isn't written here has its default.
# `pbem config show` prints all that is in force; docs/configuration.md explains every setting.
"""


class PresetPlace(StrEnum):
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


@dataclass(frozen=True)
class WantedSetup:
    place: PresetPlace
    server: dict[str, str]
    username: str
    client_id: str = ""
    password: str = field(default="", repr=False)


EXAMPLE = "games@games.example"
"""The server's address where mail is in folders, to try things by hand."""
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
            (
                "in a Workspace, choose Internal there (Audience); otherwise publish the app, since logins end after "
                'seven days while it is tested, and pass "Google hasn\'t verified this app" by Advanced'
            ),
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
                "flows, with IMAP.AccessAsUser.All and SMTP.Send (Microsoft Graph, Delegated permissions); then run "
                "pbem login as the server's account"
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
        {"inbox.maildir": {"path": "mail/in"}, "outbox.maildir": {"path": "mail/out"}},
    ),
}


def check(server: Mapping[str, str]) -> None:
    try:
        ServerSettings.model_validate(server)
    except ValidationError as error:
        raise BadConfig("; ".join(faults.sentences(ServerSettings, error))) from None


def written(preset: Preset, server: Mapping[str, str], username: str, client_id: str = "") -> str:
    """Return the text of a configuration: the tables that the preset needs, with what differs from the defaults."""
    tables: dict[str, Mapping[str, Any]] = {"server": server}
    for table, values in preset.tables.items():
        tables[table] = {**values, **(_login(preset, table, username) if table in preset.logins else {})}
    if preset.oauth2:
        tables["oauth2"] = {**preset.oauth2, "client_id": client_id}
    return HEAD.format(preset.title) + "".join(_written(table, values) for table, values in tables.items())


def _login(preset: Preset, table: str, username: str) -> dict[str, Any]:
    return {"username": username, **({} if preset.oauth2 else {"password": {"file": PASSWORDS[table]}})}


def _written(table: str, values: Mapping[str, Any]) -> str:
    return f"\n[{table}]\n" + "".join(f"{key} = {format_value(value)}\n" for key, value in values.items())
