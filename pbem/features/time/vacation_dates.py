"""Vacations and ends of pauses as people write them: two dates, a length, or both."""

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from notation.time_control import BadTime, parse_duration
from pbem.matches.clock.working_days import Span

DAY = timedelta(days=1)
FARTHEST = 366 * DAY  # how far ahead a vacation can begin, and how long a vacation or a pause can be
OFF = frozenset({"off", "end", "over", "cancel", "none"})
FILLING = frozenset({"from", "to", "for", "on", "and", "through", "-"})
UNTIL = frozenset({"until", "till", "til"})
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}|(\d{1,2})\.(\d{1,2})(?:\.(\d{4}))?")
"""A date as 2026-12-24, 24.12.2026, or 24.12. for the next such day."""


class BadDates(Exception):
    """Words that say no time that will do; the message is a sentence, followed by what would work."""


def says_when(words: str) -> bool:
    """Return whether words may be meant as dates or a time, and are no prose.

    >>> says_when("10d"), says_when("from 2026-12-24 to 2027-01-03"), says_when("was great")
    (True, True, False)
    """
    dates = [word for word in _split(words) if word not in UNTIL]
    return 0 < len(dates) <= 2 and all(word[:1].isdigit() for word in dates)


def parse_vacation(words: str, zone: str, now: datetime) -> Span:
    """Return the time that words such as `10d`, `2026-12-24 2027-01-03` or `until 2027-01-03` say; raise BadDates.

    >>> now = datetime(2026, 12, 1, 12, tzinfo=UTC)
    >>> span = parse_vacation("2026-12-24 2026-12-26", "Europe/Vienna", now)
    >>> span.start.isoformat(), span.end.isoformat()
    ('2026-12-23T23:00:00+00:00', '2026-12-26T23:00:00+00:00')
    >>> span = parse_vacation("24.12. - 3.1.", "UTC", now)
    >>> f"{span.start:%F} {span.end:%F}"
    '2026-12-24 2027-01-04'
    """
    today = now.astimezone(ZoneInfo(zone)).date()
    works = f'For example "vacation 10d" or "vacation {today + 30 * DAY} {today + 40 * DAY}".'
    match _split(words):
        case [until, last] if until in UNTIL:
            begins, ends = today, _date(last, today, works)
        case [length]:
            if _DATE.fullmatch(length):
                raise BadDates(f"A vacation needs its first day and its last. {works}")
            return Span(now, now + _length(length, works))
        case [first, last] if _DATE.fullmatch(last):
            begins, ends = _date(first, today, works), _date(last, today, works)
        case [first, length]:
            begins = _date(first, today, works)
            ends = begins + max(_length(length, works) // DAY - 1, 0) * DAY
        case _:
            raise BadDates(f'"{words[:40]}" says no time. {works}')
    if ends < begins:
        raise BadDates(f"{ends} is before {begins}. {works}")
    if begins < today:
        raise BadDates(f"{begins} is in the past; today is {today}. {works}")
    if max(begins - today, ends - begins) > FARTHEST:
        raise BadDates(f"That is more than a year. {works}")
    return Span(max(now, _begin_of(begins, zone)), _begin_of(ends + DAY, zone))


def parse_end(words: str, zone: str, now: datetime, command: str) -> datetime:
    """Return the instant that words such as `10d` or `2026-12-24` say, which is when that day begins; raise BadDates.

    >>> parse_end("until 2026-12-24", "UTC", datetime(2026, 12, 1, 12, tzinfo=UTC), "pause").isoformat()
    '2026-12-24T00:00:00+00:00'
    """
    today = now.astimezone(ZoneInfo(zone)).date()
    works = f'For example "{command} 10d" or "{command} {today + 30 * DAY}".'
    dates = [word for word in _split(words) if word not in UNTIL]
    if len(dates) != 1:
        raise BadDates(f'"{words[:40]}" says no time. {works}')
    if not _DATE.fullmatch(dates[0]):
        return now + _length(dates[0], works)
    day = _date(dates[0], today, works)
    if day <= today:
        raise BadDates(f"{day} isn't in the future; today is {today}. {works}")
    if day - today > FARTHEST:
        raise BadDates(f"That is more than a year. {works}")
    return _begin_of(day, zone)


def _split(words: str) -> Sequence[str]:
    bare = (word.strip(".,;!") for word in words.lower().split())
    return [word for word in bare if word and word not in FILLING]


def _date(text: str, today: date, works: str) -> date:
    dotted = _DATE.fullmatch(text)
    try:
        if dotted is not None and dotted[1]:
            day = date(int(dotted[3] or today.year), int(dotted[2]), int(dotted[1]))
            if not dotted[3] and day < today:
                day = day.replace(year=today.year + 1)
        else:
            day = date(*map(int, text.split("-")))
    except (ValueError, TypeError):
        raise BadDates(f'"{text[:20]}" is no date. {works}') from None
    if day - today > 2 * FARTHEST:  # so that days can be added to it
        raise BadDates(f"That is more than a year. {works}")
    return day


def _length(text: str, works: str) -> timedelta:
    try:
        length = parse_duration(text)
    except BadTime:
        raise BadDates(f'"{text[:20]}" is no number of days or weeks, and no date. {works}') from None
    if not length:
        raise BadDates(f'"{text[:20]}" is no time at all. {works}')
    if length > FARTHEST:
        raise BadDates(f"That is more than a year. {works}")
    return length


def _begin_of(day: date, zone: str) -> datetime:
    return datetime.combine(day, time.min, ZoneInfo(zone)).astimezone(UTC)
