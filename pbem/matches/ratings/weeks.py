"""Weeks, the periods of ratings: what ends in the same week counts together. A week begins on Monday at 0:00 UTC."""

from datetime import UTC, date, datetime, time, timedelta

WEEK = timedelta(weeks=1)


def week_of(at: datetime) -> date:
    """Return the Monday of the week in which that time is.

    >>> week_of(datetime(2026, 3, 1, 23, 59, tzinfo=UTC)), week_of(datetime(2026, 3, 2, tzinfo=UTC))
    (datetime.date(2026, 2, 23), datetime.date(2026, 3, 2))
    """
    day = at.astimezone(UTC).date()
    return day - timedelta(days=day.weekday())


def begins(week: date) -> datetime:
    return datetime.combine(week, time(), UTC)


def rated_on(week: date) -> str:
    """Return in words when the week is rated: the day after it.

    >>> rated_on(date(2026, 11, 23))
    'Monday, 30 November'
    """
    day = week + WEEK
    return f"{day:%A}, {day.day} {day:%B}"


def between(earlier: date, later: date) -> int:
    """Return how many weeks later the second week is.

    >>> between(date(2026, 3, 2), date(2026, 3, 23))
    3
    """
    return (later - earlier) // WEEK
