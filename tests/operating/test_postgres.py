"""The same conversation on a real PostgreSQL: any database that SQLAlchemy knows will do."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import text as sql

from pbem import database
from pbem.check import faults, played
from tests.correspondence import correspondence, text
from tests.servers import HOST, free_port, missing
from tests.stories.test_stories import STORIES


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
