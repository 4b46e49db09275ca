"""`pbem backup` and `pbem restore`: all that a server has, in one file, from there into an empty place."""

import io
import json
import resource
import signal
import stat
import tarfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, text
from sqlmodel import select
from structlog.testing import capture_logs

from pbem import config
from pbem.failpoints import Step
from pbem.server import alerts, figures
from pbem.server.backups import EVERY, FORMAT, Backups, copy_database, run_program
from pbem.storage import atomic_files, database
from pbem.storage.models import Outgoing
from tests import databases
from tests.operating.places import backup, everything, filled, place, restore
from tests.operating.site import KEY, Site, rows

SQLITE = databases.kind() == "sqlite"
SQLITE_ONLY = pytest.mark.skipif(not SQLITE, reason="it is about files")
PASSWORD = "hunter2-and-more"
START = datetime(2026, 11, 23, 3, 15, tzinfo=UTC)
Members = list[tuple[tarfile.TarInfo, bytes]]


def names(file: Path) -> list[str]:
    with tarfile.open(file) as tar:
        return tar.getnames()


def manifest(file: Path) -> dict[str, Any]:
    with tarfile.open(file) as tar:
        opened = tar.extractfile("manifest.json")
        assert opened
        found: dict[str, Any] = json.load(opened)
        return found


# There and back


def test_what_is_restored_is_what_was_there_and_goes_on(site: Site, tmp_path: Path) -> None:
    moves = filled(site)
    other = place(site, tmp_path / "other")
    file = backup(site)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert names(file)[:3] == ["manifest.json", "pbem.toml", "secrets/server.key"]
    assert manifest(file)["revision"] == database.newest_revision()
    before = everything(site.database)
    done = restore(other, file)
    assert done.code == 0, done.said
    assert done.out.endswith("4 matches replayed, 0 problems\n")
    assert everything(other.database) == before
    assert len(before["ply"]) == 18
    assert other.config.read_text() == site.config.read_text()
    assert (other.folder / "pbem.key").read_text() == KEY
    for path in other.folder.rglob("*"):
        mode = 0o644 if path == other.config else 0o600  # a server that runs as another user reads the former
        assert path.is_dir() or path.name.endswith(".lock") or stat.S_IMODE(path.stat().st_mode) == mode, path
    (other.folder / "in" / "new").mkdir(parents=True)
    (other.folder / "in" / "new" / "1.test").write_bytes(moves[2].raw)
    assert other.run_once(PBEM_SERVER__DATABASE=other.database)[:2] == [1, 1]
    (last,) = other.rows("select number, text from ply where match = :match order by number desc limit 1", match=3)
    assert last == (moves[2].ply, moves[2].text)


def test_a_backup_is_one_state_however_much_is_written_meanwhile(site: Site, tmp_path: Path) -> None:
    filled(site)
    engine, number = database.connect(site.database), 0
    written, is_over = threading.Semaphore(0), threading.Event()

    def write() -> None:
        while not is_over.is_set():
            with database.transaction(engine) as session:
                session.connection().execute(text("update match set plies = plies + 1000"))
                session.connection().execute(text("update ply set number = number + 1000"))
            written.release()

    writer = threading.Thread(target=write)
    writer.start()
    try:
        while number < 3 or not written.acquire(blocking=False):
            number += 1
            revision, schema = copy_database(engine, tmp_path / f"copy{number}")
    finally:
        is_over.set()
        writer.join()
        engine.dispose()
    assert revision == database.newest_revision()
    copy = database.connect(
        f"sqlite:///{tmp_path}/copy{number}" if SQLITE else place(site, tmp_path / "other").database
    )
    if not SQLITE:
        with (tmp_path / f"copy{number}").open("rb") as file:
            run_program("pg_restore", f"-n{schema}", engine=copy, given=file)
    found = rows(copy, "select match.plies, max(number) from match join ply on ply.match = match.id group by match.id")
    copy.dispose()
    assert sorted(plies == count for plies, count in found) == [True] * 3, "nothing or all of what was written"


def test_a_secret_in_a_file_is_in_a_backup(site: Site) -> None:
    (site.folder / "imap.password").write_text(f"{PASSWORD}\n")
    site.configure(inbox='[inbox.imap]\nhost = "h"\nusername = "u"\npassword = { file = "imap.password" }\n')
    assert "secrets/inbox.imap.password" in names(backup(site))


