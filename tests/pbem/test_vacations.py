"""Days off, vacations and pauses by mail: whose clock stands still, who is told, and what gains nothing."""

from collections.abc import Iterator
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import pytest
from sqlmodel import select

from pbem.features.accounts import data_export
from pbem.features.all import FEATURES
from pbem.features.time import pauses
from pbem.features.time import vacations_due as vacations
from pbem.matches.clock import timekeeping
from pbem.matches.clock.clock import Clock
from pbem.messages.token_redaction import TokenRedactor
from pbem.storage.database import transaction
from pbem.storage.models import Match, Player
from tests import databases
from tests.correspondence import ADDRESS, MORNING, Correspondence, correspondence, text

ALICE, BOB = "alice@mail.example", "bob@mail.example"
DAY = timedelta(days=1)


def begin(letters: Correspondence, words: str = "time=14d+1d") -> None:
    letters.match(f"challenge bob quadrature {words}")
    letters.play(first_turns)


def first_turns(letters: Correspondence) -> None:
    """Let both play a turn: it is alice's again, and Monday, 2 March, 8 o'clock. Nobody is reminded."""
    for name in ("alice", "bob"):
        letters.reply(letters.received[f"{name}@mail.example"][1], "set remind off")
    letters.reply(letters.received[ALICE][1], "#1 e3f4")
    letters.reply(letters.last("bob"), "e9f8")


@pytest.fixture
def letters(tmp_path: Path) -> Iterator[Correspondence]:
    """Begin a match in which it is alice's turn, by Monday, 16 March, 8 o'clock."""
    with correspondence(tmp_path) as letters:
        begin(letters)
        yield letters


def write(letters: Correspondence, words: str, name: str = "alice") -> str:
    """Write to the personal address of a player. Return what they are answered, as one line."""
    letters.reply(letters.received[f"{name}@mail.example"][1], words)
    return said(letters.last(name))


def said(mail: EmailMessage) -> str:
    return " ".join(text(mail).split())


def clock(letters: Correspondence, number: int = 1) -> Clock:
    with transaction(letters.server.engine) as session:
        found = timekeeping.clock_of(session.get_one(Match, number))
    assert found is not None
    return found


def due(letters: Correspondence) -> timedelta | None:
    """Return how long after the beginning of everything the turn is due. That's what the stored events add up to."""
    with transaction(letters.server.engine) as session:
        match = session.get_one(Match, 1)
        assert timekeeping.replayed(match, timekeeping.rows_of(session, [match])) == timekeeping.clock_of(match)
        at = match.due
    return None if at is None else at - MORNING


def test_a_vacation_stops_the_clock_of_the_player_and_no_other(letters: Correspondence) -> None:
    told = write(letters, "vacation 10d")

    assert "You're on vacation until Thu 12 Mar, 08:00 UTC." in told
    assert "You have 20 days of vacation left in 2026." in told
    assert due(letters) == 24 * DAY
    letters.reply(letters.last_to(BOB), "vacation 3d")
    letters.run_for(days=2)
    letters.reply(letters.received[ALICE][-2], "b3b4")  # they can still move
    assert clock(letters).left(0) == 14 * DAY
    letters.run_for(days=1)
    assert clock(letters).at(letters.clock()).left(1) == 13 * DAY


@pytest.mark.slow
def test_opponents_are_told_once_and_see_it_in_every_message(letters: Correspondence) -> None:
    letters.reply(letters.received[ALICE][1], "challenge bob quadrature time=3d/move")
    letters.reply(letters.last("bob"), "accept")
    letters.received[BOB].clear()

    write(letters, "vacation 10d")
    letters.run_for(days=1)

    (news,) = letters.received[BOB]
    assert "alice is on vacation until Thu 12 Mar, 08:00 UTC. Their clock stands still meanwhile" in said(news)
    assert "alice is away until Thu 12 Mar, 08:00 UTC." in said(news)
    letters.reply(letters.received[ALICE][-2], "show 1")
    assert "You are away until Thu 12 Mar, 08:00 UTC." in said(letters.last("alice"))
    assert letters.run_for(days=20, hours=1) != []  # alice runs out of time in the second match
    assert not any("on vacation" in said(mail) for mail in letters.received[BOB][1:])


