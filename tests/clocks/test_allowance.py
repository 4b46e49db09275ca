"""How many days of vacation a player has: days are counted as they begin, each in its year."""

from collections import Counter
from datetime import UTC, datetime, timedelta

import pytest

from pbem.features.time.vacation_dates import BadDates, parse_vacation
from pbem.features.time.vacations import Allowance
from pbem.matches.clock.working_days import Span

MARCH, NEW_YEAR_S_EVE = datetime(2026, 3, 2, 9, tzinfo=UTC), datetime(2026, 12, 31, 9, tzinfo=UTC)


def is_allowed(start: datetime, length: timedelta, **taken: int) -> bool:
    """Return whether a vacation can be taken of thirty days a year, after those of 2026 (y26) and 2027 (y27)."""
    allowance = Allowance(30, "UTC", Counter({2026: taken.get("y26", 0), 2027: taken.get("y27", 0)}))
    try:
        allowance.check(Span(start, start + length))
    except BadDates:
        return False
    return True


@pytest.mark.parametrize(
    ("start", "days", "taken", "allowed"),
    [
        (MARCH, 30, {}, True),
        (MARCH, 31, {}, False),
        (MARCH, 10, {"y26": 20}, True),
        (MARCH, 10, {"y26": 21}, False),
        (MARCH, 1, {"y26": 30}, False),
        (NEW_YEAR_S_EVE, 31, {}, True),
        (NEW_YEAR_S_EVE, 32, {}, False),
        (NEW_YEAR_S_EVE, 2, {"y26": 30}, False),
        (NEW_YEAR_S_EVE, 2, {"y27": 30}, False),
    ],
)
def test_no_day_is_taken_that_is_not_left(start: datetime, days: int, taken: dict[str, int], allowed: bool) -> None:
    assert is_allowed(start, timedelta(days=days), **taken) is allowed


def test_a_day_that_has_begun_is_taken() -> None:
    assert is_allowed(MARCH, timedelta(days=1, minutes=-1), y26=29)
    assert not is_allowed(MARCH, timedelta(days=1, minutes=1), y26=29)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        ("2026-02-24 2026-03-03", "2026-02-24 is in the past; today is 2026-03-02."),
        ("2026-04-24 2026-04-03", "2026-04-03 is before 2026-04-24."),
        ("10y", '"10y" is no number of days or weeks, and no date.'),
        ("2026-02-30 2026-03-03", '"2026-02-30" is no date.'),
        ("2026-03-03", "A vacation needs its first day and its last."),
        ("0d", '"0d" is no time at all.'),
        ("2028-01-01 2028-01-03", "That is more than a year."),
        ("9999-12-31 10d", "That is more than a year."),
    ],
)
def test_what_says_no_vacation_is_refused_in_a_sentence(words: str, sentence: str) -> None:
    with pytest.raises(BadDates) as refused:
        parse_vacation(words, "UTC", MARCH)
    assert str(refused.value).startswith(f"{sentence} For example")