def test_restoring_uses_the_configuration_that_is_there(site: Site, tmp_path: Path) -> None:
    file = backup(site)
    other = place(site, tmp_path / "other")
    other.folder.mkdir()
    text = site.config.read_text().replace("pbem.key", "new.key").replace("games@", "play@")
    other.config.write_text(text)
    done = restore(other, file)
    assert done.code == 0, done.said
    assert other.config.read_text() == text
    assert (other.folder / "new.key").read_text() == KEY
    assert f"wrote {other.folder}/new.key\n" in done.out
    assert "to do: correct address in [server], unless play@pbem.example is meant: players' replies to" in done.out


def test_messages_since_a_backup_arrive_again_and_nothing_is_doubled(site: Site, tmp_path: Path) -> None:
    moves = filled(site)
    site.drop(moves[1].raw)
    assert site.run_once()[:2] == [1, 1]
    file, other = backup(site), place(site, tmp_path / "other")
    site.drop(moves[2].raw, moves[3].raw)
    assert site.run_once()[:2] == [2, 2]
    turns = "select match, number, text from ply order by match, number"

    assert restore(other, file).code == 0
    for _ in range(2):
        other.drop(*(move.raw for move in moves[1:]))
        other.run_once(PBEM_SERVER__DATABASE=other.database)
        assert other.rows(turns) == site.rows(turns)
    assert other.rows("select count(*) from incoming") == site.rows("select count(*) from incoming") == [3]


def test_a_backup_is_tried_beside_the_server_and_nothing_changes(site: Site) -> None:
    filled(site)
    file = backup(site)
    before = {path: path.stat().st_mtime_ns for path in site.folder.rglob("*")}
    done = site.pbem("restore", str(file), "--check")
    assert (done.code, "made by pbem" in done.out) == (0, True), done.said
    assert done.out.endswith("4 matches replayed, 0 problems\n" if SQLITE else "into an empty database\n")
    assert {path: path.stat().st_mtime_ns for path in site.folder.rglob("*")} == before
    if SQLITE:
        broken = rewritten(file, another_key)
        assert "isn't the key of this database" in site.pbem("restore", str(broken), "--check").err


# Refusals


def rewritten(file: Path, change: Callable[[Members], None]) -> Path:
    """Return another archive with the files changed."""
    with tarfile.open(file) as tar:
        members = [(member, opened.read() if (opened := tar.extractfile(member)) else b"") for member in tar]
    change(members)
    changed = file.with_name("changed.tar.gz")
    with tarfile.open(changed, "w:gz") as tar:
        for member, content in members:
            member.size = len(content)
            tar.addfile(member, io.BytesIO(content))
    return changed


def manifest_with(**values: object) -> Callable[[Members], None]:
    def change(members: Members) -> None:
        header, content = members[0]
        members[0] = header, json.dumps({**json.loads(content), **values}).encode()

    return change


def lead_out(members: Members) -> None:
    for name in ("../evil", "secrets/../../evil", "/tmp/evil", "evil"):
        members.append((tarfile.TarInfo(name), b""))
    members[-1][0].type, members[-1][0].linkname = tarfile.SYMTYPE, "/etc"


def another_key(members: Members) -> None:
    members[2] = members[2][0], b"another key of a server\n"


def become_a_link(members: Members) -> None:
    members[-1] = members[-1][0], b""
    members[-1][0].type, members[-1][0].linkname = tarfile.SYMTYPE, "/etc/passwd"


REFUSED: list[tuple[Callable[[Members], object], str]] = [
    (manifest_with(format=FORMAT + 1), "it was made by a newer version of pbem, which makes backups of another"),
    (
        manifest_with(revision="0031", version="0.1.0"),
        "it was made by pbem 0.1.0: the database is at revision 0031 of an early version: run pbem of",
    ),
    (
        manifest_with(revision="9999", version="9.0"),
        "it was made by pbem 9.0: the database was made by another version of pbem, which numbers",
    ),
    (manifest_with(kind="oracle"), "its manifest can't be read"),
    (lambda members: members.pop(0), "its manifest can't be read"),
    (lambda members: members.pop(-1), " is missing in it"),
    (become_a_link, " is missing in it"),
]


