"""A clock that is wrong for a while does no lasting harm: no data is removed, and nobody is silenced."""

from datetime import timedelta

import pytest
from sqlmodel import Session, select
from structlog.testing import capture_logs

from pbem.server import daemon
from pbem.storage.clock import LEAPT, SteadyClock
from pbem.storage.models import Incoming, Outgoing
from pbem.storage.retention import EVERY, Retention
from tests.correspondence import ADDRESS, Correspondence, text

pytestmark = pytest.mark.sql

ALICE, BOB = "alice@mail.example", "bob@mail.example"


def kept(letters: Correspondence) -> tuple[int, int]:
    """Return how many received and sent messages still have their content."""
    with Session(letters.server.engine) as session:
        came = [row for row in session.exec(select(Incoming)) if row.raw]
        sent = [row for row in session.exec(select(Outgoing)) if not row.payload.get("removed")]
    return len(came), len(sent)


def passes(letters: Correspondence, hours: int) -> list[str]:
    """Let the daemon work for some hours. Return the errors it logged."""
    with capture_logs() as logs:
        for _ in range(hours):
            letters.clock.advance(hours=1)
            daemon.run_once(letters.server)
    letters.server.inboxes[0].close()
    return [str(line["event"]) for line in logs if line["log_level"] == "error"]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("days", [300, 3650, 36_500])
def test_a_clock_that_leaps_ahead_and_back_removes_nothing(letters: Correspondence, days: int) -> None:
    passes(letters, 26)
    before = kept(letters)
    letters.clock.leap(days=days)
    assert passes(letters, 2) == [LEAPT], "said once"
    assert kept(letters) == before
    letters.clock.leap(days=-days)
    assert passes(letters, 2) == [LEAPT]
    assert kept(letters) == before


@pytest.mark.slow
def test_what_is_ahead_when_the_server_starts_is_noticed_too(letters: Correspondence) -> None:
    """Everything used to be removed three seconds after a start ten years ahead."""
    passes(letters, 26)
    before = kept(letters)
    engine = letters.server.engine
    ahead = letters.clock().replace(year=2036)
    for _ in range(3):  # three restarts
        assert Retention(SteadyClock(ahead, lambda: 0.0), 90, 365).step(engine, ahead) == 0
    assert kept(letters) == before


def test_after_a_day_of_steady_time_old_messages_are_removed_again(letters: Correspondence) -> None:
    before = kept(letters)
    letters.clock.leap(days=100)
    passes(letters, 2)
    assert kept(letters) == before
    letters.clock.advance(hours=21)
    passes(letters, 4)
    assert kept(letters) == (0, 0)


def test_the_usual_steps_of_a_clock_are_no_leap(letters: Correspondence) -> None:
    passes(letters, 2)
    letters.clock.leap(minutes=-61)
    assert passes(letters, 2) == []
    letters.clock.leap(hours=2)
    assert passes(letters, 2) == []


@pytest.mark.slow
def test_two_daemons_whose_clocks_disagree_remove_nothing(letters: Correspondence) -> None:
    engine = letters.server.engine
    before, now = kept(letters), letters.clock()
    one, other = (Retention(SteadyClock(start, lambda: 0.0), 90, 365) for start in (now, now.replace(year=2036)))
    one.step(engine, now)
    for hour in range(1, 60):
        for retention, when in ((one, now), (other, now.replace(year=2036))):
            retention.clock.monotonic = lambda seconds=hour * 3600.0: seconds
            assert retention.step(engine, when + hour * EVERY * 1.01) == 0
    assert kept(letters) == before


@pytest.mark.slow
def test_nobody_is_silenced_by_messages_from_a_time_that_is_yet_to_come(letters: Correspondence) -> None:
    """A player, a stranger and a match use up their daily budgets 300 days ahead; then the clock is corrected."""
    letters.clock.leap(days=300)
    to = personal(letters)
    for number in range(25):
        letters.write("zoe@stranger.example", f"help\n\n{number}")
        letters.write(ALICE, f"#1 say {number}", to=to)
    letters.execute("update player set bounced = (select max(created) from outgoing)")
    letters.clock.leap(days=-300)
    told = len(letters.received["zoe@stranger.example"])
    letters.write("zoe@stranger.example", "help")
    assert len(letters.received["zoe@stranger.example"]) == told + 1
    assert ALICE in [mail["To"] for mail in letters.write(ALICE, "games", to=to)]
    letters.write(ALICE, "export me", to=to)
    assert list(letters.last("alice").iter_attachments())


@pytest.mark.slow
def test_limits_that_were_reached_ahead_of_time_are_free_again(letters: Correspondence) -> None:
    to = personal(letters)
    letters.clock.leap(days=300)
    letters.execute(MANY)
    letters.clock.leap(days=-300)
    (answer,) = letters.write(ALICE, "games", to=to)
    assert "within an hour" not in text(answer)


