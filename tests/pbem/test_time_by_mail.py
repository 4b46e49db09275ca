"""Time controls by mail: how they are agreed on, what players are told, and what is stored."""

from collections.abc import Iterator
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path
from unittest.mock import patch

import pytest
from sqlmodel import Session, col, select

from pbem.mail.transports.protocols import NotAccepted
from pbem.matches.clock import timekeeping
from pbem.matches.clock.clock import Clock
from pbem.matches.queries import version
from pbem.server import daemon, sender
from pbem.server.next_hop import Result
from pbem.storage import database
from pbem.storage.models import Match
from tests.bounces import dsn
from tests.correspondence import Correspondence, correspondence, text
from tests.counted_sql import counted

ALICE, BOB, CAROL = "alice@mail.example", "bob@mail.example", "carol@mail.example"
DAY = timedelta(days=1)
IN_WORDS = "14 days each, plus 1 day for each turn, up to 14 days"


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    """Let alice and bob join."""
    with correspondence(tmp_path) as letters:
        letters.join("alice")
        letters.join("bob")
        yield letters


def challenge(letters: Correspondence, words: str) -> None:
    letters.reply(letters.received[ALICE][1], f"challenge {words}")


def controls(letters: Correspondence) -> list[object]:
    return [time for (time,) in letters.execute("select time from match order by id")]


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("words", "stored"),
    [
        ("time=14d+1d", "14d+1d"),
        ("TIME=2w+1D<=3w", "14d+1d<=21d"),
        ("time=90d/20", "90d/20"),
        ("time=none", None),
        ("", "5d+1d<=21d"),
        ("--totaltime=365 --forfeittime=21 --nagtime=7", "365d,21d/move,nag=7d"),
        ("--forfeittime=0", None),
        ("time=3d/move,auto", "3d/move,auto"),
    ],
)
def test_a_challenge_has_a_time_control(letters: Correspondence, words: str, stored: str | None) -> None:
    challenge(letters, f"bob quadrature {words} begin=you")

    assert controls(letters) == [stored]
    assert ("Time: no limit." in text(letters.last("bob"))) == (stored is None)


def test_both_players_read_it_before_it_is_accepted(letters: Correspondence) -> None:
    challenge(letters, "bob quadrature time=14d+1d")

    for name in ("alice", "bob"):
        told = letters.last(name)
        html = told.get_body(("html",))
        assert IN_WORDS in " ".join(text(told).split())
        assert html is not None
        assert IN_WORDS in html.get_content()


def test_who_is_invited_reads_it_before_accepting(letters: Correspondence) -> None:
    challenge(letters, f"{CAROL} quadrature time=14d+1d")

    assert f"Time: {IN_WORDS}." in " ".join(text(letters.last("carol")).split())


@pytest.mark.slow
def test_a_rematch_has_the_same(letters: Correspondence) -> None:
    challenge(letters, "bob quadrature time=14d+1d")
    letters.reply(letters.last("bob"), "accept")
    letters.resign("alice")
    letters.reply(letters.last("alice"), "rematch")

    assert controls(letters) == ["14d+1d", "14d+1d"]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("time=14y", '"y" is no unit of time; use w, d, h, m.'),
        ("time=soon", '"soon" is no time. For example "14d+1d", "3d/move", "90d/20" or "none".'),
        ("time=5m", "5m is out of range: 1h to 3650d."),
        ("time=auto", '"auto" needs a limit. For example'),
        ("time=3d/move --forfeittime=3", '"time=3d/move" and "--forfeittime" say the same; use one of them.'),
        ("--nagtime=soon", '"--nagtime=soon" needs a number of days.'),
    ],
)
def test_what_is_no_time_control_changes_nothing(letters: Correspondence, words: str, told: str) -> None:
    challenge(letters, f"bob quadrature {words}")

    assert controls(letters) == []
    assert told in " ".join(text(letters.last("alice")).split())


@pytest.mark.slow
def test_the_configuration_can_have_another_default(tmp_path: Path) -> None:
    with correspondence(tmp_path, server='time = "2w/move"') as letters:
        letters.join("alice")
        letters.join("bob")
        challenge(letters, "bob quadrature")
        challenge(letters, "bob quadrature time=none")

        assert controls(letters) == ["14d/move", None]


