"""When turns were played, and what happened to the clock, as a reader is told: in their time zone.

Who sees a match sees when its turns were received. When its players are away is told to the two of them alone.
"""

from datetime import datetime

from pbem.conversation.core import Request
from pbem.matches.clock import timesheet
from pbem.matches.clock.timekeeping import ZONE, moment
from pbem.matches.queries import name, people_of, plies, seat_of, shown
from pbem.messages import preferences
from pbem.messages.said.sections import ClockShown, TurnTimeShown
from pbem.storage.models import Match

MOST = 200
"""How many turns, and how much else, `record full` lists: the last ones."""


def of_turns(request: Request, match: Match, last: int) -> tuple[TurnTimeShown, ...]:
    times, names = timesheet.turn_times(request.session, match), _names(request, match)
    rows = [*zip(plies(request.session, match), times, strict=True)][:last]
    return tuple(
        TurnTimeShown(
            number=row.number,
            by=names[row.seat],
            text=row.text,
            when=_moment(request, time.received),
            used=time.in_words,
        )
        for row, time in rows[-MOST:]
    )


def of_clock(request: Request, match: Match, since: datetime | None = None) -> tuple[ClockShown, ...]:
    """Return what happened to the clock besides turns, since that time; nothing for somebody who doesn't play."""
    player = request.sender.player
    if player is None or seat_of(match, player) is None:
        return ()
    names = _names(request, match)
    return tuple(
        ClockShown(
            kind=note.kind,
            when=_moment(request, note.at),
            by="" if note.seat is None else names[note.seat],
            until="" if note.until is None else _moment(request, note.until),
            days=note.days,
            away=tuple((_moment(request, start), _moment(request, end)) for start, end in note.away),
            given_back=note.given_back,
        )
        for note in timesheet.notes(request.session, match, MOST)
        if since is None or note.at >= since
    )


def _names(request: Request, match: Match) -> tuple[str, str]:
    people = people_of(request.session, (match,))
    return name(shown(match, people[match.seat0])), name(shown(match, people[match.seat1]))


def _moment(request: Request, time: datetime) -> str:
    player = request.sender.player
    zone = preferences.with_defaults({} if player is None else player.settings)[ZONE]
    return moment(time, zone, request.now)