def test_what_is_no_backup_of_ours_is_refused_and_changes_nothing(site: Site, tmp_path: Path) -> None:
    file = backup(site)
    other = place(site, tmp_path / "other")
    for change, sentence in REFUSED:
        changed = rewritten(file, change)
        done = restore(other, changed)
        assert done.code == 2
        assert done.err.startswith(f"pbem: {changed} can't be restored: ")
        assert sentence in done.err
        assert [path for path in other.folder.rglob("*") if path.is_file()] == []


def test_no_name_in_a_backup_leads_out_of_the_place(site: Site, tmp_path: Path) -> None:
    other = place(site, tmp_path / "other")
    assert restore(other, rewritten(backup(site), lead_out)).code == 0
    assert not list(tmp_path.rglob("evil"))
    assert not Path("/tmp/evil").exists()


def test_a_damaged_backup_is_refused_and_changes_nothing(site: Site, tmp_path: Path) -> None:
    raw = backup(site).read_bytes()
    other = place(site, tmp_path / "other")
    for at in (0, 30, len(raw) // 5, len(raw) // 2, len(raw) * 9 // 10):
        for damaged in (raw[:at], raw[:at] + bytes([raw[at] ^ 0x55]) + raw[at + 1 :]):
            (site.folder / "damaged.tar.gz").write_bytes(damaged)
            done = restore(other, site.folder / "damaged.tar.gz")
            assert (done.code, "can't be restored: " in done.err) == (2, True), at
            assert [path for path in other.folder.rglob("*") if path.is_file()] == []


def test_a_place_that_is_not_empty_is_left_alone(site: Site, tmp_path: Path) -> None:
    filled(site)
    file = backup(site)
    before = everything(site.database)
    done = site.pbem("restore", str(file))
    assert done.code == 2
    assert "can't be restored: " in done.err
    assert ("there is a database at" if SQLITE else "tables already") in done.err
    assert everything(site.database) == before
    other = place(site, tmp_path / "other")
    other.folder.mkdir()
    (other.folder / "pbem.key").write_text("another\n")
    done = restore(other, file)
    assert done.code == 2
    assert f"{other.folder}/pbem.key isn't what the backup has, and nothing is overwritten" in done.err
    assert sorted(path.name for path in other.folder.iterdir()) == ["pbem.key"]


@SQLITE_ONLY
def test_a_place_with_a_part_of_a_database_or_a_server_is_left_alone(site: Site, tmp_path: Path) -> None:
    file = backup(site)
    other = place(site, tmp_path / "other")
    other.folder.mkdir()
    with database.alone(other.database):
        assert "another daemon" in restore(other, file).err
    (other.folder / "pbem.sqlite").unlink()
    (other.folder / "pbem.sqlite-wal").write_bytes(b"x")  # SQLite would take it for a part of the restored database
    assert f"there is a database at {other.folder}/pbem.sqlite-wal" in restore(other, file).err
    url = "postgresql+psycopg://nobody@127.0.0.1:1/none"
    assert (
        "the database in it is one of sqlite, and the configuration has one of postgresql"
        in other.pbem("restore", str(file), PBEM_SERVER__DATABASE=url).err
    )


# Crashes


@contextmanager
def room_for_files_of(number: int) -> Iterator[None]:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (number, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_where_there_is_no_room_nothing_stays_and_it_can_be_done_again(site: Site, tmp_path: Path) -> None:
    filled(site)
    file, more, other = backup(site), site.folder / "more.tar.gz", place(site, tmp_path / "other")
    with room_for_files_of(100_000 if SQLITE else 20_000):
        done = site.pbem("backup", str(more))
        assert (done.code, f"{more} is not made: " in done.err) == (2, True), done.said
        assert restore(other, file).code == (2 if SQLITE else 0), "into PostgreSQL it goes through a pipe"
    assert not more.exists()
    assert not list(tmp_path.rglob(".pbem-draft-*"))
    assert not SQLITE or restore(other, file).code == 0
    assert everything(other.database) == everything(site.database)


def test_a_restore_that_is_killed_can_be_made_again(site: Site, tmp_path: Path) -> None:
    filled(site)
    file = backup(site)
    other = place(site, tmp_path / "other")
    variables = {"PBEM_CONFIG": str(other.config), "PBEM_SERVER__DATABASE": other.database}
    done = site.process("restore", str(file), PBEM_FAILPOINT=Step.RESTORING, **variables)
    assert done.code == -signal.SIGKILL
    assert (other.folder / "pbem.key").exists()
    half = str(other.folder / "half.tar")
    for words in (("run", "--once"), ("check",), ("player", "list"), ("backup", half)):
        refused = other.pbem(*words, PBEM_SERVER__DATABASE=other.database)
        assert (refused.code, refused.out) == (2, ""), words
        assert ('if "pbem restore" was interrupted, run it again' in refused.err) != (words[0] == "backup"), words
    assert restore(other, file).code == 0
    assert everything(other.database) == everything(site.database)
    assert not list(other.folder.glob(".pbem-draft-*"))


# By itself


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now


def scheduled(site: Site, clock: Clock, engine: Engine, **settings: object) -> Backups:
    """Return what makes backups, with such settings."""
    loaded = config.load(site.config)
    wanted = config.BackupSettings.model_validate({"folder": site.folder / "backups"} | settings)
    return Backups(engine, loaded.model_copy(update={"backup": wanted}), clock)


@pytest.fixture
def engine(site: Site) -> Any:
    engine = database.connect(site.database)
    yield engine
    engine.dispose()


def test_a_server_makes_backups_and_keeps_some(site: Site, engine: Engine) -> None:
    clock = Clock()
    backups = scheduled(site, clock, engine, keep=2)
    others = ["notes.txt", "pbem-else@pbem.example-20200101.tar.gz", "pbem-games@pbem.example-2020.tar.gz"]
    (site.folder / "backups").mkdir()
    for name in others:
        (site.folder / "backups" / name).touch()
    made = []
    for _ in range(73):
        made.append(backups.step())
        clock.now += timedelta(hours=1)
    assert [hour for hour, is_made in enumerate(made) if is_made] == [0, 21, 45, 69], "at midnight"
    files = sorted(path.name for path in (site.folder / "backups").iterdir())
    ours = ["pbem-games@pbem.example-20261125.tar.gz", "pbem-games@pbem.example-20261126.tar.gz"]
    assert files == sorted(others + ours)
    assert "secrets/server.key" in names(site.folder / "backups" / ours[0])


def test_one_of_several_daemons_makes_it(site: Site, engine: Engine) -> None:
    clock = Clock()
    daemons = [scheduled(site, clock, engine) for _ in range(2)]
    (site.folder / "backups").mkdir()
    with ThreadPoolExecutor() as pool, atomic_files.locked(site.folder / "backups"):
        made = [pool.submit(daemon.step) for daemon in daemons]
    assert sorted(each.result() for each in made) == [0, 1]
    assert daemons[0].step() + daemons[1].step() == 0
    clock.now += EVERY
    assert daemons[1].step() + daemons[0].step() == 1


def test_a_backup_that_fails_is_tried_ever_less_often_and_told_once(site: Site, engine: Engine) -> None:
    clock = Clock()
    backups = scheduled(site, clock, engine)
    (site.folder / "backups").touch()  # no folder can be made there
    admin = backups.settings.server.model_copy(update={"admin": "root@pbem.example"})
    tried, told = [], []
    with capture_logs() as logged:
        for minute in range(3 * 60):
            assert backups.step() == 0
            tried += [minute] * sum(line["event"] == "the backup failed" for line in logged)
            logged.clear()
            if alerts.tell(engine, admin, clock.now):
                told.append(minute)
            clock.now += timedelta(minutes=1)
    assert (tried, told) == ([0, 1, 3, 7, 15, 31, 63, 123], [3])
    with site.server() as server, database.read_only(engine) as session:
        (raw,) = server.renderer.render(session, [session.exec(select(Outgoing)).one()])
        wrong = [*figures.problems(figures.of_database(session, clock.now, backups.settings))]
    assert b"looks at the folder of [backup]" in raw
    assert wrong[0].startswith("scheduled work fails (backups)")
    (site.folder / "backups").unlink()
    clock.now += timedelta(hours=1)
    assert backups.step() == 1
    assert site.rows("select count(*) from setback") == [0]
    assert not alerts.tell(engine, admin, clock.now + timedelta(hours=2))
