"""Calendars of players: the days on which their time runs, as they chose them, and their vacations, in every match.

Whoever changes one has locked the row of the player, and goes on to their matches in the order of the numbers.
"""

from dataclasses import replace
from datetime import datetime, timedelta

from sqlmodel import Session, col, func, select

from engines.core import Seat
from engines.seats import SEATS
from notation.time_control import TimeControl, parse
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
