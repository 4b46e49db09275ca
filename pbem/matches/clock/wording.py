"""The line about time in messages about a match: what each player has left, and when the turn is due for the reader."""

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
    """Whether the player to move has run out of time."""
    was_begun: bool
    """Whether the player to move has played a turn before."""
    ends: str | None = None
    """When the match ends without a claim, once it can be claimed."""


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
    left = [_left(clock, seat) for seat in seats]
    if reader is not None:
        left = [f"{each}{_days(clock, seat)}" for each, seat in zip(left, seats, strict=True)]
    has = [f"you have {left[0]}" if reader is not None else f"{names[0]} has {left[0]}", f"{names[seats[1]]} {left[1]}"]
    line = f"Time left: {', '.join(has)}."
    due = None if clock.has_run_out or reader is None else clock.due_for(to_move)
    if due is not None:
        whose = "Your" if to_move == reader else f"{names[to_move]}'s"
        line += f" {whose} turn is due by {moment(due, zone, written)}."
    for seat in seats if reader is not None else ():
        who = "You are" if seat == reader else f"{names[seat]} is"
        line += _absence(clock, seat, who, zone, written)
    ends = None if clock.ends is None else moment(clock.ends, zone, written)
    return TimeShown(line, clock.has_run_out and not clock.is_paused, clock.sides[to_move].turns > 0, ends)


def _days(clock: Clock, seat: Seat) -> str:
    days = clock.sides[seat].days.on(clock.now).days
    return "" if days == EVERY_DAY else f" ({format_days(days)})"


def _absence(clock: Clock, seat: Seat, who: str, zone: str, written: datetime) -> str:
    span = clock.sides[seat].days.away_at(written)
    if span is None:
        return ""
    since = f" from {moment(span.start, zone, written)}" if span.start > written else ""
    return f" {who} away{since} until {moment(span.end, zone, written)}."


def _left(clock: Clock, seat: Seat) -> str:
    left = clock.left(seat)
    return "no limit" if left is None else spoken(left) if left else "none"


def moment(time: datetime, zone: str, written: datetime) -> str:
    """Return a time as the clocks of that zone show it, with the year if it isn't that of the message.

    >>> november, december = (datetime.fromisoformat(f"2026-{day}T15:20Z") for day in ("11-22", "12-06"))
    >>> moment(december, "Europe/Vienna", november)
    'Sun 6 Dec, 16:20 (Europe/Vienna)'
    """
    there, today = (each.astimezone(ZoneInfo(zone)) for each in (time, written))
    year = "" if there.year == today.year else f" {there.year}"
    named = "UTC" if zone == "UTC" else f"({zone})"
    return f"{there:%a} {there.day} {there:%b}{year}, {there:%H:%M} {named}"
