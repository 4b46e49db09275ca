"""Calendars: the days on which a player's time runs, in their time zone, and when they are away.

Days begin and end at midnight where the player is; as instants, they follow one another without a gap, whatever is
done to the clocks there. Other days count from the beginning of a week: so however often somebody changes them, no
week has more days off than each choice has.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

NAMES = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
EVERY_DAY = frozenset(range(7))
DAYS_OFF = 2  # on how many days of each week a player's time can stand still, as they choose
LONGEST_SEARCH = timedelta(days=20 * 366)  # how far ahead an instant is looked for; time controls are shorter
_DAY = timedelta(days=1)


class BadDays(Exception):
    """A text that names no days; the message is a sentence, followed by what would work."""


@dataclass(frozen=True, slots=True)
class Span:
    """The time from an instant until another, which doesn't belong to it."""

    start: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class Change:
    """Other days of the week, in another zone perhaps, from an instant on."""

    at: datetime
    zone: str
    days: frozenset[int]


@dataclass(frozen=True, slots=True)
class WorkingDays:
    """The days of the week on which a player's time runs, except while they are away."""

    zone: str = "UTC"
    days: frozenset[int] = EVERY_DAY  # monday is 0
    away: tuple[Span, ...] = ()
    change: Change | None = None  # which days these are from an instant on

    def __post_init__(self) -> None:
        if not self.days or not self.days <= EVERY_DAY:
            raise BadDays("Your time must run on at least one day of the week.")

    @property
    def is_always(self) -> bool:
        return self.days == EVERY_DAY and not self.away and self.change is None

    def on(self, now: datetime) -> "WorkingDays":
        if self.change is None or now < self.change.at:
            return self
        return WorkingDays(self.change.zone, self.change.days, self.away)

    def away_at(self, now: datetime) -> Span | None:
        """Return the time that the player is away at that instant, or next after it; None if they won't be."""
        return min((span for span in self.away if span.end > now), key=lambda span: span.start, default=None)

    def between(self, start: datetime, end: datetime) -> timedelta:
        if self.is_always:
            return max(end - start, timedelta())
        return sum((span.end - span.start for span in self.spans(start, end)), timedelta())

    def after(self, start: datetime, needed: timedelta) -> datetime | None:
        """Return the instant at which that much time has counted since the start; None if it's too far away."""
        if self.is_always:
            return start + needed
        for span in self.spans(start, start + LONGEST_SEARCH):
            if span.end - span.start >= needed:
                return span.start + needed
            needed -= span.end - span.start
        return None

    def spans(self, start: datetime, end: datetime) -> Iterator[Span]:
        """Yield the time that counts between two instants, in order, in UTC."""
        start, end = start.astimezone(UTC), end.astimezone(UTC)
        if self.change is not None:
            changes = self.change.at.astimezone(UTC)
            yield from replace(self, change=None).spans(start, min(end, changes))
            yield from self.on(changes).spans(max(start, changes), end)
            return
        zone = ZoneInfo(self.zone)
        day = start.astimezone(zone).date() - _DAY  # a day early: some midnights come twice
        while (begins := _midnight(day, zone)) < end:
            ends = _midnight(day + _DAY, zone)
            if day.weekday() in self.days and max(begins, start) < min(ends, end):
                yield from self._present(Span(max(begins, start), min(ends, end)))
            day += _DAY

    def _present(self, span: Span) -> Iterator[Span]:
        start = span.start
        for away in sorted(self.away, key=lambda away: away.start):
            if start < min(away.start, span.end):
                yield Span(start, min(away.start, span.end))
            start = max(start, away.end)
        if start < span.end:
            yield Span(start, span.end)


def next_change(before: WorkingDays, zone: str, now: datetime, *, is_first: bool) -> datetime:
    """Return when other days of the week count that are chosen now: from Monday on, or tomorrow if it's the first time.

    That day has begun in the former time zone and in the new one, so that no day off comes twice.
    """
    today = now.astimezone(ZoneInfo(before.zone)).date()
    day = today + (1 if is_first else 7 - today.weekday()) * _DAY
    return max(_midnight(day, ZoneInfo(before.zone)), _midnight(day, ZoneInfo(zone)))


def parse_days(text: str) -> frozenset[int]:
    """Return the days of the week that a text names; raise BadDays."""
    days: set[int] = set()
    if text.strip().lower() == "all":
        return EVERY_DAY
    for part in text.strip().lower().split(","):
        first, _, last = part.strip().partition("-")
        if first not in NAMES or (last or first) not in NAMES:
            raise BadDays(f'"{part[:20]}" names no days. For example "mon-fri", "mon,wed,sat" or "all".')
        at, until = NAMES.index(first), NAMES.index(last or first)
        days |= {(at + number) % 7 for number in range((until - at) % 7 + 1)}
    return frozenset(days)


def format_days(days: frozenset[int]) -> str:
    """Return the canonical text of some days of the week."""
    if days == EVERY_DAY:
        return "all"
    for first in sorted(days):
        if len(days) > 2 and days == {(first + number) % 7 for number in range(len(days))}:
            return f"{NAMES[first]}-{NAMES[(first + len(days) - 1) % 7]}"
    return ",".join(NAMES[day] for day in sorted(days))


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time.min, zone).astimezone(UTC)
