"""Typed settings from config.toml, the environment and files with secrets. Nothing here opens a connection.

Each module has tables that belong together; start with `loading`, which reads the file. They import clocks and secret.
"""

from pbem.config.backup import BackupSettings
from pbem.config.limits import HouseSettings, LimitsSettings, ReadingSettings
from pbem.config.loading import LogSettings, Settings, certificates, load, require_secrets, secrets
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
from pbem.config.oauth2 import OAuth2Settings
from pbem.config.server import ChecksSettings, PublishSettings, ServerSettings
from pbem.config.watching import MetricsSettings

__all__ = [
    "BackupSettings",
    "ChecksSettings",
    "DkimSettings",
    "HouseSettings",
    "ImapSettings",
    "InboxSettings",
    "LimitsSettings",
    "ListenSettings",
    "LogSettings",
    "MaildirSettings",
    "MetricsSettings",
    "OAuth2Settings",
    "OutboxSettings",
    "PublishSettings",
    "ReadingSettings",
    "ServerSettings",
    "Settings",
    "SmtpSettings",
    "Tls",
    "WatchedMaildirSettings",
    "certificates",
    "load",
    "require_secrets",
    "secrets",
]
