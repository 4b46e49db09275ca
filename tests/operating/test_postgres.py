"""The same conversation on a real PostgreSQL: any database that SQLAlchemy knows will do."""

import os
import pwd
import re
import shutil
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import create_engine
from sqlalchemy import text as sql

from pbem import database
from pbem.check import faults, played
from pbem.models import OutgoingState
from tests.correspondence import correspondence, text
from tests.docs.pages import ROOT
from tests.pbem.test_digest import NOON, PEOPLE, begin, command, gather_at_once, rows
from tests.servers import HOST, free_port, missing
from tests.stories.test_stories import STORIES
from tests.stories.transcript import transcript


def _programs() -> Path | None:
    """Where initdb and pg_ctl are; Debian keeps them out of the path."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"))
    on_path = shutil.which("pg_ctl")
    return found[-1].parent if found else Path(on_path).parent if on_path else None


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    """The URL of a PostgreSQL of our own; it refuses to be run by root."""
    programs = _programs()
    if programs is None:
        missing("PostgreSQL", "postgresql")
        raise AssertionError
    folder, port = Path(tempfile.mkdtemp(prefix="pg")), free_port()
    as_other = ["runuser", "-u", "nobody", "--"] if os.geteuid() == 0 else []
    if as_other:
        os.chown(folder, pwd.getpwnam("nobody").pw_uid, -1)

    def run(program: str, *words: str) -> None:
        command = [*as_other, str(programs / program), "-D", str(folder / "data"), *words]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd=folder)

    run("initdb", "-A", "trust", "-U", "pbem", "-E", "UTF8")
    run("pg_ctl", "-w", "-l", str(folder / "log"), "-o", f"-k {folder} -p {port} -h {HOST}", "start")
    try:
        yield f"postgresql+psycopg://pbem@{HOST}:{port}/postgres"
    finally:
        run("pg_ctl", "-m", "immediate", "stop")
        shutil.rmtree(folder)


def test_a_match_by_mail_is_the_same_on_postgresql(postgres: str, tmp_path: Path) -> None:
    with correspondence(tmp_path / "pg", database=postgres) as letters:
        STORIES["to_the_end"](letters)
        on_postgres = [text(mail) for way, mail in letters.log if way == "out" and "#1" in str(mail["Subject"])]
        assert database.is_current(letters.works.engine)
        with database.transaction(letters.works.engine) as session:
            matches = played(session)
            assert [list(faults(session, match)) for match in matches] == [[]]
        with letters.works.engine.connect() as connection:
            assert connection.execute(sql("select count(*) from ply")).scalar_one() == 25
    with correspondence(tmp_path / "sqlite") as letters:
        STORIES["to_the_end"](letters)
        on_sqlite = [text(mail) for way, mail in letters.log if way == "out" and "#1" in str(mail["Subject"])]

    assert on_postgres == on_sqlite


@pytest.fixture
def empty(postgres: str) -> str:
    """A database of its own on that PostgreSQL."""
    name = f"pbem_{uuid.uuid4().hex}"
    engine = create_engine(postgres, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(sql(f"create database {name}"))
    engine.dispose()
    return postgres.rpartition("/")[0] + f"/{name}"


def test_of_several_daemons_that_gather_at_once_one_does(empty: str, tmp_path: Path) -> None:
    with correspondence(tmp_path, database=empty) as letters:
        letters.clock.set(NOON)
        begin(letters)
        for name in PEOPLE:
            command(letters, name, "set mail batch")
        command(letters, "alice", "set mail batch")
        for word in ("One", "Two"):
            for number, name in enumerate(PEOPLE, start=1):
                command(letters, name, f"#{number} say {word}")
                command(letters, "alice", f"#{number} say {word}")

        # One that finds a player's row taken goes on; what it left out is gathered by the other, once.
        assert gather_at_once(letters.works.engine, letters.works.settings.server, NOON + timedelta(hours=1)) == 4
        assert len(rows(letters, OutgoingState.TOLD)) == 12
        assert [row.template for row in rows(letters, OutgoingState.OWED)] == ["digest"] * 4
        letters.clock.advance(hours=1)
        told = [re.findall(r"\| (One|Two)\b", text(mail)) for mail in letters.wait(minutes=0)]
        assert sorted(told, key=len) == [["One", "Two"]] * 3 + [["One", "Two"] * 3]


@pytest.mark.parametrize("name", ["daily", "stopped"])
def test_news_wait_on_postgresql_as_they_do_elsewhere(name: str, empty: str, tmp_path: Path) -> None:
    with correspondence(tmp_path, database=empty) as letters:
        STORIES[name](letters)
    golden = (ROOT / "tests" / "stories" / f"{name}.txt").read_text(encoding="utf-8")

    assert unnumbered(transcript(letters)) == unnumbered(golden)


def unnumbered(told: str) -> str:
    """A transcript without the numbers of rows, of which PostgreSQL leaves some out."""
    return re.sub(r" player \d+ \d+\.", " player . .", told)