def clock(letters: Correspondence) -> Clock:
    """Return the clock of the first match as it is stored; `pbem check` has nothing to say about it."""
    checked = letters.operate("check")
    assert checked.exit_code == 0, checked.output
    with Session(letters.server.engine) as session:
        match = session.get_one(Match, 1)
        found = timekeeping.clock_of(match)
        assert found is not None
        assert match.due == found.due
        return found


@pytest.fixture
def timed(letters: Correspondence) -> Correspondence:
    """Let them play with 14 days each and a day more for each turn; alice is to move, and was told so just now."""
    letters.play(begin)
    return letters


def begin(letters: Correspondence) -> None:
    challenge(letters, "bob quadrature time=14d+1d<=21d")
    letters.reply(letters.last("bob"), "accept")


def test_the_time_of_a_turn_runs_from_its_message_to_the_reply(timed: Correspondence) -> None:
    begun = timed.clock()
    assert clock(timed).due == begun + 14 * DAY

    timed.run_for(days=2)
    timed.reply(timed.last("alice"), "e3f4")

    assert clock(timed).sides[0].used == 2 * DAY
    assert clock(timed).left(0) == 13 * DAY
    assert clock(timed).due == begun + 16 * DAY


def test_no_time_runs_until_the_message_was_handed_over(timed: Correspondence) -> None:
    """The next mail server is down; then it takes the message."""
    with patch.object(timed.server.outbox, "send", side_effect=NotAccepted("busy", later=True)):
        timed.reply(timed.last("alice"), "e3f4")
        timed.run_for(hours=10)
        assert (clock(timed).seat, clock(timed).due) == (None, None)
    timed.run_for(hours=10)

    assert clock(timed).due == timed.clock() + 14 * DAY


def test_a_message_about_an_older_position_starts_nothing(timed: Correspondence) -> None:
    """Bob moves before the message about his turn goes out; the one about alice's can't be sent."""
    deliver = timed.server.outbox.send

    def send(sender: str, address: str, raw: bytes) -> None:
        if address == ALICE:
            raise NotAccepted("busy", later=True)
        deliver(sender, address, raw)

    with patch.object(timed.server.outbox, "send", side_effect=NotAccepted("busy", later=True)):
        timed.reply(timed.last("alice"), "e3f4")
    before = len(timed.received[BOB])
    with patch.object(timed.server.outbox, "send", side_effect=send):
        timed.reply(timed.received[BOB][1], "#1 e9f8")
        timed.run_for(hours=10)
        assert len(timed.received[BOB]) == before + 2
        assert clock(timed).seat is None
    timed.run_for(hours=10)

    assert clock(timed).seat == 0
    assert clock(timed).sides[1].used == timedelta()


def test_a_broken_clock_keeps_no_message_from_being_marked_as_sent(timed: Correspondence) -> None:
    with patch.object(timed.server.outbox, "send", side_effect=NotAccepted("busy", later=True)):
        timed.reply(timed.last("alice"), "e3f4")
    timed.execute("update match set time = 'broken'")

    assert [mail["To"] for mail in timed.run_for(hours=10)].count(BOB) == 1
    assert timed.run_for(hours=10) == []
    assert timed.execute("select id from outgoing where state <> 'sent'") == []


def test_whoever_wants_one_message_a_day_has_no_more_time_for_it(timed: Correspondence) -> None:
    timed.reply(timed.received[BOB][1], "set mail daily")
    timed.reply(timed.last("alice"), "e3f4")
    due = timed.clock() + 14 * DAY
    assert clock(timed).due == due

    timed.run_for(days=1)

    assert clock(timed).due == due


def test_whoever_wants_no_news_has_no_more_time_for_it(timed: Correspondence) -> None:
    timed.reply(timed.received[BOB][1], "stop")
    timed.reply(timed.last("alice"), "e3f4")
    assert clock(timed).due == timed.clock() + 14 * DAY


