"""The clock of a match, compared with one that counts minute by minute, and with what the wall clock says."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engines.core import Seat
from engines.seats import other
from notation.time_control import parse
from pbem.features.time.vacation_dates import parse_vacation
from pbem.features.time.vacations import days_taken
from pbem.matches.clock import clock as clocks
from pbem.matches.clock.clock import (
    NOTHING,
    Clock,
    ClockChange,
    DaysChosen,
    Ended,
    FollowsElsewhere,
    Outage,
    Paused,
    RanOut,
    Reminded,
    ReplyReceived,
    Resumed,
    Righted,
    TurnHandedOver,
    TurnsTakenBack,
    Unreachable,
)
from pbem.matches.clock.working_days import EVERY_DAY, Change, Span, WorkingDays, next_change

START = datetime(2026, 3, 27, 8, tzinfo=UTC)
"""A Friday, two days before the clocks change in Europe."""
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
ALWAYS = (WorkingDays(), WorkingDays())
VIENNA = "Europe/Vienna"
STEP = timedelta(minutes=30)
"""Every event in these tests is at a multiple of this after the start, and so is every midnight."""

steps = st.integers(0, 120).map(lambda number: START + number * STEP)
seats: st.SearchStrategy[Seat] = st.sampled_from((0, 1))
zones = st.sampled_from(("UTC", VIENNA, "America/New_York", "Asia/Kolkata", "Australia/Lord_Howe"))
spans = st.tuples(steps, st.integers(1, 60)).map(lambda at: Span(at[0], at[0] + at[1] * STEP))
some_days = st.frozensets(st.integers(0, 6), min_size=1)
days = st.builds(
    WorkingDays,
    zones,
    some_days,
    st.lists(spans, max_size=2).map(tuple),
    st.none() | st.builds(Change, steps, zones, some_days),
)
events: st.SearchStrategy[ClockChange] = st.one_of(
    st.builds(TurnHandedOver, steps, seats),
    st.builds(ReplyReceived, steps, seats),
    st.builds(FollowsElsewhere, steps, seats),
    st.builds(TurnsTakenBack, steps),
    st.builds(Unreachable, steps),
    st.builds(RanOut, steps),
    st.builds(Paused, steps, st.none() | steps),
    st.builds(Resumed, steps),
    st.tuples(steps, steps).map(lambda both: Outage(max(both), min(both))),
    st.builds(DaysChosen, steps, seats, days),
    st.builds(Reminded, steps, st.integers(0, 60).map(lambda number: number * STEP)),
    st.builds(Ended, steps),
)
logs = st.builds(
    lambda log, in_order: sorted(log, key=lambda event: event.at) if in_order else log,
    st.lists(events, max_size=12),
    st.booleans(),
)
"""In order or not, since clocks are set back; one event can come twice."""
controls = st.sampled_from(("none", "14d+1d", "2d+6h<=3d", "1d/move", "4d/3", "2d,6h/move", "3d/move,nag=5h"))


def begun(control: str = "14d+1d", days: tuple[WorkingDays, WorkingDays] = ALWAYS) -> Clock:
    return clocks.begin(parse(control), START, days)


def counted(log: list[ClockChange], days: list[WorkingDays], until: datetime) -> tuple[list[timedelta], timedelta]:
    """Return each seat's time, and the time that was nobody's, step by step: each step is looked at once."""
    used, nobodys = [NOTHING, NOTHING], NOTHING
    seat: Seat | None = None
    paused, until_then, now = False, None, START
    following: set[Seat] = set()

    def go_on(to: datetime, *, stopped: bool) -> None:
        nonlocal now, nobodys, paused
        while now < to:
            paused = paused and (until_then is None or now < until_then)
            if seat is None or paused or stopped or not is_working(days[seat], now):
                nobodys += STEP
            else:
                used[seat] += STEP
            now += STEP

    for event in log:
        if isinstance(event, Outage):
            go_on(event.since, stopped=False)
            go_on(event.at, stopped=True)
            continue
        go_on(event.at, stopped=False)
        match event:
            case TurnHandedOver():
                seat = event.seat
            case ReplyReceived():
                seat, paused = other(event.seat) if other(event.seat) in following else None, False
            case TurnsTakenBack() | Ended():
                seat, paused = None, False
            case Unreachable():
                seat = seat if seat in following else None
            case FollowsElsewhere():
                following.add(event.seat)
            case Paused():
                paused, until_then = True, event.until
            case Resumed():
                paused = False
            case DaysChosen():
                days[event.seat] = event.days
    go_on(until, stopped=False)
    return used, nobodys


def is_working(days: WorkingDays, at: datetime) -> bool:
    is_away = any(span.start <= at < span.end for span in days.away)
    if days.change is not None and days.change.at <= at:
        return at.astimezone(ZoneInfo(days.change.zone)).weekday() in days.change.days and not is_away
    return at.astimezone(ZoneInfo(days.zone)).weekday() in days.days and not is_away


def total(clock: Clock, seat: Seat) -> timedelta:
    """Return what a player has used, with the present turn."""
    return clock.sides[seat].used + (clock.spent if clock.seat == seat else NOTHING)


@given(log=logs, control=controls, first=days, second=days)
@settings(max_examples=50)
def test_every_moment_counts_for_one_of_them_or_for_nobody(
    log: list[ClockChange], control: str, first: WorkingDays, second: WorkingDays
) -> None:
    """Each player has used what a clock counts that looks at each half hour once."""
    until = max([START, *(event.at for event in log)]) + 40 * STEP

    clock = clocks.replay(begun(control, (first, second)), log).at(until)

    used, nobodys = counted(log, [first, second], until)
    assert [total(clock, 0), total(clock, 1)] == used
    assert used[0] + used[1] + nobodys == until - START


@given(log=logs, control=controls, first=days, looked=st.lists(steps, max_size=5))
@settings(max_examples=40)
def test_the_same_events_give_the_same_clock(
    log: list[ClockChange], control: str, first: WorkingDays, looked: list[datetime]
) -> None:
    """In one go, in two parts, and looked at in between: to the second, and to the microsecond."""
    start = begun(control, (first, first))
    until = START + 300 * STEP
    whole = clocks.replay(start, log).at(until)
    middle = len(log) // 2
    assert clocks.replay(clocks.replay(start, log[:middle]), log[middle:]).at(until) == whole
    looked_at = whole
    for moment in looked:
        looked_at = looked_at.at(moment)  # an earlier time: nothing is taken back
    assert looked_at == whole
    step_by_step = clocks.replay(start, log)
    for number in range(301):
        step_by_step = step_by_step.at(START + number * STEP)
    assert step_by_step == whole


@given(log=logs, control=controls, first=days)
@settings(max_examples=40)
def test_time_runs_out_when_it_is_due_and_not_before(log: list[ClockChange], control: str, first: WorkingDays) -> None:
    clock = clocks.replay(begun(control, (first, first)), log)
    due = clock.due
    if due is None:
        assert clock.seat is None or clock.is_paused or clock.is_told or not clock.control.is_limited
        return
    assert clock.at(due).has_run_out
    if due > clock.now:
        assert not clock.at(due - timedelta(microseconds=1)).has_run_out
    assert clock.at(clock.now + (due - clock.now) / 2).due == due, "while nothing happens, it stays due then"


@given(log=logs, control=controls)
@settings(max_examples=40)
def test_nobody_has_less_than_nothing_or_gains_by_thinking(log: list[ClockChange], control: str) -> None:
    clock = begun(control)
    for event in log:
        before, clock = clock, clock.after(event)
        assert clock.now >= before.now
        for seat in (0, 1):
            left, was_left = clock.left(seat), before.left(seat)  # type: ignore[arg-type]
            assert left is None or left >= NOTHING
            bank = clock.sides[seat].bank
            assert bank is None or not isinstance(event, ReplyReceived) or clock.control.turns or bank <= 14 * DAY
            begins_turn = isinstance(event, ReplyReceived) and event.seat != seat  # of whoever follows elsewhere
            if left is not None and was_left is not None and clock.seat == before.seat == seat and not begins_turn:
                assert left <= was_left


def test_a_turn_takes_from_the_bank_and_each_turn_adds_up_to_the_cap() -> None:
    clock = begun("2d+6h<=3d").after(TurnHandedOver(START, 0)).after(ReplyReceived(START + 10 * HOUR, 0))
    assert (clock.left(0), clock.left(1), clock.seat) == (44 * HOUR, 48 * HOUR, None)
    for turn in range(20):
        at = clock.now + HOUR * turn
        clock = clock.after(TurnHandedOver(at, 0)).after(ReplyReceived(at + HOUR, 0))
    assert clock.left(0) == 72 * HOUR


def test_so_many_turns_in_so_many_days_and_then_as_many_more() -> None:
    clock, left = begun("4d/3"), []
    for _ in range(6):
        clock = clock.after(TurnHandedOver(clock.now, 1)).after(ReplyReceived(clock.now + DAY, 1))
        left.append(clock.left(1))
    assert left == [3 * DAY, 2 * DAY, 5 * DAY, 4 * DAY, 3 * DAY, 6 * DAY]


def test_the_time_for_one_turn_is_new_for_each() -> None:
    clock = begun("2d,6h/move").after(TurnHandedOver(START, 0))
    assert clock.due == START + 6 * HOUR
    clock = clock.after(ReplyReceived(START + 5 * HOUR, 0)).after(TurnHandedOver(START + 9 * HOUR, 0))
    assert (clock.due, clock.left(0)) == (START + 15 * HOUR, 6 * HOUR)


HANDED, PLAYED = TurnHandedOver(START, 0), ReplyReceived(START + 9 * DAY, 0)
OUTAGE = Outage(START + 40 * HOUR, START + 12 * HOUR)
FORTNIGHT = "14d+1d"


@pytest.mark.parametrize(
    ("control", "log", "now", "left", "due"),
    [
        pytest.param(control, log, now, left, due, id=fact)
        for fact, control, log, now, left, due in (
            ("no turn, no time", FORTNIGHT, [], 5 * DAY, 14 * DAY, None),
            ("it begins with the message", FORTNIGHT, [TurnHandedOver(START + DAY, 0)], 2 * DAY, 13 * DAY, 15 * DAY),
            ("and not again", FORTNIGHT, [HANDED, TurnHandedOver(START + DAY, 0)], 2 * DAY, 12 * DAY, 14 * DAY),
            ("a late turn gains", "1d+6h", [HANDED, PLAYED], 9 * DAY, 6 * HOUR, None),
            ("an outage is given back", FORTNIGHT, [HANDED, OUTAGE], 2 * DAY, 13 * DAY + 4 * HOUR, 15 * DAY + 4 * HOUR),
            (
                "and no part of it twice", FORTNIGHT, [HANDED, OUTAGE, Outage(START + 45 * HOUR, START + 10 * HOUR)],
                50 * HOUR, 14 * DAY - 17 * HOUR, 14 * DAY + 33 * HOUR,
            ),
            ("it was ahead, and set right", FORTNIGHT, [TurnHandedOver(START + 900 * DAY, 0), Righted(START)],
             2 * DAY, 12 * DAY, 14 * DAY),
            ("a pause has no due time", FORTNIGHT, [HANDED, Paused(START + HOUR)], 9 * DAY, 14 * DAY - HOUR, None),
            ("a turn ends it", FORTNIGHT, [HANDED, Paused(START + HOUR), PLAYED, TurnHandedOver(START + 9 * DAY, 0)],
             9 * DAY, 14 * DAY, 23 * DAY),
            ("a pause ends then", FORTNIGHT, [HANDED, Paused(START + DAY, START + 9 * DAY)],
             10 * DAY, 12 * DAY, 22 * DAY),
            ("or before", FORTNIGHT, [HANDED, Paused(START + DAY, START + 9 * DAY), Resumed(START + 2 * DAY)],
             2 * DAY, 13 * DAY, 15 * DAY),
            ("what was used stays used", FORTNIGHT, [HANDED, TurnsTakenBack(START + DAY)], 3 * DAY, 13 * DAY, None),
            ("told too early", "3d/move", [HANDED, RanOut(START + DAY)], DAY, 2 * DAY, 3 * DAY),
            ("told once", "3d/move", [HANDED, RanOut(START + 3 * DAY)], 3 * DAY, NOTHING, None),
            ("until the next turn", "3d/move",
             [HANDED, RanOut(START + 3 * DAY), PLAYED, TurnHandedOver(START + 9 * DAY, 0)],
             9 * DAY, 3 * DAY, 12 * DAY),
            ("nothing can be sent", FORTNIGHT, [HANDED, Unreachable(START + DAY)], 9 * DAY, 13 * DAY, None),
            ("until it can", FORTNIGHT, [HANDED, Unreachable(START + DAY), TurnHandedOver(START + 9 * DAY, 0)],
             9 * DAY, 13 * DAY, 22 * DAY),
            ("who follows elsewhere needs no message", "3d/move",
             [FollowsElsewhere(START, 0), ReplyReceived(START + DAY, 1), Unreachable(START + 2 * DAY)],
             2 * DAY, 2 * DAY, 4 * DAY),
            ("without a limit", "none", [HANDED], 5000 * DAY, None, None),
        )
    ],
)  # fmt: skip
def test_what_is_left_and_when_it_is_due(
    control: str, log: list[ClockChange], now: timedelta, left: timedelta | None, due: timedelta | None
) -> None:
    clock = clocks.replay(begun(control), log).at(START + now)

    assert (clock.left(0), clock.due) == (left, None if due is None else START + due)


def test_an_outage_and_a_pause_and_a_weekend_at_once_are_given_back_once() -> None:
    mondays_to_fridays = WorkingDays(VIENNA, frozenset(range(5)))
    clock = begun("7d/move", (mondays_to_fridays, mondays_to_fridays)).after(TurnHandedOver(START, 0))
    log = [Paused(START + 10 * HOUR), Outage(START + 40 * HOUR, START + 12 * HOUR), Resumed(START + 64 * HOUR)]
    assert total(clocks.replay(clock, log).at(START + 96 * HOUR), 0) == (10 + 32) * HOUR
    assert total(clock.at(START + 96 * HOUR), 0) == (15 + 34) * HOUR, "Monday begins an hour early by UTC"


def test_days_chosen_now_do_not_change_what_has_passed() -> None:
    weekend = WorkingDays("UTC", frozenset((5, 6)))
    clock = begun().after(TurnHandedOver(START, 0)).after(DaysChosen(START + 4 * HOUR, 0, weekend))
    assert total(clock.at(START + 16 * HOUR + DAY), 0) == 4 * HOUR + DAY


def test_other_days_every_day_and_everywhere_gain_nothing() -> None:
    """Somebody who is off today and tomorrow whenever they are asked has two days off a week, as everybody can."""
    now, off = START, NOTHING
    calendar, ends = WorkingDays(), START + 70 * DAY
    while now < ends:
        zone = ("Pacific/Kiritimati", "Pacific/Pago_Pago", VIENNA)[now.day % 3]
        today = now.astimezone(ZoneInfo(zone)).weekday()
        present = calendar.on(now)
        begins = next_change(present, zone, now, is_first=now == START)
        change = Change(begins, zone, EVERY_DAY - {today, (today + 1) % 7})
        calendar = WorkingDays(present.zone, present.days, (), change)
        off += DAY - calendar.between(now, now + DAY)
        now += DAY
    assert 10 * DAY < off <= 20 * DAY + 2 * HOUR


@given(start=steps, length=st.integers(1, 40 * 24), zone=zones)
@settings(max_examples=40)
def test_a_vacation_takes_the_days_that_have_begun(start: datetime, length: int, zone: str) -> None:
    """Also where a day has 23 or 25 hours, and whether it is given by its length or by its days."""
    assert days_taken(Span(start, start + length * HOUR), zone).total() in (-(-length // 24), -(-(length - 1) // 24))
    days = length % 30 + 1
    assert days_taken(parse_vacation(f"{days}d", zone, start), zone).total() == days
    first = start.astimezone(ZoneInfo(zone)).date() + DAY
    assert days_taken(parse_vacation(f"{first} {first + (days - 1) * DAY}", zone, start), zone).total() == days


@given(first=days, start=steps, hours=st.integers(1, 400))
@example(WorkingDays("Pacific/Apia"), datetime(2011, 12, 29, tzinfo=UTC), 96)
@example(WorkingDays("America/Sao_Paulo", frozenset((6,))), datetime(2017, 10, 13, tzinfo=UTC), 96)
@example(WorkingDays(VIENNA, frozenset((6,))), datetime(2026, 10, 23, tzinfo=UTC), 96)
@settings(max_examples=40)
def test_days_on_and_days_off_are_all_there_is(first: WorkingDays, start: datetime, hours: int) -> None:
    """Also where midnight comes twice, or not at all, or where a day is left out."""
    end = start + hours * HOUR
    off = WorkingDays(first.zone, EVERY_DAY - first.days) if first.days != EVERY_DAY else None
    on = WorkingDays(first.zone, first.days)
    assert on.between(start, end) + (off.between(start, end) if off else NOTHING) == end - start
    found = [(span.start, span.end) for span in first.spans(start, end)]
    assert all(start <= begin < until <= end for begin, until in found)
    assert all(until <= begin for (_, until), (begin, _) in pairwise(found))
    needed = hours * HOUR / 3
    due = first.after(start, needed)
    assert due is not None
    assert first.between(start, due) == needed


@pytest.mark.parametrize(("month", "day", "hours"), [(3, 29, 23), (10, 25, 25), (6, 7, 24)])
def test_a_day_is_as_long_as_it_is_there(month: int, day: int, hours: int) -> None:
    """The days on which the clocks are changed have 23 or 25 hours."""
    sunday = WorkingDays(VIENNA, frozenset((6,)))
    start = datetime(2026, month, day, tzinfo=UTC) - DAY
    assert sunday.between(start, start + 3 * DAY) == hours * HOUR
