"""Vacations, within the days that a player has in a year, during which their clocks stop.

A player has one vacation at a time, present or planned. Its days are spent as they begin, so calling it off and going
on vacation again gains nothing. What changes one locks the row of the player.
"""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from sqlmodel import Session, col, func, select

from pbem.conversation.command import Command, Decision, Line, Request
from pbem.conversation.syntax.arguments import opt, word, words
from pbem.errors import Refused
from pbem.features.time.vacation_dates import DAY, OFF, BadDates, parse_vacation, says_when
from pbem.matches.clock import calendars
from pbem.matches.clock.calendars import MOST_CHOICES, TooManyChoices
from pbem.matches.clock.timekeeping import ZONE
from pbem.matches.clock.working_days import Span
from pbem.messages.general_preferences import with_defaults
from pbem.messages.times_shown import moment
from pbem.storage.message_payload_base import Part, Section
from pbem.storage.models import Player, Vacation
from pbem.storage.utc import within


class DaysLeft(Part):
    year: int
    days: int


class VacationShown(Section, template="vacation"):
    change: str  # what became of it: taken, ended, called off; empty if it is only shown
    begins: str = ""
    ends: str = ""  # when it begins and ends, in words; empty where there is none
    is_away: bool
    left: tuple[DaysLeft, ...]


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
            if days > left == 0:
                raise BadDates(
                    f'You have no days of vacation left in {year}. "pause" suggests a pause to your opponent.'
                )
            if days > left:
                raise BadDates(
                    f'That takes {days} days of {year}, and you have {left} left. For example "vacation {left}d".'
                )


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
    present = before if before is not None and before.begins <= now else None
    if present is not None and wanted.start > now:
        raise BadDates('You\'re on vacation now; you can plan the next one after that. "vacation off" ends this one.')
    span = wanted if present is None else Span(present.begins, wanted.end)
    allowance(session, player, now, per_year, without=before).check(span)
    if present is not None:
        if present.changes >= MOST_CHOICES:
            raise TooManyChoices
        vacation = present
        vacation.ends, vacation.changes = span.end, vacation.changes + 1
    else:
        recent = select(func.count()).where(Vacation.player == player.id, within(Vacation.chosen, DAY, now))
        if session.exec(recent).one() >= MOST_CHOICES:
            raise TooManyChoices
        if before is not None:
            _call_off(session, before, before.begins, now)
        vacation = Vacation(player=player.id or 0, chosen=now, begins=span.start, ends=span.end)
    session.add(vacation)
    session.flush()
    calendars.carry_over(session, player, now)
    return vacation


def end(session: Session, player: Player, now: datetime) -> Vacation | None:
    vacation = current(session, player, now)
    if vacation is None:
        return None
    _call_off(session, vacation, max(now, vacation.begins), now)
    calendars.carry_over(session, player, now)
    return vacation


def _call_off(session: Session, vacation: Vacation, ends: datetime, now: datetime) -> None:
    vacation.ends, vacation.told = ends, vacation.told or now
    session.flush()


def vacation(request: Request, line: Line) -> Decision:
    player = request.session.get_one(Player, request.player.id, with_for_update=True)
    words = line.given.get(AWAY, "")
    when = min(request.incoming.received, request.now)
    if not words:
        return _shown(request, player, current(request.session, player, when), "")
    if words in OFF:
        ended = end(request.session, player, when)
        if ended is None:
            raise Refused("You aren't on vacation, and haven't planned one.", read=line.text)
        return _shown(request, player, ended, "ended" if ended.begins < ended.ends else "called off")
    if not request.server.vacation_days:
        raise Refused("There are no vacations on this server.", fits='"pause" suggests a pause to your opponent.')
    zone = with_defaults(player.settings)[ZONE]
    try:
        wanted = parse_vacation(words, zone, when)
        taken = take(request.session, player, wanted, when, request.server.vacation_days)
    except BadDates as error:
        raise Refused(str(error), read=line.text) from error
    except TooManyChoices as error:
        raise Refused("You've changed your vacation too often today.", fits="Try again tomorrow.") from error
    return _shown(request, player, taken, "taken")


def _shown(request: Request, player: Player, row: Vacation | None, change: str) -> Decision:
    choices, now = with_defaults(player.settings), request.now
    zone = choices[ZONE]
    days = allowance(request.session, player, now, request.server.vacation_days)
    span = () if row is None else (row.begins, row.ends)
    years = {time.astimezone(ZoneInfo(zone)).year for time in (now, *span)}
    begins, ends = (moment(time, zone, now) for time in span) if span else ("", "")
    left = tuple(DaysLeft(year=year, days=days.left(year)) for year in sorted(years))
    is_away = row is not None and row.begins <= now
    return Decision(answer=(VacationShown(change=change, begins=begins, ends=ends, is_away=is_away, left=left),))


AWAY = word(
    "FIRST-DAY LAST-DAY|10d|off", r"\S+(?: \S+){0,3}", accepts=lambda words: words.lower() in OFF or says_when(words)
)
VACATION = Command(
    "vacation",
    words(opt(AWAY)),
    "stop your clocks while you're away; your opponents are told. Alone, it shows how many days you have left",
    vacation,
    keywords="vacations holiday holidays away absence absent trip travel leave-of-absence freeze days-off",
)


def days_taken(vacation: Span, zone: str) -> Counter[int]:
    """Return how many days of each year a vacation takes: each that has begun, counted from its beginning."""
    start, end = (instant.astimezone(ZoneInfo(zone)).replace(tzinfo=None) for instant in (vacation.start, vacation.end))
    length = min(end - start, vacation.end - vacation.start)  # a day can have 23 or 25 hours
    return Counter((start + number * DAY).year for number in range(-(-length // DAY)))
