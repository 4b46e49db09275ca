"""Typed settings from config.toml, the environment and files with secrets. Nothing here opens a connection.

Each module has tables that belong together; start with `loading`, which reads the file. They import clocks and secret.
"""

from pbem.config.loading import Settings, certificates, load, require_private_backups, require_secrets, secrets
from pbem.config.mail import (
    DkimSettings,
    ImapSettings,
    InboxSettings,
    ListenSettings,
    MaildirSettings,
    OAuth2Settings,
    OutboxSettings,
    SmtpSettings,
    Tls,
)
from pbem.config.server_and_small_tables import (
    BackupSettings,
    GamesSettings,
    HouseSettings,
    LimitsSettings,
    LogSettings,
    MetricsSettings,
    ServerSettings,
    ServeSettings,
)
from pbem.proof_settings import ChecksSettings
