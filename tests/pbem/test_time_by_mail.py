"""Time controls by mail: how they are agreed on, when time runs, what players are told, and what is stored."""

from datetime import timedelta

import pytest
from sqlmodel import Session, col, select

from pbem.mail.transports.protocols import NotAccepted
from pbem.matches.queries import version
from pbem.server import sender
from pbem.server.next_hop import Result
from pbem.storage import database
from pbem.storage.models import Match
from tests import scenes
from tests.bounces import dsn
from tests.correspondence import Correspondence, said, text, to
from tests.running_clocks import DAY, clock

ALICE, BOB = "alice@mail.example", "bob@mail.example"
in_a_match = scenes.after(scenes.match, "challenge bob quadrature time=14d+1d<=21d")
"""They play with 14 days each and a day more for each turn; alice is to move, and was told so just now."""


# How it is agreed on -----------------------------------------------------------------------------------


@scenes.after(scenes.match, "challenge bob quadrature time=none")
def test_matches_without_a_time_control_have_no_clock(letters: Correspondence) -> None:
    assert all("Time: no limit." in said(letters.last(name)) for name in ("alice", "bob"))
    letters.reply(letters.last("alice"), "e3f4")

    assert letters.rows("select time, clock, due from match") == [(None, None, None)]
    assert letters.rows("select id from clockevent") == []


# When it runs -------------------------------------------------------------------------------------------


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
def test_a_broken_clock_keeps_no_message_from_being_marked_as_sent(
    letters: Correspondence, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as down:
        down.setattr(letters.server.outbox, "send", refuse)
        letters.reply(letters.last("alice"), "e3f4")
    letters.execute("update match set time = 'broken'")

    assert len(to(letters.run_for(hours=10), "bob")) == 1
    assert letters.run_for(hours=10) == []
    assert letters.rows("select id from outgoing where state <> 'sent'") == []


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


# What players are told ----------------------------------------------------------------------------------


@in_a_match
def test_every_message_says_how_much_time_is_left(letters: Correspondence) -> None:
    letters.reply(letters.last("alice"), "e3f4")
    letters.run_for(days=1)
    for words in ("show", "draw", "say Are you there?"):
        letters.reply(letters.last("alice"), words)

    shown = [said(mail) for mail in (*letters.received[BOB][-2:], letters.received[ALICE][-3])]
    assert all("13 days" in told and "turn is due by Mon 16 Mar, 08:00 UTC" in told for told in shown)


def more_matches(letters: Correspondence) -> None:
    """Begin two more: the third match is due before the first, and the second has no limit."""
    letters.say("alice", "challenge bob quadrature time=none begin=you")
    letters.say("alice", "challenge bob quadrature time=3d/move begin=you")
    letters.say("bob", "accept 2\naccept 3")


@in_a_match
def test_lists_begin_with_what_is_due_first(letters: Correspondence) -> None:
    more_matches(letters)
    letters.run_for(hours=1)
    letters.say("bob", "#2 e3f4\n#3 e3f4")
    letters.say("alice", "games")

    listed = [line.split()[1:] for line in text(letters.last("alice")).splitlines() if line.startswith("* #")]
    assert [" ".join((words[0], *words[3:])) for words in listed] == [
        "#3 your turn, due 5 Mar, turn 2",
        "#1 your turn, due 16 Mar, turn 1",
        "#2 your turn since 2 Mar, turn 2",
    ]


@scenes.after(scenes.two_players)
def test_the_time_of_turns_that_went_out_together_begins_whatever_fails_another(letters: Correspondence) -> None:
    for _ in range(3):
        letters.say("alice", "challenge bob quadraphages")
        letters.reply(letters.last("bob"), "accept")
    with database.transaction(letters.server.engine) as session:
        for match in session.exec(select(Match)):
            match.clock = {name: value for name, value in (match.clock or {}).items() if name != "seat"}
            match.time = "nonsense" if match.id == 2 else match.time
        turns = [(match.id or 0, version(match)) for match in session.exec(select(Match))]
    results = [Result(number, "turn", None, later=False, turns=(turn,)) for number, turn in enumerate(turns)]

    sender._mark(letters.server.sender.queue, results, letters.clock())

    with Session(letters.server.engine) as session:
        rows = session.exec(select(Match).order_by(col(Match.id)))
        assert [match.id for match in rows if "seat" in (match.clock or {})] == [1, 3]
