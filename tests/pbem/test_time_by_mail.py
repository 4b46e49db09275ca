"""Time controls by mail: when time runs, and what is stored."""

from datetime import timedelta

import pytest

from pbem.mail.transports.protocols import NotAccepted
from tests import scenes
from tests.bounces import dsn
from tests.correspondence import Correspondence, said
from tests.running_clocks import DAY, clock

ALICE, BOB = "alice@mail.example", "bob@mail.example"
in_a_match = scenes.after(scenes.match, "challenge bob quadrature time=14d+1d<=21d")
"""They play with 14 days each and a day more for each turn; alice is to move, and was told so just now."""


def refuse(_sender: str, _address: str, _raw: bytes) -> None:
    """Take no message for now."""
    raise NotAccepted("busy", later=True)


@in_a_match
def test_no_time_runs_until_the_message_was_handed_over(
    letters: Correspondence, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next mail server is down; then it takes the message."""
    with monkeypatch.context() as down:
        down.setattr(letters.server.outbox, "send", refuse)
        letters.reply(letters.last("alice"), "e3f4")
        letters.run_for(hours=10)
        assert (clock(letters).seat, clock(letters).due) == (None, None)
    letters.run_for(hours=10)

    assert clock(letters).due == letters.clock() + 14 * DAY


@in_a_match
def test_a_message_about_an_older_position_starts_nothing(
    letters: Correspondence, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bob moves before the message about his turn goes out; the one about alice's can't be sent."""
    deliver = letters.server.outbox.send

    def send(sender: str, address: str, raw: bytes) -> None:
        (refuse if address == ALICE else deliver)(sender, address, raw)

    with monkeypatch.context() as down:
        down.setattr(letters.server.outbox, "send", refuse)
        letters.reply(letters.last("alice"), "e3f4")
    before = len(letters.received[BOB])
    with monkeypatch.context() as down:
        down.setattr(letters.server.outbox, "send", send)
        letters.say("bob", "#1 e9f8")
        letters.run_for(hours=10)
        assert len(letters.received[BOB]) == before + 2
        assert clock(letters).seat is None
    letters.run_for(hours=10)

    assert clock(letters).seat == 0
    assert clock(letters).sides[1].used == timedelta()


@in_a_match
@pytest.mark.parametrize("choices", [("set mail daily",), ("stop",), ("set mail daily", "stop")])
def test_who_wants_no_news_at_once_has_no_more_time_for_it(letters: Correspondence, choices: tuple[str, ...]) -> None:
    """Nor who stops news that wait for a digest."""
    letters.say("bob", choices[0])
    letters.reply(letters.last("alice"), "e3f4")
    for words in choices[1:]:
        letters.say("bob", words)
    due = letters.clock() + 14 * DAY
    assert clock(letters).due == due

    letters.run_for(days=1)

    assert clock(letters).due == due


@in_a_match
def test_nobodys_time_runs_while_their_mail_comes_back(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), "e3f4")
    for number in range(3):
        letters.deliver(dsn(letters.carried(letters.last("bob"))) + b"%d" % number)
        letters.run_for(days=4)
    assert letters.rows("select name from player where unreachable is not null") == ["bob"]
    assert clock(letters).seat is None

    letters.say("bob", "help")

    assert clock(letters).seat == 1


@in_a_match
def test_an_outage_is_given_back(letters: Correspondence) -> None:
    begun = letters.clock()
    letters.run_for(hours=5)
    letters.wait(days=3)
    assert clock(letters).due == begun + 14 * DAY, "it is noted when something happens"
    letters.run_for(hours=4)
    letters.reply(letters.last("alice"), "e3f4")

    assert clock(letters).sides[0].used == timedelta(hours=9)


@in_a_match
def test_a_reply_that_waits_to_be_handled_takes_no_time(
    letters: Correspondence, monkeypatch: pytest.MonkeyPatch
) -> None:
    letters.run_for(hours=5)
    with monkeypatch.context() as busy:
        busy.setattr(type(letters.server), "handle_waiting", lambda *_, **__: 0)
        letters.reply(letters.last("alice"), "e3f4")
        letters.run_for(days=3)
    letters.wait()

    assert clock(letters).sides[0].used == timedelta(hours=5)


@in_a_match
def test_pauses_and_turns_that_are_taken_back(letters: Correspondence) -> None:
    letters.run_for(hours=1)
    letters.reply(letters.last("bob"), "pause")
    letters.reply(letters.last("alice"), "accept pause")
    letters.say("alice", "show 1")
    assert "bob 14 days. The match is paused until one of you moves" in said(letters.last("alice"))
    assert clock(letters).due is None
    letters.run_for(days=5)
    letters.reply(letters.last("bob"), "resume")
    letters.run_for(hours=1)
    letters.say("alice", "#1 e3f4")
    assert clock(letters).sides[0].used == timedelta(hours=2)

    letters.reply(letters.last("alice"), "undo")
    letters.run_for(hours=3)
    letters.reply(letters.last("bob"), "accept undo")
    assert clock(letters).sides[1].used == timedelta(hours=3)
    assert (clock(letters).seat, clock(letters).sides[0].used) == (0, timedelta(hours=2))
    letters.resign("alice")
    assert clock(letters).due is None


@in_a_match
def test_the_check_finds_a_clock_that_is_not_what_its_events_say(letters: Correspondence) -> None:
    assert letters.operate("check").exit_code == 0
    letters.execute("update match set due = '2030-01-01 00:00:00'")
    assert "due at 2030" in letters.operate("check").output
    letters.execute("delete from clockevent")
    assert "its clock is not what its events add up to" in " ".join(letters.operate("check").output.split())
