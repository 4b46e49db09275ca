"""Two accounts of the same person become one: what goes where, and that nothing is left of the first."""

import json

import pytest

from pbem.cli import core
from tests.correspondence import Correspondence
from tests.scenes import after


def twice(letters: Correspondence) -> None:
    """Begin #1 of alice and bob, #2 of bob and carol; let bob challenge both, and seek."""
    letters.match("challenge bob quadrature rated")
    letters.join("carol")
    letters.say("bob", "challenge carol quadrature rated")
    letters.reply(letters.last("carol"), "accept")
    letters.reply(letters.last("bob"), "#2 e3f4")
    letters.say("carol", "#2 e9f8")
    letters.say("bob", "challenge alice kvadratik\nchallenge carol kvadratik\nseek quadrupel")


pytestmark = after(twice)


@pytest.fixture(autouse=True)
def _same_clock(letters: Correspondence, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core, "now", letters.clock)


def merge(letters: Correspondence) -> str:
    result = letters.operate("player", "merge", "bob", "alice", "--yes", "--note", "One person.")
    return " ".join(result.output.split())


def test_everything_goes_to_the_account_that_stays(letters: Correspondence) -> None:
    names = dict(letters.rows("select name, id from player"))
    alice, bob, carol = names["alice"], names["bob"], names["carol"]

    assert "part of that of alice (alice@mail.example), which can't be undone." in merge(letters)

    assert letters.rows("select id, seat0, seat1, challenger, state from match order by id") == [
        (1, alice, bob, alice, "over"),
        (2, alice, carol, alice, "running"),
        (3, bob, alice, bob, "withdrawn"),
        (4, alice, carol, alice, "offered"),
    ]
    assert letters.rows("select player from seek") == [alice]
    assert letters.rows("select act, player, former_name, note from moderationact") == [
        ("merge", alice, "bob", "One person.")
    ]
    letters.wait()
    (export,) = letters.say("alice", "export me")
    held = next(part.get_content() for part in export.iter_attachments() if part.get_filename() == "alice.json")
    (other,) = json.loads(held)["other_accounts"]
    assert (other["name"], other["address"]) == ("bob", "bob@mail.example")
    (question,) = letters.say("alice", "delete me")
    letters.reply(question, "yes")
    letters.wait()
    tables = ("player", "outgoing", "outgoingcontent", "moderationact", "departure", "seek")
    left = str([row for table in tables for row in letters.execute(f"select * from {table}")])
    assert ("bob" in left, "alice" in left) == (False, False)
    assert letters.operate("check").exit_code == 0
