"""Backups and `pbem restore`, killed before each step that writes: a file, a name, a folder or a database."""

import itertools
import os
import signal
import stat
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import structlog

from pbem import config
from pbem.cli.command_index import app
from pbem.server.backups import Backups
from pbem.storage import database
from tests import databases
from tests.operating.daemons import Site
from tests.operating.places import backup, everything, filled, place, restore
from tests.reliability.processes import is_killed

START = datetime(2026, 11, 23, 3, 15, tzinfo=UTC)
WRITING = {
    *("os.mkdir", "os.link", "os.rename", "os.remove", "os.rmdir", "os.chmod", "os.chown"),
    *("tempfile.mkdtemp", "sqlite3.connect", "subprocess.Popen", "shutil.rmtree"),
}


def killed(words: list[str], variables: dict[str, str], nth: int) -> bool:
    """Run a command and kill it before its nth step that writes; return whether it got there."""
    return is_killed(_run, words, variables, nth)


def _run(words: list[str], variables: dict[str, str], nth: int) -> None:
    os.environ.update(variables)
    with Path(os.devnull).open("w", encoding="ascii") as nowhere:
        sys.stdout = sys.stderr = nowhere
        _kill_before(nth)
        app(words)


def _make_by_itself(config_file: Path, now: datetime, nth: int) -> None:
    """Make a backup as a server does by itself."""
    settings = config.load(config_file)
    engine = database.connect(settings.server.database)
    structlog.configure(logger_factory=structlog.ReturnLoggerFactory())
    _kill_before(nth)
    assert Backups(engine, settings, lambda: now).step() == 1
    os._exit(0)


def _kill_before(nth: int) -> None:
    os.umask(0o022)
    numbers = itertools.count(1)

    def watch(event: str, given: tuple[Any, ...]) -> None:
        if event == "open":
            writes = isinstance(given[2], int) and given[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
            is_step = bool(writes) and not str(given[0]).startswith(("/dev", "/proc"))
        else:
            is_step = event in WRITING
        if is_step and next(numbers) == nth:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)


def drafts(*folders: Path) -> list[Path]:
    return [path for folder in folders for path in folder.rglob(".pbem-draft-*")]


def nothing_is_open_to_others(*folders: Path) -> bool:
    """Whether all that the killed command made is closed to others, or is in a folder that is."""
    return all(
        stat.S_IMODE(path.stat().st_mode) & 0o077 == 0
        for folder in folders
        for path in (*folder.glob("*.tar.gz"), *folder.rglob(".pbem-draft-*"))
    )


def test_a_backup_that_is_killed_anywhere_leaves_nothing_half_made(site: Site, tmp_path: Path) -> None:
    filled(site)
    folder = tmp_path / "backups"
    folder.mkdir()
    older = folder / "older.tar.gz"
    backup(site).rename(older)
    before = older.read_bytes()
    file, deaths = folder / "new.tar.gz", 0
    variables = {"PBEM_CONFIG": str(site.config)}
    while killed(["backup", str(file)], variables, deaths + 1):
        deaths += 1
        assert older.read_bytes() == before
        assert nothing_is_open_to_others(folder)
        assert len(drafts(folder)) <= 1, "the next one removes what is left of the one before"
        if file.exists():
            assert restore_elsewhere(site, file, tmp_path / f"of{deaths}") == 0
            file.unlink()
    assert deaths > 8
    assert not drafts(folder)


def restore_elsewhere(site: Site, file: Path, folder: Path) -> int:
    return restore(place(site, folder), file).code


def test_a_backup_of_a_server_that_is_killed_anywhere_costs_no_older_one(site: Site, tmp_path: Path) -> None:
    filled(site)
    site.config.write_text(f'{site.config.read_text()}\n[backup]\nfolder = "backups"\nkeep = 2\n')
    folder, number, now = site.folder / "backups", 0, START
    for _ in range(2):
        assert not is_killed(_make_by_itself, site.config, now, sys.maxsize)
        now += timedelta(days=1)
    while True:
        number += 1
        before = {path: path.read_bytes() for path in folder.glob("*.tar.gz")}
        was_killed = is_killed(_make_by_itself, site.config, now, number)
        now += timedelta(days=1)
        left = {path: path.read_bytes() for path in folder.glob("*.tar.gz")}
        if not was_killed:
            break
        assert nothing_is_open_to_others(folder)
        assert len(drafts(folder)) <= 1, "the next one removes what is left of the one before"
        lost, new = {*before} - {*left}, {*left} - {*before}
        assert all(left[path] == before[path] for path in {*left} & {*before})
        assert len(lost) <= max(0, len(before) + len(new) - 2), "only a new one that is whole replaces an old one"
        for path in new:
            assert restore_elsewhere(site, path, tmp_path / f"by_itself{number}") == 0
    assert number > 8
    assert len(left) == 2
    assert not drafts(folder)


def test_a_restore_that_is_killed_anywhere_starts_no_server_and_can_be_made_again(site: Site, tmp_path: Path) -> None:
    filled(site)
    file, before = backup(site), everything(site.database)
    starts = refusals = deaths = 0
    while True:
        other = place(site, tmp_path / f"place{deaths}")
        variables = {"PBEM_CONFIG": str(other.config), "PBEM_SERVER__DATABASE": other.database}
        if not killed(["restore", str(file)], variables, deaths + 1):
            break
        deaths += 1
        assert nothing_is_open_to_others(other.folder)
        key = other.folder / "pbem.key"
        assert not key.exists() or stat.S_IMODE(key.stat().st_mode) == 0o600
        is_whole = False
        if other.config.exists():
            done = other.pbem("run", "--once", **variables)
            is_whole = done.code == 0
            assert is_whole or "run it again" in done.err or "can't be read" in done.err, (deaths, done.said)
            starts, refusals = starts + is_whole, refusals + (not is_whole)
        if not is_whole:
            again = restore(other, file)
            assert again.code == 0, (deaths, again.said)
            assert not drafts(other.folder), deaths
        found = everything(other.database)
        assert all(found[name] == before[name] for name in ("player", "match", "ply")), deaths
    assert deaths > 15
    assert refusals
    assert starts or databases.kind() == "postgresql", "there, nothing is written after the mark is gone"
