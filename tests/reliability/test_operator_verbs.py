"""Operator commands killed after any SQL statement have done nothing and can be repeated."""

import itertools
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event, inspect, text

from pbem.cli.command_index import app
from pbem.storage import database
from tests.operating.early_tables import LESS
from tests.operating.people import written
from tests.postgres import Postgres
from tests.reliability.conftest import Stage
from tests.reliability.effects import effects
from tests.reliability.plots import O, Rehearsal, X
from tests.reliability.processes import is_killed
from tests.reliability.scene import Letter

PEOPLE = (
    "insert into player (name, address, epoch, created) values ('ann', 'ann@mail.example', 3, '2007-01-01 00:00:00')"
)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """Return an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path}/pbem.sqlite"
    server: Postgres = request.getfixturevalue("postgres")
    return server.database()


@pytest.mark.parametrize(
    ("revision", "step"), [(None, 7), ("1.0011", 1), pytest.param(None, 1, marks=pytest.mark.soak)]
)
def test_an_upgrade_that_is_killed_anywhere_has_done_nothing_and_can_be_made_again(
    url: str, revision: str | None, step: int
) -> None:
    """Of an empty database after every 7th statement: each death costs as much as an upgrade up to there."""
    if revision is not None:
        begin_with_former_tables(url)
    before = tables(url)
    deaths, statement = 0, 1
    while is_killed(_upgrade, url, statement):
        assert tables(url) == before, f"after statement {statement}"
        deaths, statement = deaths + 1, statement + step
    assert deaths > (10 if revision is None else 1), "deaths all along the migrations"
    engine = database.connect(url)
    database.require_current(engine)
    with engine.connect() as connection:
        found = connection.execute(text("select name, epoch from player")).all()
    assert found == ([] if revision is None else [("ann", 3)])
    engine.dispose()


def shunted(rehearsal: Rehearsal) -> None:
    """Create a message that waits for the operator."""
    rehearsal.hand_in(Letter(X, to := rehearsal.next_move.to, written(X, to, "games")))
    rehearsal.scene.rows("update incoming set state = 'shunted', attempts = 3, verdict = 'a bug', error = 'a bug'")


def failed(rehearsal: Rehearsal) -> None:
    """Create a message of ours that was never accepted."""
    rehearsal.say(X, rehearsal.next_move.to, "games")
    rehearsal.scene.rows("update outgoing set state = 'failed', sent = null, error = '550'")


def unreachable(rehearsal: Rehearsal) -> None:
    """Create a player whose address bounces and whose messages are suspended."""
    rehearsal.say(X, rehearsal.next_move.to, rehearsal.next_move.text)
    rehearsal.scene.rows("update player set bounces = 3, unreachable = created where address = :o", o=O)
    rehearsal.scene.rows("update outgoing set state = 'suspended', sent = null where address = :o", o=O)


def quiet(rehearsal: Rehearsal) -> None:
    """Change nothing."""


VERBS = {
    "mail retry": (shunted, ["mail", "retry", "1"]),
    "mail retry out": (failed, ["mail", "retry", "out", "1"]),
    "player bounced --again": (unreachable, ["player", "bounced", "--again", "o0"]),
    "player revoke": (quiet, ["player", "revoke", "x0"]),
}


@pytest.mark.parametrize("database", ["sqlite", pytest.param("postgresql", marks=pytest.mark.soak)])
@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_that_is_killed_anywhere_has_done_nothing_and_can_be_repeated(
    stage: Stage, verb: str, database: str
) -> None:
    prepare, words = VERBS[verb]
    scene = stage("lmtp", database)
    with scene.server() as server:
        prepare(Rehearsal(scene, server))
    before = effects(scene)
    command_line = [*words, "--config", str(scene.site.config)]
    killed = 0
    while is_killed(_run, command_line, scene.environment, killed + 1):
        killed += 1
        assert effects(scene) == before, f"after statement {killed}"
    assert killed > 2
    assert effects(scene) != before


def begin_with_former_tables(url: str) -> None:
    """Create the oldest tables that can be upgraded."""
    engine = database.connect(url)
    database.upgrade(engine)
    with engine.begin() as connection:
        for statement in (PEOPLE, *LESS.split(";")):
            connection.execute(text(statement))
    engine.dispose()


def tables(url: str) -> dict[str, list[str]]:
    """Return the columns and indexes of each table, and the revision."""
    engine = database.connect(url)
    look = inspect(engine)
    found = {
        name: [str(column["name"]) for column in look.get_columns(name)]
        + sorted(str(index["name"]) for index in look.get_indexes(name))
        for name in look.get_table_names()
    }
    with engine.connect() as connection:
        found["revision"] = [str(database.revision(connection))]
    engine.dispose()
    return found


def _upgrade(url: str, statement: int) -> None:
    _die_after(statement)
    database.upgrade(database.connect(url))


def _run(words: list[str], environment: dict[str, str], statement: int) -> None:
    os.environ.update(environment)
    _die_after(statement)
    app(words)


def _die_after(statement: int) -> None:
    """Kill this process once that many statements have reached a database."""
    numbers = itertools.count(1)

    @event.listens_for(Engine, "after_cursor_execute")
    def count(*_: Any) -> None:
        if next(numbers) == statement:
            os.kill(os.getpid(), signal.SIGKILL)
