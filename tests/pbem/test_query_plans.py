"""No query made while processing a message scans a table that grows, as the query plans show.

The stories check this in every conversation (tests/stories/test_stories.py).
"""

from pathlib import Path

import pytest

from tests import databases
from tests.correspondence import correspondence
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


@pytest.mark.skipif(databases.kind() != "sqlite", reason="only the plans of SQLite are looked at")
def test_a_scan_is_found(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters, listened(letters.server.engine) as statements:
        letters.execute("select id from outgoing where address like '%@mail.example'")

        assert len(scans(letters.server.engine, statements)) == 1
