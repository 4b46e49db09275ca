"""Backups have secrets, so their folder and the one that is published are never in each other."""

from pathlib import Path

import pytest

from pbem import config
from pbem.secret_setting import BadConfig

OTHERS = """
[server]
address = "games@pbem.example"
[outbox.maildir]
path = "out"
[backup]
folder = "{backups}"
"""


def checked(folder: Path, backups: str, site: str) -> None:
    """Check these two folders, by settings in that one."""
    file = folder / "pbem.toml"
    file.write_text(OTHERS.format(backups=backups), encoding="utf-8")
    config.require_private_backups(config.load(file), folder / site)


@pytest.mark.parametrize(
    ("backups", "web"), [("web", "web"), ("web/backups", "web"), ("all", "all/web"), ("other/../web/backups", "web")]
)
def test_no_backup_is_published(tmp_path: Path, backups: str, web: str) -> None:
    with pytest.raises(BadConfig, match="neither folder may be in the other"):
        checked(tmp_path, backups, web)


def test_two_folders_beside_each_other_are_fine(tmp_path: Path) -> None:
    checked(tmp_path, "web-backups", "web")
