"""No query on a message's way reads a whole table that grows: the database is asked for the plan of each."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, create_engine, event

from pbem.storage import database
from pbem.storage.models import IncomingState, Outgoing, OutgoingState
from pbem.storage.retention import INCOMING, OUTGOING, Rule
from tests import databases
from tests.correspondence import Correspondence, correspondence
from tests.crowd import fill
from tests.postgres import running
from tests.stories.test_stories import STORIES

GROWING = {"incoming", "outgoing", "ply", "match", "player", "mention"}
MAY_BE_MANY = {*OutgoingState, *IncomingState} - {
    *(state for rules in (INCOMING, OUTGOING) for state, rule in rules.items() if rule is Rule.IN_WORK)
}
"""States in which years of messages may be: an index on the state alone is as bad as none."""
BY_STATE = re.compile(r"USING INDEX ix_(?:incoming|outgoing)_state \(state=\?\)")
QUICK = {"first_match", "unproven", "looking", "batch", "addresses"}
CROWD = 2_000
"""So many matches tell PostgreSQL that reading whole tables is slow."""

Statements = dict[str, Any]
"""Each statement with the parameters of one time."""


@contextmanager
def listened(engine: Engine) -> Iterator[Statements]:
    """Note every statement that reads."""
    found: Statements = {}

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, _context: Any, many: bool) -> None:
        if statement.split(None, 1)[0].lower() in ("select", "update", "delete") and not many:
            found.setdefault(statement, parameters)

    event.listen(engine, "before_cursor_execute", note)
    yield found
    event.remove(engine, "before_cursor_execute", note)


def stranger(letters: Correspondence) -> None:
    """Somebody new asks, and a player asks for everything that is held on them."""
    letters.match()
    for name in ("erin", "frank"):
        letters.write(f"{name}@elsewhere.example", "help")
    letters.reply(letters.last("bob"), "export me")


TOLD = [stranger, *STORIES.values()]


@pytest.mark.parametrize(
    "story",
    [pytest.param(story, marks=() if story.__name__ in QUICK | {"stranger"} else pytest.mark.slow) for story in TOLD],
    ids=lambda story: story.__name__,
)
def test_no_query_of_a_conversation_reads_a_growing_table(
    tmp_path: Path, story: Callable[[Correspondence], None]
) -> None:
    with (
        correspondence(tmp_path) as letters,
        listened(letters.server.engine) as statements,
    ):
        story(letters)
        if databases.kind() == "sqlite":
            scans = scans_of_sqlite(letters.server.engine, statements)
        else:
            with crowded() as engine:
                scans = scans_of_postgresql(engine, statements)
    assert len(statements) > 10
    assert scans == {}


def test_a_scan_is_found(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters, listened(letters.server.engine) as statements:
        letters.execute("select id from outgoing where address like '%@mail.example'")
        if databases.kind() == "sqlite":
            scans = scans_of_sqlite(letters.server.engine, statements)
        else:
            with crowded() as engine:
                scans = scans_of_postgresql(engine, statements)
    assert len(scans) == 1


@pytest.mark.skipif(databases.kind() != "sqlite", reason="the work of SQLite can be counted")
def test_rows_that_wait_for_somebody_slow_no_message(tmp_path: Path) -> None:
    """Failed messages for the admin, news for a player who has stopped it, and messages to one who can't be reached."""
    with correspondence(tmp_path, server='admin = "admin@pbem.example"') as letters:
        letters.match()
        letters.join("carol")
        letters.execute("update player set stopped = created where name = 'carol'")
        letters.execute("update outgoing set state = 'failed', troubled = due where id = 1")
        letters.write("alice@mail.example", "help")
        before = work(letters)
        columns = ", ".join(f'"{name}"' for name in Outgoing.model_fields if name not in ("id", "message_id", "state"))
        for state in ("failed", "paused", "suspended"):
            letters.execute(
                f"insert into outgoing (message_id, state, {columns}) with recursive n(i) as"
                f" (select 1 union all select i + 1 from n where i < 2000)"
                f" select '{state}' || i, '{state}', {columns} from n, (select * from outgoing where id = 1)"
            )
        letters.execute("update outgoing set player = 3 where state = 'paused'")
        letters.execute("update outgoing set troubled = null where state <> 'failed'")
        assert work(letters) < before * 1.1 + 20


def work(letters: Correspondence) -> int:
    """How much SQLite does for a message and what it is answered, in hundreds of its instructions."""
    counted = [0]

    def count() -> int:
        counted[0] += 1
        return 0

    def watch(connection: Any, *_: Any) -> None:
        connection.set_progress_handler(count, 100)

    def leave(connection: Any, *_: Any) -> None:
        connection.set_progress_handler(None, 100)

    event.listen(letters.server.engine, "checkout", watch)
    event.listen(letters.server.engine, "checkin", leave)
    letters.write("bob@mail.example", "help")
    event.remove(letters.server.engine, "checkout", watch)
    event.remove(letters.server.engine, "checkin", leave)
    return counted[0]


def scans_of_sqlite(engine: Engine, statements: Statements) -> dict[str, list[str]]:
    """Return the statements for which SQLite reads a growing table from one end to the other, and where."""
    found: dict[str, list[str]] = {}
    with database.read_only(engine) as session:
        for statement, parameters in list(statements.items()):
            plan = session.connection().exec_driver_sql(f"explain query plan {statement}", parameters)
            steps = [str(row[3]) for row in plan]
            scans = [step for step in steps if step.startswith("SCAN ") and step.split()[1] in GROWING]
            if MAY_BE_MANY.intersection(each for each in parameters if isinstance(each, str)):
                scans += [step for step in steps if BY_STATE.search(step)]
            if scans:
                found[statement] = scans
    return found


def scans_of_postgresql(engine: Engine, statements: Statements) -> dict[str, list[str]]:
    """Return the statements for which PostgreSQL reads a growing table from one end to the other, and where."""
    found: dict[str, list[str]] = {}
    with engine.begin() as connection:
        connection.exec_driver_sql("set local enable_seqscan = off")
        for statement, parameters in list(statements.items()):
            (plan,) = connection.exec_driver_sql(f"explain (format json) {statement}", parameters).one()
            read = plan if isinstance(plan, list) else json.loads(plan)
            scans = list(whole(read[0]["Plan"]))
            if scans:
                found[statement] = scans
    return found


def whole(node: dict[str, Any]) -> Iterator[str]:
    """Yield the steps of a plan that read a whole table or index."""
    kind = node["Node Type"]
    if kind == "Seq Scan" and node["Relation Name"] in GROWING:
        yield f"{kind} on {node['Relation Name']}"
    if kind in ("Index Scan", "Index Only Scan", "Bitmap Index Scan") and "Index Cond" not in node:
        yield f"{kind} using {node['Index Name']}"
    for below in node.get("Plans", ()):
        yield from whole(below)


_crowded: list[str] = []
"""The database that has many rows, once it is made."""


@contextmanager
def crowded() -> Iterator[Engine]:
    """Provide a PostgreSQL database with many rows and with statistics of them."""
    if not _crowded:
        _crowded.append(running().migrated())
        engine = create_engine(_crowded[0])
        fill(engine, CROWD)
        engine.dispose()
    engine = create_engine(_crowded[0])
    yield engine
    engine.dispose()
