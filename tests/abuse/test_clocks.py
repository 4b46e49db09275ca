"""A clock that is wrong for a while does no lasting harm: no data is removed, and nobody is silenced."""

from datetime import timedelta

from sqlmodel import Session, select
from structlog.testing import capture_logs

from pbem.server import daemon
from pbem.storage.clock import LEAPT
from pbem.storage.models import Incoming, Outgoing
from tests.correspondence import Correspondence
from tests.scenes import after, two_turns

pytestmark = after(two_turns)

ALICE = "alice@mail.example"


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


def personal(letters: Correspondence) -> str:
    return str(letters.received[ALICE][1]["Reply-To"].addresses[0].addr_spec)


def test_a_clock_that_leaps_ahead_and_back_removes_nothing(letters: Correspondence) -> None:
    passes(letters, 26)
    before = kept(letters)
    letters.clock.leap(days=3650)
    assert passes(letters, 2) == [LEAPT], "said once"
    assert kept(letters) == before
    letters.clock.leap(days=-3650)
    assert passes(letters, 2) == [LEAPT]
    assert kept(letters) == before


def test_nothing_ends_by_a_clock_that_leapt_and_time_goes_on_when_it_is_right_again(letters: Correspondence) -> None:
    """Tournaments were called off and seeks closed; afterwards no clock ran, and no bulletin came, until that year."""
    letters.execute("update player set trusted = created where name = 'alice'")
    lines = ["challenge bob hexaphages time=3d/move,auto", "seek kvadratik", "set bulletin on"]
    letters.write(ALICE, "\n".join([*lines, "host knock-out kvadratik time=3d/move days=9"]), to=personal(letters))
    before = ends(letters)
    passes_with_heartbeats(letters, hours=26)
    sent = len(letters.log)

    for days in (3650, -3650):
        letters.clock.leap(days=days)
        for _ in range(3):
            letters.wait(seconds=1)
        assert ends(letters) == before
    assert letters.log[sent:] == []

    letters.reply(letters.last("bob"), "accept")  # the second match begins
    passes_with_heartbeats(letters, hours=24 * 4)
    assert letters.execute("select id, state from match order by id") == [(1, "running"), (2, "over")], "out of time"
    passes_with_heartbeats(letters, hours=24 * 5)
    assert "[pbem] The last week" in [str(mail["Subject"]) for mail in letters.received[ALICE]]


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


def test_a_turn_that_came_while_the_clock_was_ahead_stops_no_clock(letters: Correspondence) -> None:
    letters.match("challenge dora quadraphages time=300d+1d", "carol", "dora")
    letters.clock.leap(days=3650)
    letters.reply(letters.last("carol"), "1 a7b7 i3i2")
    letters.clock.leap(days=-3650)
    letters.wait(minutes=1)
    assert "which is yet to come" in letters.operate("check").output

    for _ in range(26):
        letters.run_for(hours=1)
    ((due,),) = letters.execute("select due from match where id = 2")
    assert str(due).startswith(f"{letters.clock() + timedelta(days=300):%Y-%m-%d}")
    assert "yet to come" not in letters.operate("check").output
    kinds = letters.execute("select kind from clockevent where match = 2 order by id")
    assert kinds.count(("righted",)) == 1
