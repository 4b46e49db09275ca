"""Vacations: planned, begun, shown and ended by the player who is away."""

from datetime import datetime
from zoneinfo import ZoneInfo

from pbem.conversation.core import Command, Decision, Group, Line, Request
from pbem.errors import Refused
from pbem.features.time import vacations
from pbem.features.time.vacations import AUTO, AUTOMATIC
from pbem.matches.clock.calendars import TooManyChoices
from pbem.matches.clock.timekeeping import ZONE
from pbem.matches.clock.vacation import OFF, BadDates, parse_vacation, says_when
from pbem.matches.clock.wording import moment
from pbem.messages.preferences import with_defaults
from pbem.messages.said.absences import DaysLeft, VacationShown
from pbem.storage.models import Player, Vacation


def vacation(request: Request, line: Line) -> Decision:
    player = request.session.get_one(Player, request.player.id, with_for_update=True)
    words = line.words.strip().lower()
    when = min(request.incoming.received, request.now)
    if not words:
        return _shown(request, player, vacations.current(request.session, player, when), "")
    if words in OFF:
        return _end(request, player, line, when)
    if not request.server.vacation_days:
        raise Refused("There are no vacations on this server.", fits='"pause" suggests a pause to your opponent.')
    zone = with_defaults(player.settings)[ZONE]
    try:
        wanted = parse_vacation(words, zone, when)
        taken = vacations.take(request.session, player, wanted, when, request.server.vacation_days)
    except BadDates as error:
        raise Refused(str(error), read=line.text) from error
    except TooManyChoices as error:
        raise Refused("You've changed your vacation too often today.", fits="Try again tomorrow.") from error
    return _shown(request, player, taken, "taken")


def _end(request: Request, player: Player, line: Line, when: datetime) -> Decision:
    ended = vacations.end(request.session, player, when)
    if ended is None:
        raise Refused("You aren't on vacation, and haven't planned one.", read=line.text)
    return _shown(request, player, ended, "ended" if ended.begins < ended.ends else "called off")


def _shown(request: Request, player: Player, row: Vacation | None, change: str) -> Decision:
    choices, now = with_defaults(player.settings), request.now
    zone = choices[ZONE]
    allowance = vacations.allowance(request.session, player, now, request.server.vacation_days)
    years = {each.astimezone(ZoneInfo(zone)).year for each in (now, *((row.begins, row.ends) if row else ()))}
    return Decision(
        answer=(
            VacationShown(
                change=change,
                begins="" if row is None else moment(row.begins, zone, now),
                ends="" if row is None else moment(row.ends, zone, now),
                is_away=row is not None and row.begins <= now,
                left=tuple(DaysLeft(year=year, days=allowance.left(year)) for year in sorted(years)),
                is_automatic=AUTOMATIC.of(player.settings) == AUTO,
            ),
        )
    )


VACATION = Command(
    "vacation",
    "[FIRST-DAY LAST-DAY|10d|off]",
    "stop your clocks while you're away; your opponents are told. Alone, it shows how many days you have left",
    vacation,
    changes=True,
    words=(0, 4),
    group=Group.ACCOUNT,
    brief="stop your clocks while you are away",
    keywords="vacations holiday holidays away absence absent trip travel leave-of-absence freeze days-off",
    accepts=lambda words: not words or words.lower() in OFF or says_when(words),
)