@pytest.mark.slow
def test_nor_who_stops_news_that_wait_for_a_digest(timed: Correspondence) -> None:
    timed.reply(timed.received[BOB][1], "set mail daily")
    timed.reply(timed.last("alice"), "e3f4")
    timed.reply(timed.received[BOB][1], "stop")

    assert clock(timed).due == timed.clock() + 14 * DAY


@pytest.mark.slow
def test_nobodys_time_runs_while_their_mail_comes_back(timed: Correspondence) -> None:
    timed.reply(timed.last("alice"), "e3f4")
    for number in range(3):
        timed.deliver(dsn(timed.carried(timed.last("bob"))) + b"%d" % number)
        timed.run_for(days=4)
    assert timed.execute("select 1 from player where name = 'bob' and unreachable is not null")
    assert clock(timed).seat is None

    timed.reply(timed.received[BOB][1], "help")

    assert clock(timed).seat == 1


def test_an_outage_is_given_back(timed: Correspondence) -> None:
    begun = timed.clock()
    timed.run_for(hours=5)
    timed.wait(days=3)
    assert clock(timed).due == begun + 14 * DAY, "it is noted when something happens"
    timed.run_for(hours=4)
    timed.reply(timed.last("alice"), "e3f4")

    assert clock(timed).sides[0].used == timedelta(hours=9)


def test_a_reply_that_waits_to_be_handled_takes_no_time(timed: Correspondence) -> None:
    timed.run_for(hours=5)
    with patch.object(daemon.Server, "handle_waiting", return_value=0):
        timed.reply(timed.last("alice"), "e3f4")
        timed.run_for(days=3)
    timed.wait()

    assert clock(timed).sides[0].used == timedelta(hours=5)


@pytest.mark.slow
def test_pauses_and_turns_that_are_taken_back(timed: Correspondence) -> None:
    timed.run_for(hours=1)
    timed.reply(timed.last("bob"), "pause")
    timed.reply(timed.last("alice"), "accept pause")
    assert clock(timed).due is None
    timed.run_for(days=5)
    timed.reply(timed.last("bob"), "resume")
    timed.run_for(hours=1)
    timed.reply(timed.last("alice"), "e3f4")
    assert clock(timed).sides[0].used == timedelta(hours=2)

    timed.reply(timed.last("alice"), "undo")
    timed.run_for(hours=3)
    timed.reply(timed.last("bob"), "accept undo")
    assert clock(timed).sides[1].used == timedelta(hours=3)
    assert (clock(timed).seat, clock(timed).sides[0].used) == (0, timedelta(hours=2))
    timed.resign("alice")
    assert clock(timed).due is None


def test_the_check_finds_a_clock_that_is_not_what_its_events_say(timed: Correspondence) -> None:
    timed.execute("update match set due = '2030-01-01 00:00:00'")
    assert "due at 2030" in timed.operate("check").output
    timed.execute("delete from clockevent")
    assert "its clock is not what its events add up to" in " ".join(timed.operate("check").output.split())


def test_matches_without_a_time_control_have_no_clock_and_both_players_are_told_so(letters: Correspondence) -> None:
    challenge(letters, "bob quadrature time=none")
    assert all("Time: no limit." in said(letters.last(name)) for name in ("alice", "bob"))
    letters.reply(letters.last("bob"), "accept")
    assert all("Time: no limit." in said(letters.last(name)) for name in ("alice", "bob"))
    letters.reply(letters.last("alice"), "e3f4")

    assert letters.execute("select time, clock, due from match") == [(None, None, None)]
    assert letters.execute("select id from clockevent") == []


def said(mail: EmailMessage) -> str:
    """Return the text of a message as one line, without the parts that wrap."""
    return " ".join(text(mail).split())


