"""When a player is reminded of a turn: never in their night where there is another time, and once for each wish."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notation.time_control import BadTime, parse
from pbem.matches.clock.clock import (
    Clock,
    Outage,
    Paused,
    RanOut,
    Reminded,
    ReplyReceived,
    Resumed,
    TurnHandedOver,
    begin,
)
from pbem.matches.clock.reminder_times import MOST, NEVER, Wishes, next_reminder, parse_wishes, settled, spelled
from pbem.matches.clock.working_days import Span, WorkingDays

START = datetime(2026, 3, 2, 8, tzinfo=UTC)
"""A Monday."""
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
NIGHT = (*range(8), 22, 23)


def turn(control: str, days: WorkingDays | None = None) -> Clock:
    """Return the clock of a match whose first turn was handed over at the start."""
    each = days or WorkingDays()
    return begin(parse(control), START, (each, each)).after(TurnHandedOver(START, 0))


def moments(clock: Clock, wishes: str, zone: str = "UTC") -> list[datetime]:
    """Return when a player with those wishes is reminded, each time by a server that looks at that moment."""
    found = []
    wanted = parse_wishes(wishes, zone)
    while (reminder := next_reminder(clock, wanted)) is not None:
        found.append(reminder.at)
        clock = clock.after(Reminded(reminder.at, settled(clock, wanted, reminder.at)))
    return found


@pytest.mark.parametrize(
    ("control", "wishes", "hours"),
    [
        ("3d/move", "50% 1d", [36, 48]),
        ("14d+1d", "50% 1d", [168, 312]),
        ("3d/move", "12h 20h", [52, 60]),
        ("3d/move", "50% 36h", [36]),
        ("1d/move", "1d 2d", []),
        ("3d/move,nag=1d", "50%", [24, 36]),
        ("3d/move,nag=1d", "off", []),
        ("nag=2d", "50% 1d", [48]),
        ("none", "50% 1d", []),
    ],
)
def test_a_turn_has_the_reminders_that_its_player_wants(control: str, wishes: str, hours: list[int]) -> None:
    assert moments(turn(control), wishes) == [START + each * HOUR for each in hours]


def test_what_would_come_at_night_comes_in_the_morning_and_once() -> None:
    assert moments(turn("3d/move"), "30h 31h 32h 20h") == [START + 2 * DAY, START + 2 * DAY + 4 * HOUR]
    assert moments(turn("3d/move"), "50%", "America/New_York") == [START + 36 * HOUR]
    assert moments(turn("3d/move"), "24h", "America/New_York") == [START + 53 * HOUR]


def test_it_comes_the_evening_before_if_there_is_no_time_in_the_morning() -> None:
    begun = replace(turn("46h/move"), now=START)
    assert moments(begun, "2h") == [START + DAY + 13 * HOUR], "due at 6"
    assert moments(turn("48h/move"), "3h") == [START + DAY + 13 * HOUR], "due at 8"
    assert moments(turn("49h/move"), "3h") == [START + 2 * DAY], "an hour is enough"


def test_it_comes_at_night_where_nothing_else_is_left() -> None:
    at_ten = START + 14 * HOUR
    clock = begin(parse("8h/move"), START, (WorkingDays(), WorkingDays())).after(TurnHandedOver(at_ten, 0))
    assert moments(clock, "50%") == [at_ten + 4 * HOUR]


def test_nobody_is_reminded_while_they_are_away() -> None:
    away = WorkingDays(away=(Span(START + 42 * HOUR, START + 90 * HOUR),))
    assert moments(turn("3d/move", away), "33h") == [START + 37 * HOUR], "the evening before"
    assert moments(turn("3d/move", away), "24h") == [START + 96 * HOUR]


def test_a_reminder_comes_once_whatever_stops_the_clock() -> None:
    wishes = parse_wishes("50%")
    clock = turn("3d/move").after(Paused(START + HOUR))
    assert next_reminder(clock, wishes) is None
    clock = clock.after(Resumed(START + 13 * HOUR))
    assert [found.at for found in (next_reminder(clock, wishes),) if found] == [START + 48 * HOUR]
    clock = clock.after(Reminded(START + 48 * HOUR, settled(clock, wishes, START + 48 * HOUR)))
    assert next_reminder(clock.after(Outage(START + 60 * HOUR, START + 50 * HOUR)), wishes) is None
    again = clock.after(ReplyReceived(START + 61 * HOUR, 0)).after(TurnHandedOver(START + 61 * HOUR, 0))
    assert next_reminder(again, wishes) is not None, "the next turn has its own"


def test_nothing_comes_once_time_has_run_out() -> None:
    clock = turn("3d/move").after(RanOut(START + 3 * DAY))
    assert next_reminder(clock, Wishes(shares=(50,))) is None


@given(
    control=st.sampled_from(("3d/move", "14d+1d", "5h/move", "90d/20", "1d/move,nag=4h")),
    wishes=st.lists(st.sampled_from(("10%", "50%", "99%", "1h", "12h", "1d", "3d")), min_size=1, max_size=MOST),
    zone=st.sampled_from(("UTC", "Europe/Vienna", "America/New_York", "Asia/Kolkata", "Pacific/Auckland")),
    hour=st.integers(0, 24 * 60),
)
@settings(max_examples=60)
def test_no_reminder_is_late_or_comes_in_a_night_that_could_be_avoided(
    control: str, wishes: list[str], zone: str, hour: int
) -> None:
    begins = START + hour * HOUR
    clock = begin(parse(control), begins, (WorkingDays(), WorkingDays())).after(TurnHandedOver(begins, 0))
    found, due = moments(clock, " ".join(wishes), zone), clock.due
    assert due is not None
    assert len(found) <= MOST + 1
    assert found == sorted(set(found))
    for moment in found:
        assert begins <= moment < due
        there = moment.astimezone(ZoneInfo(zone))
        if there.hour in NIGHT:
            evening = there.replace(hour=21, minute=0) - (DAY if there.hour < 8 else 0 * DAY)
            assert due - moment < 11 * HOUR, "no morning is left"
            assert evening <= clock.now.astimezone(evening.tzinfo) or moment == evening


@given(
    shares=st.frozensets(st.integers(1, 99), max_size=2),
    minutes=st.frozensets(st.integers(1, 10_000), min_size=1, max_size=2),
)
@settings(max_examples=30)
def test_wishes_are_read_as_they_are_written(shares: frozenset[int], minutes: frozenset[int]) -> None:
    left = tuple(sorted((timedelta(minutes=each) for each in minutes), reverse=True))
    wishes = Wishes(tuple(sorted(shares)), left)
    assert parse_wishes(spelled(wishes)) == wishes
    assert parse_wishes("off") == NEVER


@pytest.mark.parametrize("text", ["", "100%", "0%", "-5%", "soon", "50% off", "10% 20% 30% 40% 50%", "0d", "%"])
def test_what_is_no_wish_is_refused(text: str) -> None:
    with pytest.raises(BadTime):
        parse_wishes(text)
