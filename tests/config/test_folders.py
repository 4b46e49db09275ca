"""Backups have secrets, so their folder and the one that is published are never in each other."""

from pathlib import Path

import pytest

from pbem import config
from pbem.secret import BadConfig

OTHERS = """
[server]
address = "games@pbem.example"
key = { file = "pbem.key" }
[outbox.maildir]
path = "out"
"""


def loaded(folder: Path, backups: str, site: str) -> config.Settings:
    """Return the settings with these two folders, from a file in that one."""
    file = folder / "pbem.toml"
    both = f'[backup]\nfolder = "{backups}"\n[publish]\nfolder = "{site}"\n'
    file.write_text(f"{OTHERS}{both}", encoding="utf-8")
    return config.load(file)


@pytest.mark.parametrize(
    ("backups", "web"), [("web", "web"), ("web/backups", "web"), ("all", "all/web"), ("other/../web/backups", "web")]
)
def test_no_backup_is_published(tmp_path: Path, backups: str, web: str) -> None:
    with pytest.raises(BadConfig, match="neither folder may be in the other"):
        loaded(tmp_path, backups, web)


def test_two_folders_beside_each_other_are_fine(tmp_path: Path) -> None:
    settings = loaded(tmp_path, "web-backups", "web")

    assert (settings.backup.folder, settings.publish.folder) == (tmp_path / "web-backups", tmp_path / "web")
