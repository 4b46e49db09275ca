"""Calendars of players: the days on which their time runs, as they chose them, and their vacations, in every match.

Whoever changes one has locked the row of the player, and goes on to their matches in the order of the numbers.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from sqlmodel import Session, col, func, select

from engines.core import Seat
from engines.seats import SEATS
from notation.time_control import BadTime, TimeControl, parse, parse_duration
from pbem.matches.clock import timekeeping
from pbem.matches.clock.clock import DaysChosen
from pbem.matches.clock.timekeeping import ZONE
from pbem.matches.clock.working_days import EVERY_DAY, Change, Span, WorkingDays, format_days, next_change, parse_days
from pbem.matches.queries import locked, playing, seat_of
from pbem.storage.models import Calendar, Match, Player, Vacation
from pbem.storage.utc import within

DAYS = "days"  # the name of the preference that says on which days a player's time runs; it goes by their time zone
MONDAY_TO_FRIDAY = frozenset(range(5))
MOST_CHOICES = 10
"""How often a player can choose other days or another time zone in a day: each choice is an event in every match."""


class TooManyChoices(Exception):
    """The player has chosen other days, or vacations, too often today."""


def of_player(session: Session, player: Player, now: datetime) -> WorkingDays:
    rows = session.exec(
        select(Calendar)
        .where(Calendar.player == player.id, col(Calendar.begins).is_not(None))
        .order_by(col(Calendar.id).desc())
        .limit(2)
    ).all()
    present = next((row for row in rows if row.begins is not None and row.begins <= now), None)
    days = WorkingDays(player.settings.get(ZONE, "UTC"))
    if present is not None:
        days = WorkingDays(present.zone, parse_days(present.days))
    if rows and rows[0] is not present and rows[0].begins is not None:
        days = replace(days, change=Change(rows[0].begins, rows[0].zone, parse_days(rows[0].days)))
    away = session.exec(
        select(Vacation)
        .where(Vacation.player == player.id, Vacation.ends > now, Vacation.begins < Vacation.ends)
        .order_by(col(Vacation.begins))
    )
    return replace(days, away=tuple(Span(row.begins, row.ends) for row in away))


def choose(session: Session, player: Player, zone_before: str, now: datetime) -> datetime | None:
    """Let the days and the time zone in the player's settings count. Return from when on; None if that's nothing new.

    Raises TooManyChoices.
    """
    zone, days = player.settings.get(ZONE, "UTC"), player.settings.get(DAYS, format_days(EVERY_DAY))
    theirs = select(Calendar).where(Calendar.player == player.id).order_by(col(Calendar.id).desc())
    newest = session.exec(theirs.limit(1)).first()
    is_first = newest is None
    if newest is None and parse_days(days) == EVERY_DAY:
        times = session.exec(select(Match.time).where(col(Match.id).in_(playing(session, player))))
        if not any(time is not None and parse(time).weekends_off for time in times):
            return None
    if (newest.zone, newest.days) == (zone, days) if newest else (zone_before, EVERY_DAY) == (zone, parse_days(days)):
        return None
    recent = select(func.count()).where(Calendar.player == player.id, within(Calendar.chosen, timedelta(days=1), now))
    if session.exec(recent).one() >= MOST_CHOICES:
        raise TooManyChoices
    if newest is None:
        every_day = format_days(EVERY_DAY)
        newest = Calendar(
            player=player.id or 0, chosen=player.created, begins=player.created, zone=zone_before, days=every_day
        )
        session.add(newest)
        session.flush()
    elif newest.begins is not None and newest.begins > now:
        newest.begins = None
        session.flush()
    before = of_player(session, player, now)
    begins = next_change(before, zone, now, is_first=is_first)
    session.add(Calendar(player=player.id or 0, chosen=now, begins=begins, zone=zone, days=days))
    session.flush()
    carry_over(session, player, now)
    return begins


def carry_over(session: Session, player: Player, now: datetime) -> None:
    calendar = of_player(session, player, now)
    for number in playing(session, player):
        match = locked(session, number)
        seat = seat_of(match, player) if match is not None else None
        if match is not None and seat is not None:
            _note(session, match, seat, calendar, now)


def begin(session: Session, match: Match, now: datetime) -> None:
    if match.clock is None:
        return
    for seat, number in zip(SEATS, (match.seat0, match.seat1), strict=True):
        player = session.get_one(Player, number)
        session.flush()
        session.refresh(player, with_for_update={"read": True})  # another daemon may be handling their vacation
        _note(session, match, seat, of_player(session, player, now), now)


def in_match(control: TimeControl, calendar: WorkingDays) -> WorkingDays:
    """Return the days of a player in a match, where weekends may be off for those who haven't chosen otherwise.

    >>> in_match(TimeControl(weekends_off=True), WorkingDays("UTC")).days == MONDAY_TO_FRIDAY
    True
    """
    change = calendar.change
    if control.weekends_off:
        change = replace(change, days=_without_weekend(change.days)) if change is not None else None
        calendar = replace(calendar, days=_without_weekend(calendar.days), change=change)
    if calendar.days == EVERY_DAY and (change is None or change.days == EVERY_DAY):
        return WorkingDays(away=calendar.away)  # wherever that is
    return calendar


def _without_weekend(days: frozenset[int]) -> frozenset[int]:
    return MONDAY_TO_FRIDAY if days == EVERY_DAY else days


def _note(session: Session, match: Match, seat: Seat, calendar: WorkingDays, now: datetime) -> None:
    clock = timekeeping.clock_of(match)
    if clock is None:
        return
    days = in_match(clock.control, calendar)
    if days != clock.sides[seat].days:
        timekeeping.note(session, match, DaysChosen(now, seat, days))


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


def days_taken(vacation: Span, zone: str) -> Counter[int]:
    """Return how many days of each year a vacation takes: each that has begun, counted from its beginning."""
    start, end = (instant.astimezone(ZoneInfo(zone)).replace(tzinfo=None) for instant in (vacation.start, vacation.end))
    length = min(end - start, vacation.end - vacation.start)  # a day can have 23 or 25 hours
    return Counter((start + number * DAY).year for number in range(-(-length // DAY)))


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