def test_a_planned_vacation_begins_by_itself_and_counts_before_it_does(letters: Correspondence) -> None:
    write(letters, "set zone Europe/Vienna")
    told = write(letters, "vacation 2026-03-06 2026-03-08")

    assert "You'll be on vacation from Fri 6 Mar, 00:00 until Mon 9 Mar, 00:00" not in told, "with the zone"
    assert "from Fri 6 Mar, 00:00 (Europe/Vienna) until Mon 9 Mar, 00:00 (Europe/Vienna)." in told
    assert "27 days of vacation left in 2026" in told
    assert due(letters) == 17 * DAY
    letters.received[BOB].clear()
    letters.run_for(days=3)
    assert letters.received[BOB] == []
    (news,) = letters.run_for(hours=16)
    assert news["To"] == BOB
    assert "alice is on vacation until Sun 8 Mar, 23:00 UTC." in said(news)


@pytest.mark.slow
def test_ending_a_vacation_and_beginning_another_gains_nothing(letters: Correspondence) -> None:
    """Days that have begun are spent; what was planned and called off isn't."""
    for _ in range(3):
        write(letters, "vacation 10d")
        letters.run_for(hours=5)
        assert "Your vacation is over. Your clocks run again." in write(letters, "vacation off")
    assert "You have 27 days of vacation left" in write(letters, "vacation")
    assert due(letters) == 14 * DAY + timedelta(hours=15)
    write(letters, "vacation 2026-04-01 2026-04-20")
    assert "is called off." in write(letters, "vacation off")
    assert "You have 27 days of vacation left" in write(letters, "vacation")
    assert "That takes 28 days of 2026, and you have 27 left." in write(letters, "vacation 28d")
    assert due(letters) == 14 * DAY + timedelta(hours=15)


@pytest.mark.slow
def test_a_vacation_can_be_changed_while_it_lasts(letters: Correspondence) -> None:
    write(letters, "vacation 10d")
    letters.run_for(days=4)
    told = write(letters, "vacation until 2026-03-08")

    assert "You're on vacation until Mon 9 Mar, 00:00 UTC. " in told
    assert "You have 23 days of vacation left" in told
    assert due(letters) == timedelta(days=20, hours=16)
    assert "You're on vacation now; you can plan" in write(letters, "vacation 2026-04-01 2026-04-03")
    for _ in range(9):
        write(letters, "vacation 5d")
    assert "You've changed your vacation too often today." in write(letters, "vacation 6d")


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("vacation 2026-02-24 2026-03-03", "2026-02-24 is in the past; today is 2026-03-02. For example"),
        ("vacation 2026-04-24 2026-04-03", "2026-04-03 is before 2026-04-24. For example"),
        ("vacation 31d", 'That takes 31 days of 2026, and you have 30 left. For example "vacation 30d".'),
        ("vacation 10y", '"10y" is no number of days or weeks, and no date. For example "vacation 10d" or'),
        ("vacation 2026-02-30 2026-03-03", '"2026-02-30" is no date. For example'),
        ("vacation 2026-03-03", "A vacation needs its first day and its last."),
        ("vacation 0d", '"0d" is no time at all.'),
        ("vacation 2028-01-01 2028-01-03", "That is more than a year."),
        ("vacation off", "You aren't on vacation, and haven't planned one."),
        ("set days mon-thu", "your clock can stop on 2 of the 7 days of the week."),
        ("set days weekdays", '"days" can\'t be "weekdays".'),
        ("vacation 9999-12-31 10d", "That is more than a year."),
        ("set remind 5y", '"remind" can\'t be "5y". "set remind 50% 1d" or "set remind off".'),
        ("set remind 150%", '"remind" can\'t be "150%".'),
        ("#1 pause 2026-03-02", "2026-03-02 isn't in the future; today is 2026-03-02. For example"),
        ("#1 pause 10y", '"10y" is no number of days or weeks, and no date. For example "pause 10d" or'),
        ("challenge bob quadrature weekends=off time=none", '"weekends=off" needs a limit: add for example'),
        ("challenge bob quadrature weekends=maybe", '"weekends=maybe" is not a choice; use weekends=off'),
    ],
)
def test_what_makes_no_sense_changes_nothing(letters: Correspondence, words: str, told: str) -> None:
    events = letters.execute("select count(*) from clockevent")

    assert told in write(letters, words)

    assert letters.execute("select count(*) from clockevent") == events
    assert letters.execute("select id from vacation") == letters.execute("select id from calendar") == []
    assert letters.execute("select cast(offers as varchar), time from match") == [("{}", "14d+1d")]


@pytest.mark.slow
def test_whoever_has_no_days_left_is_told_what_else_works(tmp_path: Path) -> None:
    with correspondence(tmp_path, server="vacation_days = 2") as letters:
        begin(letters)
        write(letters, "vacation 2d")
        letters.run_for(days=2)
        before = letters.execute("select * from vacation")

        told = write(letters, "vacation 1d")

        assert 'You have no days of vacation left in 2026. "pause" suggests a pause to your opponent.' in told
        assert letters.execute("select * from vacation") == before


