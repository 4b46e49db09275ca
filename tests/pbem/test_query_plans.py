"""No query on a message's way reads a whole table that grows: the database is asked for the plan of each.

The stories show it of every conversation (tests/stories/test_stories.py).
"""

from pathlib import Path

from tests.correspondence import correspondence
from tests.query_plans import listened, scans

NO_REMOVAL = "keep_mail_days = 0"
"""Old messages are looked for once an hour, which is on no message's way."""


def test_no_query_for_a_stranger_or_an_export_reads_a_growing_table(tmp_path: Path) -> None:
    with correspondence(tmp_path, server=NO_REMOVAL) as letters, listened(letters.server.engine) as statements:
        letters.match()
        for name in ("erin", "frank"):
            letters.write(f"{name}@elsewhere.example", "help")
        letters.reply(letters.last("bob"), "export me")
        found = scans(letters.server.engine, statements)

    assert len(statements) > 10
    assert found == {}


def test_a_scan_is_found(tmp_path: Path) -> None:
    with correspondence(tmp_path) as letters, listened(letters.server.engine) as statements:
        letters.execute("select id from outgoing where address like '%@mail.example'")

        assert len(scans(letters.server.engine, statements)) == 1
