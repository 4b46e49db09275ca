"""Reminders of a turn: when its player wants them, and when that is, but not in the middle of their night.

    50% 1d      once half of the time for the turn is used, and once a day is left
    off         never

A time control can have one more, its `nag`. A reminder is known by how much time the turn has then taken, which no
pause, outage or day off changes. So it is settled once, whenever it is sent.
"""

import re
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from notation.time_control import BadTime, duration, parse_duration
from pbem.matches.clock.clock import Clock

OFF = "off"
DEFAULT = "50% 1d"
MOST = 4  # the most reminders of a turn that a player can choose
MORNING, EVENING, NIGHT = time(8), time(21), time(22)
"""When the night ends, the time before it for what can't wait until then, and when it begins."""
ENOUGH = timedelta(hours=1)  # how much time must be left in the morning for a reminder to wait until then
_SECOND = timedelta(seconds=1)
_SHARE = re.compile(r"([1-9][0-9]?)%")


@dataclass(frozen=True, slots=True)
class Wishes:
    shares: tuple[int, ...] = ()  # of the time for the turn, in percent
    left: tuple[timedelta, ...] = ()
    zone: str = "UTC"  # where it is night for them
    nag: bool = True  # whether the reminder that a time control can have is one, too


NEVER = Wishes(nag=False)


@dataclass(frozen=True, slots=True)
class Reminder:
    """One reminder: when it comes, and how much time the turn has taken by the moment that it is about."""

    at: datetime
    taken: timedelta


def parse_wishes(text: str, zone: str = "UTC") -> Wishes:
    """Return when to remind; raise BadTime."""
    words = text.lower().replace(",", " ").split()
    if words == [OFF]:
        return NEVER
    shares = {int(percent[1]) for word in words if (percent := _SHARE.fullmatch(word))}
    left = {parse_duration(word) for word in words if not _SHARE.fullmatch(word)}
    if not 1 <= len(shares) + len(left) <= MOST or not all(left):
        raise BadTime(f"There can be up to {MOST} reminders of a turn.")
    return Wishes(tuple(sorted(shares)), tuple(sorted(left, reverse=True)), zone)


def spelled(wishes: Wishes) -> str:
    """Return the canonical text, which `parse_wishes` reads as the same."""
    return " ".join((*(f"{share}%" for share in wishes.shares), *map(duration, wishes.left))) or OFF


def next_reminder(clock: Clock, wishes: Wishes) -> Reminder | None:
    return min(_open(clock, wishes), key=lambda reminder: reminder.at, default=None)


def settled(clock: Clock, wishes: Wishes, now: datetime) -> timedelta:
    """Return up to which time that the turn has taken its reminders have come by now, if nothing has happened since."""
    past = (reminder.taken for reminder in _open(clock, wishes) if reminder.at <= now)
    return max(past, default=clock.reminded)


def put_off(clock: Clock, wishes: Wishes, now: datetime) -> datetime | None:
    """Return until when a reminder that is due, but was not looked for in time, has to wait; None if it needn't."""
    later = _by_day(now, clock.due, clock, wishes)
    return later if later > now else None


def _open(clock: Clock, wishes: Wishes) -> list[Reminder]:
    due = clock.due
    if clock.seat is None or clock.is_paused or clock.has_run_out:
        return []
    times = sorted(time for time in _taken(clock, wishes) if time > clock.reminded)
    moments = ((time, clock.when_taken(max(time, clock.spent))) for time in times)
    return [Reminder(_by_day(moment, due, clock, wishes), time) for time, moment in moments if moment is not None]


def _taken(clock: Clock, wishes: Wishes) -> set[timedelta]:
    """Return how much time the turn has taken at each reminder, in whole seconds."""
    allowed, times = clock.allowed, set[timedelta]()
    if allowed is not None:
        times |= {allowed * share / 100 for share in wishes.shares}
        times |= {allowed - left for left in wishes.left}
    if wishes.nag and clock.control.nag is not None:
        times.add(clock.control.nag)
    seconds = {time // _SECOND * _SECOND for time in times}
    return {time for time in seconds if time > timedelta() and (allowed is None or time < allowed)}


def _by_day(moment: datetime, due: datetime | None, clock: Clock, wishes: Wishes) -> datetime:
    """Return the moment or, if it is in the player's night, the morning; the evening if time runs out before that.

    Where neither is left, it stays where it is. Nobody is reminded in the morning of a day on which they are away.
    """
    zone = ZoneInfo(wishes.zone)
    there = moment.astimezone(zone)
    if MORNING <= there.time() < NIGHT:
        return moment
    before = there.date() if there.time() >= NIGHT else there.date() - timedelta(days=1)
    morning = datetime.combine(before + timedelta(days=1), MORNING, zone).astimezone(moment.tzinfo)
    evening = datetime.combine(before, EVENING, zone).astimezone(moment.tzinfo)
    days = clock.sides[clock.seat or 0].days
    is_away = any(span.start <= morning < span.end for span in days.away)
    if not is_away and (due is None or morning + ENOUGH <= due):
        return morning
    return evening if evening > clock.now else moment
