"""Times as readers are told them: in their zone, and how much time a clock has left."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from engines.core import Seat
from engines.seats import SEATS, other
from notation.time_control import spoken
from pbem.matches.clock.clock import Clock
from pbem.matches.clock.working_days import EVERY_DAY, format_days


@dataclass(frozen=True, slots=True)
class TimeShown:
    line: str
    is_overdue: bool
    was_begun: bool  # whether the player to move has played a turn before
    ends: str | None = None  # when the match ends without a claim, once it can be claimed


def time_shown(
    clock: Clock, to_move: Seat, names: tuple[str, str], reader: Seat | None, zone: str, written: datetime
) -> TimeShown | None:
    """Return what to show to a reader in that seat and time zone; None if nobody can run out of time.

    When somebody is away, and so when a turn is due, is told to players of the match alone. The due time is the
    earliest: time begins when the message about the turn is handed over.
    """
    if not clock.control.is_limited:
        return None
    clock = clock.at(written)
    seats = SEATS if reader is None else (reader, other(reader))
    first, second = (_remaining(clock, seat, with_days=reader is not None) for seat in seats)
    has = f"you have {first}" if reader is not None else f"{names[0]} has {first}"
    line = f"Time left: {has}, {names[seats[1]]} {second}."
    due = None if clock.has_run_out or reader is None else clock.due_for(to_move)
    if due is not None:
        whose = "Your" if to_move == reader else f"{names[to_move]}'s"
        line += f" {whose} turn is due by {moment(due, zone, written)}."
    for seat in seats if reader is not None else ():
        who = "You are" if seat == reader else f"{names[seat]} is"
        line += _absence(clock, seat, who, zone, written)
    ends = None if clock.ends is None else moment(clock.ends, zone, written)
    return TimeShown(line, clock.has_run_out and not clock.is_paused, clock.sides[to_move].turns > 0, ends)


def _remaining(clock: Clock, seat: Seat, *, with_days: bool) -> str:
    left, days = clock.left(seat), clock.sides[seat].days.on(clock.now).days
    time = "no limit" if left is None else spoken(left) if left else "none"
    return time if days == EVERY_DAY or not with_days else f"{time} ({format_days(days)})"


def _absence(clock: Clock, seat: Seat, who: str, zone: str, written: datetime) -> str:
    span = clock.sides[seat].days.away_at(written)
    if span is None:
        return ""
    since = f" from {moment(span.start, zone, written)}" if span.start > written else ""
    return f" {who} away{since} until {moment(span.end, zone, written)}."


def moment(time: datetime, zone: str, written: datetime) -> str:
    """Return a time as the clocks of that zone show it, with the year if it isn't that of the message.

    >>> november, december = (datetime.fromisoformat(f"2026-{day}T15:20Z") for day in ("11-22", "12-06"))
    >>> moment(december, "Europe/Vienna", november)
    'Sun 6 Dec, 16:20 (Europe/Vienna)'
    """
    there, today = time.astimezone(ZoneInfo(zone)), written.astimezone(ZoneInfo(zone))
    year = "" if there.year == today.year else f" {there.year}"
    named = "UTC" if zone == "UTC" else f"({zone})"
    return f"{there:%a} {there.day} {there:%b}{year}, {there:%H:%M} {named}"


def day(choices: Mapping[str, str], time: datetime, now: datetime) -> str:
    """Return the date of that time in the player's zone, with the year if it isn't the present one.

    >>> march, april = (datetime.fromisoformat(f"2026-{day}T22:00Z") for day in ("03-02", "04-01"))
    >>> day({"zone": "Asia/Tokyo"}, march, april)
    '3 Mar'
    """
    there, today = (each.astimezone(ZoneInfo(choices["zone"])) for each in (time, now))
    return f"{there.day} {there:%b}" if there.year == today.year else f"{there.day} {there:%b %Y}"
