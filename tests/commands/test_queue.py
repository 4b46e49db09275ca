"""`pbem queue`: what waits to be sent, and what the operator does about it."""

import json

import pytest

from pbem.storage.models import OutgoingState
from tests.correspondence import Correspondence
from tests.scenes import after, match

pytestmark = after(match, "challenge bob quadraphages")


@pytest.mark.parametrize(
    ("verb", "changes", "to"),
    [
        ("hold", {"batched", "paused", "waiting", "suspended", "owed", "failed"}, "failed"),
        ("drop", {"batched", "paused", "waiting", "suspended", "owed", "failed"}, "dropped"),
        ("resend", {"sent"}, "owed"),
    ],
)
def test_a_message_is_changed_where_that_means_something(
    letters: Correspondence, verb: str, changes: set[str], to: str
) -> None:
    for state in OutgoingState:
        letters.execute(f"update outgoing set state = '{state.value}' where id = 1")
        done = letters.operate("queue", verb, "1")
        assert done.exit_code == (0 if state.value in changes else 1), done.output
        assert letters.rows("select state from outgoing where id = 1") == [
            to if state.value in changes else state.value
        ]


def test_what_is_owed_is_listed_with_the_reply_of_the_mail_server_and_tried_now(letters: Correspondence) -> None:
    letters.execute(
        "update outgoing set state = 'owed', attempts = 2, error = '450 busy', due = '2099-12-01 10:00:00.000000'"
        " where id = 1"
    )
    (row,) = json.loads(letters.operate("queue", "list", "--json").stdout)
    assert (row["number"], row["attempts"], row["reply"]) == (1, 2, "450 busy")
    assert letters.operate("queue", "flush").exit_code == 0
    (row,) = json.loads(letters.operate("queue", "list", "--json").stdout)
    assert row["next"] < "2099"


def test_what_a_daemon_is_sending_just_now_is_left_to_it(letters: Correspondence) -> None:
    letters.execute("update outgoing set state = 'owed', leased_until = '2099-01-01 10:00:00.000000' where id = 1")
    assert letters.operate("queue", "drop", "1").exit_code == 1
    assert letters.rows("select state from outgoing where id = 1") == ["owed"]


def test_a_message_that_is_sent_again_keeps_its_message_id(letters: Correspondence) -> None:
    (first,) = letters.rows("select message_id from outgoing where id = 1")
    assert letters.operate("queue", "resend", "1").exit_code == 0
    assert [mail["Message-ID"] for mail in letters.wait(seconds=10)] == [first]