MANY = """
 insert into incoming (key, size, source, recipients, state, player, received, attempts)
 with recursive n(i) as (select 1 union all select i + 1 from n where i < 600)
 select 'k' || i, 0, 'imap', '[]', 'done', (select id from player where name = 'alice'), '2026-12-27 07:59:00', 0
 from n
"""


@pytest.mark.slow
def test_news_from_ahead_of_time_is_told_at_the_next_look(letters: Correspondence) -> None:
    letters.reply(letters.received["bob@mail.example"][1], "set mail daily")
    letters.clock.leap(days=300)
    letters.write(ALICE, "#1 say Are you there?", to=personal(letters))
    letters.clock.leap(days=-300)
    sent = letters.wait(minutes=1)
    assert [str(mail["To"]) for mail in sent] == [BOB]


def personal(letters: Correspondence) -> str:
    welcome = letters.received[ALICE][1]
    return next(line.strip() for line in text(welcome).splitlines() if ADDRESS.partition("@")[0] + "+" in line)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("days", [300, 3650])
def test_nothing_ends_by_a_clock_that_leapt_and_time_goes_on_when_it_is_right_again(
    letters: Correspondence, days: int
) -> None:
    """Tournaments were called off and seeks closed; afterwards no clock ran, and no bulletin came, until that year."""
    in_time(letters)
    before = ends(letters)
    passes_with_heartbeats(letters, hours=26)
    sent = len(letters.log)

    letters.clock.leap(days=days)
    for _ in range(3):
        letters.wait(seconds=1)
    assert ends(letters) == before
    letters.clock.leap(days=-days)
    letters.wait(seconds=1)
    assert ends(letters) == before
    assert letters.log[sent:] == []

    letters.reply(letters.last("bob"), "accept")  # the second match begins
    passes_with_heartbeats(letters, hours=24 * 4)
    assert letters.execute("select id, state from match order by id") == [(1, "running"), (2, "over")], "out of time"
    passes_with_heartbeats(letters, hours=24 * 5)
    assert "[pbem] The last week" in [str(mail["Subject"]) for mail in letters.received[ALICE]]


@pytest.mark.slow
def test_nothing_ends_in_a_server_that_starts_with_a_wrong_clock(letters: Correspondence) -> None:
    in_time(letters)
    letters.reply(letters.last("bob"), "accept")
    passes_with_heartbeats(letters, hours=26)
    before = ends(letters)

    letters.clock.leap(days=3650)
    with daemon.open_server(letters.server.settings, letters.clock, monotonic=letters.clock.monotonic) as started:
        for _ in range(3):
            letters.clock.advance(seconds=1)
            daemon.run_once(started)

    assert ends(letters) == before


def in_time(letters: Correspondence) -> None:
    """Let alice have what ends by time: a challenge with a time limit, a seek, a tournament; and what comes weekly."""
    letters.execute("update player set trusted = created where name = 'alice'")
    lines = ["challenge bob hexaphages time=3d/move,auto", "seek kvadratik", "set bulletin on"]
    letters.write(ALICE, "\n".join([*lines, "host knock-out kvadratik time=3d/move days=9"]), to=personal(letters))


def ends(letters: Correspondence) -> list[object]:
    """Return what ends by time, and how it is with that."""
    return [
        *letters.execute("select id, state, termination from match order by id"),
        *letters.execute("select id, closed from seek"),
        *letters.execute("select id, started, ended from tournament"),
        *letters.execute("select player, told from bulletin"),
        *letters.execute("select game, week from ratedweek"),
    ]


def passes_with_heartbeats(letters: Correspondence, hours: int) -> None:
    """Let a server that runs all the time work for some hours."""
    for _ in range(hours // 2):
        letters.run_for(hours=2)


def due(letters: Correspondence, number: int) -> str:
    return str(letters.execute(f"select due from match where id = {number}")[0][0])[:19].replace("T", " ")


@pytest.mark.parametrize("days", [30, 3650])
def test_a_turn_that_came_while_the_clock_was_ahead_stops_no_clock(letters: Correspondence, days: int) -> None:
    letters.match("challenge dora quadraphages time=300d+1d", "carol", "dora")
    letters.clock.leap(days=days)
    letters.reply(letters.last("carol"), "1 a7b7 i3i2")
    letters.clock.leap(days=-days)
    letters.wait(minutes=1)
    if days > 300:  # later than the clock of the machine that runs the test
        assert "which is yet to come" in letters.operate("check").output

    for _ in range(26):
        letters.run_for(hours=1)
    assert f"{letters.clock() + timedelta(days=300):%Y-%m-%d}" == due(letters, 2)[:10]
    letters.wait(minutes=1)
    assert letters.operate("check").output.count("yet to come") == 0
    kinds = letters.execute("select kind from clockevent where match = 2 order by id")
    assert kinds.count(("righted",)) == 1
