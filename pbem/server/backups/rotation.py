"""Backups in a folder: their names, which tell whose they are and when they were made, and how many are kept."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

EVERY = timedelta(hours=24)
"""How often a running server makes a backup."""
_STAMP = "%Y%m%dT%H%M%SZ"


@dataclass(frozen=True, slots=True)
class Kept:
    file: Path
    made: datetime


def name(address: str, now: datetime) -> str:
    """Return the name of a server's backup.

    >>> name("games@example.org", datetime(2026, 11, 23, 3, 15, tzinfo=UTC))
    'pbem-games@example.org-20261123T031500Z.tar.gz'
    """
    return f"pbem-{address}-{now.astimezone(UTC):{_STAMP}}.tar.gz"


def kept(folder: Path, address: str) -> list[Kept]:
    """Return the backups of that server in the folder, oldest first; other files are nobody's business."""
    pattern = re.compile(rf"pbem-{re.escape(address)}-(\d{{8}}T\d{{6}}Z)\.tar\.gz")
    found = []
    for file in folder.iterdir():
        if fits := pattern.fullmatch(file.name):
            try:
                made = datetime.strptime(fits[1], _STAMP).replace(tzinfo=UTC)
            except ValueError:
                continue
            found.append(Kept(file, made))
    return sorted(found, key=lambda each: each.made)


def remove_oldest(folder: Path, address: str, number: int) -> list[Path]:
    """Remove all but that number of backups; return those removed."""
    found = kept(folder, address)
    gone = [each.file for each in found[: max(0, len(found) - number)]]
    for file in gone:
        file.unlink(missing_ok=True)
    return gone
