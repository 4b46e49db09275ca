"""No query made while processing a message scans a table that grows, as the query plans show.

The stories check this in every conversation (tests/stories/test_stories.py).
"""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import event

from pbem.storage.models import Outgoing
from tests import databases
from tests.correspondence import Correspondence, correspondence
from tests.query_plans import listened, scans


def test_no_query_for_a_stranger_or_an_export_reads_a_growing_table(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters, listened(letters.server.engine) as statements:
        letters.match()
        for name in ("erin", "frank"):
            letters.write(f"{name}@elsewhere.example", "help")
        letters.reply(letters.received["bob@mail.example"][1], "export me")
        found = scans(letters.server.engine, statements)

    assert len(statements) > 10
    assert found == {}


def test_a_scan_is_found(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters, listened(letters.server.engine) as statements:
        letters.execute("select id from outgoing where address like '%@mail.example'")

        assert len(scans(letters.server.engine, statements)) == 1


@pytest.mark.server(server='admin = "admin@pbem.example"')
@pytest.mark.skipif(databases.kind() != "sqlite", reason="the work of SQLite can be counted")
def test_rows_that_wait_for_somebody_slow_no_message(letters: Correspondence) -> None:
    """Failed messages for the admin, news for a player who has stopped it, and messages to one who can't be reached."""
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
    """Return the work of SQLite for a message and its replies, in hundreds of instructions."""
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
