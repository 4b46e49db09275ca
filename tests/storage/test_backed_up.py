"""What is in a backup: the database, the configuration, and each file with a secret or certificates that it names."""

import tarfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pbem import config
from pbem.server import backups
from pbem.storage import database
from tests import databases

pytestmark = pytest.mark.own_database

CONFIG = """
[server]
address = "games@pbem.example"
key = { file = "pbem.key" }
database = "sqlite:///pbem.sqlite"
[outbox.smtp]
host = "mail.example"
username = "games"
password = { file = "password" }
tls = { ca_file = "ca.pem" }
[inbox.imap]
host = "mail.example"
username = "games"
password = { command = "echo secret" }
"""


def test_nothing_is_missing_in_a_backup(tmp_path: Path) -> None:
    file = tmp_path / "pbem.toml"
    file.write_text(CONFIG, encoding="utf-8")
    for name in ("pbem.key", "password", "ca.pem"):
        (tmp_path / name).write_text(f"what {name} has\n", encoding="utf-8")
    (tmp_path / "ca.pem").rename(tmp_path / "renewed.pem")
    (tmp_path / "ca.pem").symlink_to("renewed.pem")  # as certbot does
    settings = config.load(file)
    databases.make(settings.server.database)
    engine = database.connect(settings.server.database)

    now = datetime(2026, 2, 3, 10, tzinfo=UTC)
    backup = tmp_path / "backup.tar.gz"
    backups.make(engine, settings, backup, now)
    engine.dispose()

    manifest, contents = backups.read(backup)
    with tarfile.open(backup) as tar:
        copy = tar.extractfile(backups.DATABASES[manifest.kind])
        assert copy
        assert copy.read(6) in (b"SQLite", b"PGDMP\x01")
    assert {*contents} == {
        *("pbem.toml", "certificates/outbox.smtp.tls.ca_file"),
        *("secrets/server.key", "secrets/outbox.smtp.password"),
    }
    assert contents["certificates/outbox.smtp.tls.ca_file"] == b"what ca.pem has\n"