def test_every_message_says_how_much_time_is_left_and_when_the_turn_is_due(timed: Correspondence) -> None:
    """In the reader's time zone; the message to alice was written when time began."""
    timed.reply(timed.received[BOB][1], "set zone America/New_York")
    line = "Time left: you have 14 days, bob 14 days. Your turn is due by Mon 16 Mar, 08:00 UTC."
    told = timed.last("alice")
    html = told.get_body(("html",))
    assert line in said(told)
    assert html is not None
    assert line in html.get_content()

    timed.run_for(hours=30)
    timed.reply(timed.last("alice"), "e3f4")
    for_bob = (
        "Time left: you have 14 days, alice 13 days 18 hours. Your turn is due by Tue 17 Mar, 10:00 (America/New_York)."
    )
    assert for_bob in said(timed.last("bob"))
    theirs = "Time left: you have 13 days 18 hours, bob 14 days. bob's turn is due by Tue 17 Mar, 14:00 UTC."
    assert theirs in said(timed.last("alice"))
    timed.run_for(days=1)
    for words in ("show", "draw", "say Are you there?"):
        timed.reply(timed.last("alice"), words)
    shown = [said(mail) for mail in (*timed.received[BOB][-2:], timed.received[ALICE][-3])]
    assert all("13 days" in told and "turn is due by Tue 17 Mar, 1" in told for told in shown)


@pytest.mark.slow
def test_a_pause_has_no_due_time(timed: Correspondence) -> None:
    timed.reply(timed.last("bob"), "pause")
    timed.reply(timed.last("alice"), "accept pause")
    timed.reply(timed.received[ALICE][1], "show 1")

    told = said(timed.last("alice"))
    assert "Time left: you have 14 days, bob 14 days. The match is paused until one of you moves" in told


def test_lists_begin_with_what_is_due_first(timed: Correspondence) -> None:
    """The third match is due before the first, and the second has no limit."""
    challenge(timed, "bob quadrature time=none")
    challenge(timed, "bob quadrature time=3d/move begin=you")
    timed.reply(timed.received[BOB][1], "accept 2\naccept 3")
    timed.run_for(hours=1)
    timed.reply(timed.received[BOB][1], "#3 e3f4")

    timed.reply(timed.received[ALICE][1], "games")

    listed = [line.split()[1:] for line in text(timed.last("alice")).splitlines() if line.startswith("* #")]
    assert [words[0] for words in listed] == ["#3", "#1", "#2"]
    assert [" ".join(words[3:]) for words in listed] == [
        "your turn, due 5 Mar, turn 2",
        "your turn, due 16 Mar, turn 1",
        "your turn since 2 Mar, turn 1",
    ]


@pytest.mark.slow
def test_digests_begin_with_what_is_due_first(timed: Correspondence) -> None:
    timed.reply(timed.received[ALICE][1], "set mail daily")
    challenge(timed, "bob quadrature time=none begin=you")
    challenge(timed, "bob quadrature time=3d/move begin=you")
    timed.reply(timed.received[BOB][1], "accept 2\naccept 3")
    timed.reply(timed.received[BOB][1], "#2 e3f4\n#3 e3f4")
    timed.run_for(days=1)

    overview = [line.split()[1:] for line in text(timed.last("alice")).splitlines() if line.startswith("* #")]
    assert [" ".join((words[0], *words[3:])) for words in overview] == [
        "#3 your turn, due 5 Mar",
        "#1 still your turn, due 16 Mar",
        "#2 your turn, 2 Mar",
    ]


@pytest.mark.parametrize(("broken", "begun"), [((), [1, 2, 3]), ((2,), [1, 3])])
def test_the_time_of_turns_that_went_out_together_begins_with_few_statements_each_whatever_fails_another(
    letters: Correspondence, broken: tuple[int, ...], begun: list[int]
) -> None:
    for _ in range(3):
        challenge(letters, "bob quadraphages")
        letters.reply(letters.last("bob"), "accept")
    with database.transaction(letters.server.engine) as session:
        for match in session.exec(select(Match)):
            match.clock = {name: value for name, value in (match.clock or {}).items() if name != "seat"}
            match.time = "nonsense" if match.id in broken else match.time
        turns = [(match.id or 0, version(match)) for match in session.exec(select(Match))]
    results = [Result(number, "turn", None, later=False, turns=(turn,)) for number, turn in enumerate(turns)]

    with counted(letters.server.engine) as counts:
        sender._mark(letters.server.sender.queue, results, letters.clock())

    with database.read_only(letters.server.engine) as session:
        rows = session.exec(select(Match).order_by(col(Match.id)))
        assert [match.id for match in rows if "seat" in (match.clock or {})] == begun
    assert broken or counts.statements <= 4 + 2 * len(turns)
