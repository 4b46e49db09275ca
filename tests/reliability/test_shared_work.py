"""Several daemons on one PostgreSQL share the work: each mail is handled once, those of a match in their order."""

import re
from datetime import timedelta
from pathlib import Path

import pytest

from pbem.models import OutgoingState
from tests.correspondence import correspondence, text
from tests.pbem.test_digest import NOON, PEOPLE, begin, command, gather_at_once, rows
from tests.postgres import Postgres


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
