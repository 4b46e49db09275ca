"""The same conversation on a real PostgreSQL: any database that SQLAlchemy knows will do."""

import re
from datetime import timedelta
from pathlib import Path

import pytest
from sqlalchemy import text as sql

from pbem import database
from pbem.check import faults, played
from pbem.models import OutgoingState
from tests.correspondence import correspondence, text
from tests.docs.pages import ROOT
from tests.pbem.test_digest import NOON, PEOPLE, begin, command, gather_at_once, rows
from tests.postgres import Postgres
from tests.stories.test_stories import STORIES
from tests.stories.transcript import transcript


def test_a_match_by_mail_is_the_same_on_postgresql(postgres: Postgres, tmp_path: Path) -> None:
    with correspondence(tmp_path / "pg", database=postgres.database()) as letters:
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
def empty(postgres: Postgres) -> str:
    """A place of its own on that PostgreSQL."""
    return postgres.database()


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
