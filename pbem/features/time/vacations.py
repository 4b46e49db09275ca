"""Vacations of players: planned, begun and ended, within the days that they have in a year.

A player has one vacation at a time, present or planned. Its days are spent as they begin, so calling it off and going
on vacation again gains nothing. The caller has locked the row of the player.
"""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlmodel import Session, col, delete, func, select

from pbem.matches.clock import calendars
from pbem.matches.clock.calendars import MOST_CHOICES, BadDates, TooManyChoices, days_taken
from pbem.matches.clock.timekeeping import ZONE
from pbem.matches.clock.working_days import Span
from pbem.storage.clock import within
from pbem.storage.models import Player, Vacation
from pbem.storage.retention import change

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Allowance:
    per_year: int
    zone: str
    taken: Counter[int]

    def left(self, year: int) -> int:
        return max(self.per_year - self.taken[year], 0)

    def check(self, wanted: Span) -> None:
        for year, days in sorted(days_taken(wanted, self.zone).items()):
            left = self.left(year)
            if days > left:
                raise BadDates(_too_long(days, left, year))


def current(session: Session, player: Player, now: datetime) -> Vacation | None:
    rows = select(Vacation).where(Vacation.player == player.id, Vacation.ends > now, Vacation.begins < Vacation.ends)
    return session.exec(rows.order_by(col(Vacation.begins))).first()


def allowance(
    session: Session, player: Player, now: datetime, per_year: int, *, without: Vacation | None = None
) -> Allowance:
    zone = player.settings.get(ZONE, "UTC")
    taken: Counter[int] = Counter()
    rows = select(Vacation).where(Vacation.player == player.id, Vacation.begins < Vacation.ends)
    for row in session.exec(rows.where(Vacation.ends > now - 2 * 366 * DAY)):
        if row is not without:
            taken += days_taken(Span(row.begins, row.ends), zone)
    return Allowance(per_year, zone, taken)


def take(session: Session, player: Player, wanted: Span, now: datetime, per_year: int) -> Vacation:
    """Let the player go on vacation, now or later; one that was planned is replaced, and the present one changed.

    Raises BadDates and TooManyChoices.
    """
    before = current(session, player, now)
    is_away = before is not None and before.begins <= now
    if is_away and before is not None and wanted.start > now:
        raise BadDates('You\'re on vacation now; you can plan the next one after that. "vacation off" ends this one.')
    if is_away and before is not None:
        wanted = Span(before.begins, wanted.end)
    allowance(session, player, now, per_year, without=before).check(wanted)
    if is_away and before is not None:
        return _change(session, player, before, wanted.end, now)
    recent = select(func.count()).where(Vacation.player == player.id, within(Vacation.chosen, DAY, now))
    if session.exec(recent).one() >= MOST_CHOICES:
        raise TooManyChoices
    if before is not None:
        _call_off(session, before, before.begins, now)
    vacation = Vacation(player=player.id or 0, chosen=now, begins=wanted.start, ends=wanted.end)
    return _store(session, player, vacation, now)


def end(session: Session, player: Player, now: datetime) -> Vacation | None:
    vacation = current(session, player, now)
    if vacation is None:
        return None
    _call_off(session, vacation, max(vacation.begins, now) if vacation.begins <= now else vacation.begins, now)
    calendars.carry_over(session, player, now)
    return vacation


def _change(session: Session, player: Player, vacation: Vacation, ends: datetime, now: datetime) -> Vacation:
    if vacation.changes >= MOST_CHOICES:
        raise TooManyChoices
    vacation.ends, vacation.changes = ends, vacation.changes + 1
    return _store(session, player, vacation, now)


def _call_off(session: Session, vacation: Vacation, ends: datetime, now: datetime) -> None:
    vacation.ends, vacation.told = ends, vacation.told or now
    session.flush()


def _store(session: Session, player: Player, vacation: Vacation, now: datetime) -> Vacation:
    session.add(vacation)
    session.flush()
    calendars.carry_over(session, player, now)
    return vacation


def _too_long(days: int, left: int, year: int) -> str:
    if not left:
        return f'You have no days of vacation left in {year}. "pause" suggests a pause to your opponent.'
    return f'That takes {days} days of {year}, and you have {left} left. For example "vacation {left}d".'


def forget(session: Session, player: Player, addresses: Collection[str], now: datetime) -> None:
    change(session, delete(Vacation).where(col(Vacation.player) == player.id))


def export(session: Session, player: Player) -> dict[str, Any]:
    rows = session.exec(select(Vacation).where(Vacation.player == player.id).order_by(col(Vacation.id)))
    vacations = [
        {"chosen": row.chosen, "from": row.begins, "until": row.ends, "opponents_told": row.told} for row in rows
    ]
    return {"vacations": vacations}
