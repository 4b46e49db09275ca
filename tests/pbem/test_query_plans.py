"""A query that scans a table that grows is found by what the stories look for in every conversation."""

from pathlib import Path

import pytest

from tests import databases
from tests.correspondence import correspondence
from tests.query_plans import listened, scans


@pytest.mark.skipif(databases.kind() != "sqlite", reason="only the plans of SQLite are looked at")
def test_a_scan_is_found(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters, listened(letters.server.engine) as statements:
        letters.execute("select id from outgoing where address like '%@mail.example'")

        assert len(scans(letters.server.engine, statements)) == 1
