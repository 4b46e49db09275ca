"""Typed settings from config.toml, the environment and files with secrets. Nothing here opens a connection.

Each module has tables that belong together; start with `loading`, which reads the file. They import clocks and secret.
"""

from pbem.config.limits import HouseSettings, LimitsSettings, ReadingSettings
from pbem.config.loading import LogSettings, Settings, load, require_secrets, secrets
from pbem.config.mail import (
    DkimSettings,
    ImapSettings,
    InboxSettings,
    ListenSettings,
    MaildirSettings,
    OutboxSettings,
    SmtpSettings,
    Tls,
    WatchedMaildirSettings,
)
from pbem.config.server import ChecksSettings, PublishSettings, ServerSettings

__all__ = [
    "ChecksSettings",
    "DkimSettings",
    "HouseSettings",
    "ImapSettings",
    "InboxSettings",
    "LimitsSettings",
    "ListenSettings",
    "LogSettings",
    "MaildirSettings",
    "OutboxSettings",
    "PublishSettings",
    "ReadingSettings",
    "ServerSettings",
    "Settings",
    "SmtpSettings",
    "Tls",
    "WatchedMaildirSettings",
    "load",
    "require_secrets",
    "secrets",
]
