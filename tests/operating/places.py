"""A site with matches, its backups, and the empty places that they are restored into."""

from pathlib import Path
from typing import Any

from sqlalchemy import Table
from sqlmodel import SQLModel

from pbem.storage import database
from tests import databases
from tests.operating.matches import NextMove, in_play
from tests.operating.site import Done, Site, rows
from tests.postgres import running


def filled(site: Site, number: int = 4) -> list[NextMove]:
    """Put matches into the database, at several depths. Return their next turns."""
    with site.server() as server:
        return in_play(server, number, lambda match: 3 * match)


def place(site: Site, folder: Path) -> Site:
    """Return an empty place for a backup of that server: another folder, and on PostgreSQL another database."""
    other = Site.__new__(Site)
    other.folder, other.config, other.address = folder, folder / "pbem.toml", site.address
    if databases.kind() == "sqlite":
        other.database = f"sqlite:///{folder}/pbem.sqlite"
    else:
        other.database = running().elsewhere(site.database)
    return other


def backup(site: Site, *words: str, name: str = "all.tar.gz") -> Path:
    """Make a backup of the site. Return its file."""
    done = site.pbem("backup", str(site.folder / name), *words)
    assert done.code == 0, done.said
    return site.folder / name


def restore(site: Site, file: Path) -> Done:
    """Restore it; the environment names the database, since the configuration in the backup names another one."""
    return site.pbem("restore", str(file), PBEM_SERVER__DATABASE=site.database)


def everything(url: str) -> dict[str, list[Any]]:
    """Return all rows of all tables, in order."""
    engine = database.connect(url)
    try:
        return {
            table.name: rows(engine, f'select * from "{table.name}" order by {", ".join(_key(table))}')
            for table in SQLModel.metadata.sorted_tables
            if len(table.columns) > 1
        }
    finally:
        engine.dispose()


def _key(table: Table) -> list[str]:
    return [f'"{column.name}"' for column in table.primary_key]
