"""The days that a sentence names: dates, and days of the week."""

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from pbem.conversation.syntax import vocabulary

_DATE = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})\b|\b(\d{1,2})[./](\d{1,2})\.?(?:(\d{4}))?")
_DAY_ALONE = re.compile(
    r"(?i)\b(?:the|am|zum|den|le|el|il|dia|de|do)\s(\d{1,2})(?:(?:th|st|nd|rd|\.)(?!\s?[./]?\d)|(?=\s*(?:[.,;!?)]|$)))"
)
_NUMBER_OF_DAY = re.compile(r"(\d{1,2})(?:[^\W\d]{1,2})?")
_RANGE = re.compile(
    r"(?<![\d.])(\d{1,2})\.?\s?(?:-|\u2013|bis|to|au|al|tot|do|\u043f\u043e)\s?\d{1,2}[./](\d{1,2})(?!\d)"
)


def named(text: str, today: date) -> Iterator[date]:
    """Yield the days that a text names: dates, and days of the week, which are the next ones.

    >>> [f"{day:%d.%m.%y}" for day in named("vom 5. bis 19. Dezember", date(2026, 11, 28))]
    ['05.12.26', '19.12.26']
    >>> [f"{day:%d.%m.%y}" for day in named("from 3 August till the 17th", date(2026, 11, 28))]
    ['03.08.27', '17.08.27']
    """
    dates = list(_dates(text, today))
    yield from dates if len(dates) > 1 else (*dates, *_weekdays(vocabulary.words(text), today))


def _dates(text: str, today: date) -> Iterator[date]:
    for found in _RANGE.finditer(text):
        yield from _day(int(found[1]), int(found[2]), today)
    for found in _DATE.finditer(text):
        year, month, day = (found[1], found[2], found[3]) if found[1] else (found[6], found[5], found[4])
        yield from _day(int(day), int(month), today, int(year or 0))
    words, months = vocabulary.words(text), vocabulary.lexicon("month")
    waits, last = list[int](), 0
    for at, word in enumerate(words):
        month = next((int(each) for each in months.of(word)), 0)
        if numbered := _NUMBER_OF_DAY.fullmatch(word):
            waits.append(int(numbered[1]))
        elif month and (waits or (at + 1 < len(words) and _NUMBER_OF_DAY.fullmatch(words[at + 1]))):
            last = month
            for number in waits or [int(re.sub(r"\D", "", words[at + 1]))]:
                yield from _day(number, month, today)
            waits = []
        elif word not in vocabulary.table("slots")["between_days"].split():
            waits = []
    for found in _DAY_ALONE.finditer(text):
        if not months.of(next(iter(vocabulary.words(text[found.end() :])), "")):
            of_month = last or (today.month if int(found[1]) > today.day else today.month % 12 + 1)
            yield from _day(int(found[1]), of_month, today)


def _weekdays(words: Sequence[str], today: date) -> Iterator[date]:
    weekdays: list[str] = []
    for word in words:
        for weekday in vocabulary.lexicon("weekday").of(word):
            weeks = weekdays.count(weekday)  # "from Friday to the Friday after"
            yield today + timedelta(days=(int(weekday) - today.weekday() - 1) % 7 + 1 + 7 * weeks)
            weekdays.append(weekday)
        if vocabulary.lexicon("words").of(word) == ["tomorrow"]:
            yield today + timedelta(days=1)


def absence(text: str, found: Sequence[date], length: int, today: date) -> tuple[date, date] | None:
    """Return the first and the last day of an absence of so many days, or 0; None where its end isn't said.

    >>> friday = date(2026, 12, 4)
    >>> [f"{day:%d.%m.}" for day in absence("I'm off on Friday for 7 days", [friday], 7, date(2026, 11, 28)) or ()]
    ['04.12.', '11.12.']
    """
    if len(found) > 1:
        return min(found), max(found)
    says = {"until", "leave"} & set(vocabulary.lexicon("absence").of_text(vocabulary.words(text)))
    if length and says != {"until"}:
        return found[0], found[0] + timedelta(days=length)
    return None if says == {"leave"} else (today, found[0])


def _day(day: int, month: int, today: date, year: int = 0) -> Iterator[date]:
    try:
        named = date(year or today.year, month, day)
    except ValueError:
        return
    yield named if year or named >= today else named.replace(year=today.year + 1)