@pytest.mark.slow
def test_a_server_can_do_without(tmp_path: Path) -> None:
    with correspondence(tmp_path, server="vacation_days = 0") as letters:
        begin(letters)
        assert "There are no vacations on this server." in write(letters, "vacation 10d")
        assert "your clock can stop on 2 of the 7 days" in write(letters, "set days mon-thu")


def test_an_unproven_vacation_waits_for_a_yes(letters: Correspondence) -> None:
    """From the address alone, and in reply to a message about a match, as with settings."""
    for to in (ADDRESS, letters.last("alice")["Reply-To"].addresses[0].addr_spec):
        (question,) = letters.write(ALICE, "vacation 10d", to=to)
        assert 'eply "yes" to this message' in text(question)
        assert due(letters) == 14 * DAY
    letters.write("mallory@mail.example", "vacation 10d")
    assert letters.execute("select id from vacation") == []
    letters.reply(question, "yes")
    assert due(letters) == 24 * DAY


def test_with_auto_a_day_is_taken_before_time_runs_out_and_another_if_needed(tmp_path: Path) -> None:
    with correspondence(tmp_path, server="vacation_days = 2") as letters:
        begin(letters, "time=2d/move,auto")
        write(letters, "set vacation auto")
        letters.received[BOB].clear()

        told = letters.run_for(hours=47, minutes=50)

        assert {str(mail["To"]) for mail in told} == {ALICE, BOB}
        assert "Your time was about to run out in match #1, so your vacation has begun." in said(letters.last("alice"))
        assert "alice is on vacation until Thu 5 Mar, 07:50 UTC." in said(letters.last("bob"))
        assert due(letters) == 3 * DAY
        assert letters.run_for(hours=24) == []
        assert due(letters) == 4 * DAY
        assert letters.run_for(hours=23, minutes=59) == [], "there is no day left"
        over = letters.run_for(minutes=11)
        assert len(over) == 2
        assert letters.execute("select termination, winner from match") == [("timeout", 1)]


@pytest.mark.slow
def test_days_off_count_from_midnight_and_later_ones_from_monday(letters: Correspondence) -> None:
    """A new choice in each message gains nothing: this week has two days off, whatever they are called."""
    write(letters, "set zone Europe/Vienna")
    told = write(letters, "set days mon-fri")
    assert "Saved: days mon-fri. Your clocks follow your days from Tue 3 Mar, 00:00 (Europe/Vienna) on." in told
    assert due(letters) == 18 * DAY
    assert write(letters, "set days mon-fri").count("Your clocks") == 0
    for day in ("wed-sun", "tue-sat", "mon-fri"):
        letters.run_for(days=1)
        assert "from Mon 9 Mar, 00:00 (Europe/Vienna) on." in write(letters, f"set days {day}")
        assert clock(letters).at(letters.clock()).spent == letters.clock() - MORNING
    assert due(letters) == 18 * DAY
    for _ in range(5):
        write(letters, "set days all")
        told = write(letters, "set days mon-fri")
    assert "You've changed your days or your time zone too often today." in told


@pytest.mark.slow
def test_the_first_choice_counts_from_the_next_day(letters: Correspondence) -> None:
    told = write(letters, "set days wed-mon")

    assert "from Tue 3 Mar, 00:00 UTC on" in told
    assert due(letters) == 17 * DAY, "three Tuesdays"
    letters.reply(letters.received[ALICE][1], "challenge bob quadrature time=1d/move")
    letters.reply(letters.last("bob"), "accept")
    assert clock(letters, 2).due == MORNING + 2 * DAY


@pytest.mark.slow
def test_weekends_off_are_agreed_with_the_challenge(tmp_path: Path) -> None:
    """They are those of each player: their own days off instead of Saturday and Sunday, if they have chosen any."""
    with correspondence(tmp_path) as letters:
        begin(letters, "time=6d/move weekends=off")

        assert "6 days for each turn; no time runs on weekends" in said(letters.received[BOB][2])
        assert letters.execute("select time from match") == [("6d/move,weekends=off",)]
        assert due(letters) == 8 * DAY
        assert "you have 6 days (mon-fri), bob 6 days (mon-fri). Your turn is due by Tue 10 Mar, 08:00 UTC" in said(
            letters.last("alice")
        )
        write(letters, "set days sun-thu")
        assert due(letters) == 8 * DAY, "Friday and Saturday"
        write(letters, "set zone Pacific/Kiritimati\nset zone Pacific/Pago_Pago")
        assert due(letters) == 8 * DAY, "from next Monday on"


