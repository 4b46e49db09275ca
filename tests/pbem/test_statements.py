"""How much the database is asked for a message, on SQLite."""

import pytest

from notation import time_control
from tests.correspondence import Correspondence
from tests.counted_sql import Counts, counted
from tests.operating import matches

pytestmark = pytest.mark.own_database


def cost(letters: Correspondence, name: str, turn: str) -> Counts:
    """Return what a turn costs, from a file in the inbox to two in the outbox, and a look at what is due."""
    with counted(letters.server.engine) as counts:
        assert len(letters.reply(letters.last(name), turn)) == 2
    return counts


@pytest.mark.parametrize(("time", "most"), [("none", 35), (time_control.DEFAULT, 43)])
def test_a_turn_costs_few_statements_however_many_matches_there_are(
    letters: Correspondence, time: str, most: int
) -> None:
    """With a clock, it's the turn received and the next one handed over, and what is read and written for that."""
    letters.match(f"challenge bob quadraphages time={time}")
    letters.wait(seconds=1)  # what a server does when it starts costs no turn anything
    alone = cost(letters, "alice", "1 a7b7 i3i2")
    matches.in_play(letters.server, 30, lambda match: match % 4)
    letters.execute("update match set seat0 = 1, seat1 = 2 where id between 2 and 11")
    among_many = cost(letters, "bob", "c1d1 g9h9 2 d1f1 h9h7")

    assert max(alone.statements, among_many.statements) <= most
    assert max(alone.transactions, among_many.transactions) <= 15
