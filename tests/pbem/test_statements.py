"""How much the database is asked for a message, on SQLite: never more than it was."""

from pathlib import Path

import pytest

from tests.correspondence import correspondence
from tests.counted_sql import Counts, counted

pytestmark = pytest.mark.own_database


def test_a_turn_costs_these_statements_and_transactions(tmp_path: Path) -> None:
    """From a file in the inbox to two in the outbox, and a look at what is due. Less is better, more is a mistake."""
    with correspondence(tmp_path) as letters:
        letters.match()
        for name, turn in (("alice", "1 a7b7 i3i2"), ("bob", "c1d1 g9h9 2 d1f1 h9h7")):
            with counted(letters.server.engine) as counts:
                told = letters.reply(letters.last(name), turn)
            assert len(told) == 2

    assert counts == Counts(statements=29, transactions=12)
