"""Vacations: planned, begun, shown and ended by the player who is away."""

import re
from datetime import datetime
from zoneinfo import ZoneInfo

from notation.time_control import BadTime, parse_duration, spoken
from pbem.conversation.core import Command, Decision, Line, Request
from pbem.conversation.syntax.grammar import MATCH, Piece, opt, word, words
from pbem.conversation.target import own_match
from pbem.errors import Refused
from pbem.features.time import vacations
from pbem.matches import timeouts
from pbem.matches.clock.calendars import OFF, BadDates, TooManyChoices, parse_vacation, says_when
from pbem.matches.clock.timekeeping import ZONE, moment
from pbem.matches.timeouts import LEAST_GIVEN, MOST_AT_ONCE
from pbem.messages.preferences import with_defaults
from pbem.messages.said.sections import DaysLeft, VacationShown
from pbem.players import rate_limits
from pbem.storage.models import Player, Vacation


def vacation(request: Request, line: Line) -> Decision:
    player = request.session.get_one(Player, request.player.id, with_for_update=True)
    words = line.given.get(AWAY, "")
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
            ),
        )
    )


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


def give(request: Request, line: Line) -> Decision:
    match, player, seat = own_match(request, line)
    if match.level is not None:
        raise Refused("The house always has time.", read=line.text, match=match.id)
    example = f'Give from {spoken(LEAST_GIVEN)} to {spoken(MOST_AT_ONCE)}, as in "give 2d".'
    try:
        time = parse_duration(line.given[DURATION])
    except BadTime as error:
        raise Refused(str(error).partition(" For example")[0], read=line.text, fits=example) from error
    if not LEAST_GIVEN <= time <= MOST_AT_ONCE:
        raise Refused(f'"{line.words[:20]}" is too {"little" if time < LEAST_GIVEN else "much"}.', fits=example)
    rate_limits.of_match(request.session, match.id or 0, player, request.incoming, request.now)
    return Decision(events=timeouts.give(request.session, match, seat, time, request.now))


def _short(text: str) -> str:
    return re.sub(r"\s*([hdw])[a-z]*", r"\1", text.lower())


DURATION = Piece("2d", r"(?:\d{1,9}[a-z]+)+|\d{1,6} (?:hour|day|week)s?", _short)
GIVE = Command(
    "give",
    words(opt(MATCH), DURATION, is_strict=True, also={r"up[ .!]*": "resign", r"(?:him|her|them) (.+)": r"give \1"}),
    f"give your opponent time: up to {spoken(MOST_AT_ONCE)} at once and {spoken(timeouts.MOST_GIVEN)} in a match",
    give,
    keywords="gift add more extra generous longer prolong extend extension",
)
