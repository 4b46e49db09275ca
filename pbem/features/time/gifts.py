"""Time that a player gives the opponent: `give 2d`."""

import re

from notation.time_control import BadTime, parse_duration, spoken
from pbem.conversation.core import Command, Decision, Group, Line, Request
from pbem.conversation.syntax.terms import NUMBERS
from pbem.conversation.target import own_match
from pbem.errors import Refused
from pbem.matches import timeouts
from pbem.matches.timeouts import LEAST_GIVEN, MOST_AT_ONCE
from pbem.players import rate_limits

_IN_WORDS = re.compile(rf"\b({'|'.join(NUMBERS)}|\d{{1,6}}) *(hour|day|week)s?\b", re.IGNORECASE)
_FILLING = re.compile(r"\b(?:my opponent|h(?:im|er)|them|another|more|extra|of time)\b", re.IGNORECASE)


def give(request: Request, line: Line) -> Decision:
    match, player, seat = own_match(request, line)
    if match.level is not None:
        raise Refused("The house always has time.", read=line.text, match=match.id)
    example = f'Give from {spoken(LEAST_GIVEN)} to {spoken(MOST_AT_ONCE)}, as in "give 2d".'
    try:
        time = parse_duration(line.words.lower())
    except BadTime as error:
        raise Refused(str(error).partition(" For example")[0], read=line.text, fits=example) from error
    if not LEAST_GIVEN <= time <= MOST_AT_ONCE:
        raise Refused(f'"{line.words[:20]}" is too {"little" if time < LEAST_GIVEN else "much"}.', fits=example)
    rate_limits.of_match(request.session, match.id or 0, player, request.incoming, request.now)
    return Decision(events=timeouts.give(request.session, match, seat, time, request.now))


def _short(words: str) -> tuple[str, str]:
    """Return the command that people mean who write the words behind `give`.

    >>> _short("him another day in #42"), _short("2 weeks"), _short("#42 1d12h"), _short("up")
    (('give', '#42 1d'), ('give', '2w'), ('give', '#42 1d12h'), ('resign', ''))
    """
    if words.lower().strip(" .!") == "up":
        return "resign", ""
    bare = " ".join(_IN_WORDS.sub(_compact, _FILLING.sub(_one, words)).split())
    named = re.fullmatch(r"(\S+) (?:in|for) (#?\d{1,9})", bare)
    return "give", f"{named[2]} {named[1]}" if named else bare


def _one(found: re.Match[str]) -> str:
    return "a" if found[0].lower() == "another" else ""


def _compact(found: re.Match[str]) -> str:
    return f"{NUMBERS.get(found[1].lower(), found[1])}{found[2][0].lower()}"


GIVE = Command(
    "give",
    "[NUMBER] 2d",
    f"give your opponent time, up to {spoken(MOST_AT_ONCE)} at once and {spoken(timeouts.MOST_GIVEN)} in a match",
    give,
    changes=True,
    of_match=True,
    words=(1, 1),
    group=Group.TURNS,
    brief="give your opponent time",
    keywords="gift add more extra generous longer prolong extend extension",
    shape=re.compile(r"(?:#?\d{1,9} )?(?:\d{1,9}[a-zA-Z]+)+|(?:#?\d{1,9})?"),
    reread=_short,
)
