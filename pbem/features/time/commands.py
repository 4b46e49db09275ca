"""Vacations: planned, begun, shown and ended by the player who is away."""

import re
from datetime import datetime
from zoneinfo import ZoneInfo

from notation.time_control import BadTime, parse_duration, spoken
from pbem.conversation.core import Command, Decision, Line, Request
from pbem.conversation.syntax.grammar import MATCH, opt, word, words
from pbem.conversation.syntax.terms import NUMBERS
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

_IN_WORDS = re.compile(rf"\b({'|'.join(NUMBERS)}|\d{{1,6}}) *(hour|day|week)s?\b", re.IGNORECASE)
_FILLING = re.compile(r"\b(?:my opponent|h(?:im|er)|them|another|more|extra|of time)\b", re.IGNORECASE)


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


def _short(words: str) -> str:
    """Return the words behind `give` as our help writes them.

    >>> _short("him another day in #42"), _short("2 weeks"), _short("#42 1d12h")
    ('#42 1d', '2w', '#42 1d12h')
    """
    bare = " ".join(_IN_WORDS.sub(_compact, _FILLING.sub(_one, words)).split())
    named = re.fullmatch(r"(\S+) (?:in|for) (#?\d{1,9})", bare)
    return f"{named[2]} {named[1]}" if named else bare


def _one(found: re.Match[str]) -> str:
    return "a" if found[0].lower() == "another" else ""


def _compact(found: re.Match[str]) -> str:
    return f"{NUMBERS.get(found[1].lower(), found[1])}{found[2][0].lower()}"


DURATION = word("2d", r"(?:\d{1,9}[a-z]+)+")
GIVE = Command(
    "give",
    words(opt(MATCH), DURATION, is_strict=True, respelt=_short, also={r"up[ .!]*": "resign"}),
    f"give your opponent time: up to {spoken(MOST_AT_ONCE)} at once and {spoken(timeouts.MOST_GIVEN)} in a match",
    give,
    keywords="gift add more extra generous longer prolong extend extension",
)