def test_a_pause_ends_by_itself(letters: Correspondence) -> None:
    letters.reply(letters.last("bob"), "pause 2026-03-12")
    offer = letters.last("alice")
    assert "bob has suggested a pause until Thu 12 Mar, 00:00 UTC." in said(offer)
    letters.reply(offer, "pause 3d")
    assert "Your opponent has suggested another pause." in said(letters.last("alice"))
    letters.reply(offer, "accept")

    assert due(letters) == timedelta(days=23, hours=16)
    assert "The match is paused until Thu 12 Mar, 00:00 UTC, or until one of you moves or replies" in said(
        letters.last("bob")
    )
    letters.run_for(days=9)
    (first, second) = letters.run_for(hours=17)
    assert "In match #1, the pause is over, as agreed." in said(first)
    assert {str(first["To"]), str(second["To"])} == {ALICE, BOB}
    assert letters.execute("select paused, resumes from match") == [(None, None)]
    assert due(letters) == timedelta(days=23, hours=16)
    assert letters.run_for(days=1) == []


@pytest.mark.slow
@pytest.mark.parametrize("words", ["resume", "b3b4", "undo"])
def test_a_pause_with_an_end_can_end_before(letters: Correspondence, words: str) -> None:
    letters.reply(letters.last("bob"), "pause 10d")
    letters.reply(letters.last("alice"), "accept pause")
    letters.run_for(days=2)
    letters.reply(letters.last("bob" if words == "undo" else "alice"), words)
    if words == "undo":
        letters.reply(letters.last("alice"), "accept undo")

    assert letters.execute("select paused, resumes from match") == [(None, None)]
    assert not clock(letters).is_paused
    assert letters.operate("check").exit_code == 0
    letters.run_for(days=9)
    assert not any("the pause is over" in said(mail) for mail in letters.received[ALICE])


@pytest.mark.slow
def test_an_offer_of_a_pause_that_would_be_over_can_not_be_accepted(letters: Correspondence) -> None:
    letters.reply(letters.last("bob"), "pause 2d")
    offer = letters.last("alice")
    letters.run_for(days=3)
    letters.reply(offer, "accept pause")

    assert "The pause that was suggested would be over already." in said(letters.last("alice"))
    assert due(letters) == 14 * DAY


@pytest.mark.slow
def test_days_off_and_vacations_are_exported_and_deleted(letters: Correspondence) -> None:
    write(letters, "set days mon-fri\nvacation 2026-04-01 2026-04-03")
    write(letters, "vacation 2d", "bob")
    with transaction(letters.server.engine) as session:
        alice = session.exec(select(Player).where(Player.name == "alice")).one()
        facts = data_export.gather(session, alice, letters.clock(), TokenRedactor(), FEATURES.exports).facts
    assert [row["days"] for row in facts["days"]] == ["all", "mon-fri"]
    assert [str(row["from"]) for row in facts["vacations"]] == ["2026-04-01 00:00:00+00:00"]

    letters.reply(letters.received[ALICE][1], "delete me")
    letters.reply(letters.last("alice"), "yes")

    assert letters.execute("select id from calendar") == []
    assert letters.execute("select player from vacation") == [(2,)]


@pytest.mark.slow
def test_prose_that_begins_like_a_command_is_prose(letters: Correspondence) -> None:
    for note in ("Vacation greetings!", "Vacation was great", "Pause for thought."):
        letters.reply(letters.received[ALICE][-1], f"say Hello\n\n{note}")
        letters.clock.advance(minutes=6)  # notes of five minutes are one message
    assert letters.execute("select id from vacation") == []
    assert "Pause for thought." in text(letters.last("bob"))


@pytest.mark.slow
def test_what_is_told_is_told_once(letters: Correspondence) -> None:
    """Whoever looks again finds nothing to do, and on PostgreSQL what another daemon is at is left to it."""
    letters.reply(letters.last("bob"), "pause 2d")
    letters.reply(letters.last("alice"), "accept pause")
    write(letters, "vacation 2026-03-03 2026-03-05", "bob")
    letters.clock.advance(days=2, hours=1)
    engine, server, now = letters.server.engine, letters.server.settings.server, letters.clock()
    if databases.kind() == "postgresql":
        with transaction(engine) as session:
            session.connection().exec_driver_sql("select * from match, vacation for update")
            assert vacations.tell(engine, server, now) == pauses.end(engine, server, now) == 0
    for end in (vacations.tell, pauses.end):
        assert [end(engine, server, now) for _ in range(2)] == [1, 0]
    assert len(letters.wait()) == 3
