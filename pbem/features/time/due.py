"""What happens by time: time runs out, players are reminded, pauses end, vacations begin.

Each row has a transaction of its own that locks it and notes what was done. So it is done once, whatever crashes, and
by one of several daemons.
"""

from collections.abc import Iterator
from datetime import datetime, timedelta

import structlog
from sqlmodel import Session, col, select

from engines.seats import seat_of as engine_seat
from pbem.config import ServerSettings
from pbem.matches import agreements, queries, timeouts
from pbem.matches.clock import timekeeping
from pbem.matches.events import PlayerAway, ReminderDue
from pbem.matches.queries import opponent_of, playing, seat_of
from pbem.players import match_event_notices
from pbem.storage import facts_when_queued, queue
from pbem.storage.due_rows import due_rows
from pbem.storage.mailer import STAYED, WITH_CONTENT
from pbem.storage.models import Match, Outgoing, Player, Vacation

log = structlog.get_logger()


def _expire(session: Session, match: Match, server: ServerSettings, now: datetime) -> bool:
    events = timeouts.expire(session, match, now)
    match_event_notices.announce(session, server, now, events)
    if events:
        log.info("out of time", match=match.id, over=match.to_move is None)
    return bool(events)


def _end_pause(session: Session, match: Match, server: ServerSettings, now: datetime) -> bool:
    events = agreements.resume_by_itself(session, match, now)
    match_event_notices.announce(session, server, now, events)
    return bool(events)


# Reminders of turns that have waited as long as their players chose, or were agreed on. They are news: they wait for a
# digest where the player wants one, and those of a moment go into one message.
JUST_NOW = timedelta(hours=12)  # nobody is reminded of a turn that a message has shown them so recently
SHARE = 4  # where there is little time for a turn, JUST_NOW is at most that part of it: a quarter
SHOWING = ("turn", "digest", "answer")
"""The messages that count: the opponent can't make us send one of these, and so put a reminder off."""
LOOKED_AT = 20


def _remind(session: Session, match: Match, server: ServerSettings, now: datetime) -> bool:
    if match.to_move is None:
        return False
    player = session.get_one(Player, match.seat1 if match.to_move else match.seat0)
    if queue.waits_from(session, player.address):  # it may be the turn
        return False
    seat = timekeeping.remind(session, match, now)
    wants_news = player.stopped is None and player.unreachable is None and player.deleted is None
    if seat is None or not wants_news or _was_shown(session, player, match, now):
        return False
    match_event_notices.announce(session, server, now, (ReminderDue(match, engine_seat(seat)),))
    log.info("reminded", match=match.id, player=player.id)
    return True


def _was_shown(session: Session, player: Player, match: Match, now: datetime) -> bool:
    """Return whether a message has just shown the player that it is their turn, so that a reminder tells nothing."""
    clock = timekeeping.clock_of(match)
    allowed = None if clock is None else clock.allowed
    since = now - min(JUST_NOW, JUST_NOW if allowed is None else allowed / SHARE)
    newest = (
        select(Outgoing)
        .where(
            Outgoing.player == player.id,
            col(Outgoing.created) > since,
            col(Outgoing.template).in_(SHOWING),
            col(Outgoing.state).not_in(STAYED),
        )
        .order_by(col(Outgoing.created).desc())
        .limit(LOOKED_AT)
        .options(WITH_CONTENT)
    )
    shown = (match.id, queries.version(match))
    return any(
        shown in tuple(facts_when_queued.turns_of_reader(row.facts))
        for row in session.exec(newest)
        if not row.payload.get("reminder")
    )


# Vacations that have begun are told to the opponents. Nothing is needed to begin one: the clocks know of it.
def _tell_of_vacation(session: Session, row: Vacation, server: ServerSettings, now: datetime) -> bool:
    """Tell each opponent once of a vacation, unless it is over already."""
    if row.told is not None or row.begins > now:
        return False
    row.told = now
    if row.ends <= now:
        return False
    player = session.get_one(Player, row.player)
    match_event_notices.announce(session, server, now, _news_of_vacation(session, player, row))
    log.info("vacation", player=player.id)
    return True


def _news_of_vacation(session: Session, player: Player, row: Vacation) -> Iterator[PlayerAway]:
    opponents: set[int] = set()
    for number in playing(session, player):
        match = session.get_one(Match, number)
        opponent, seat = opponent_of(match, player), seat_of(match, player)
        if opponent not in opponents and seat is not None:
            yield PlayerAway(match, seat, row.ends)
            opponents.add(opponent)


TIME_OUTS = due_rows("time-outs", Match, Match.due, _expire)
PAUSES = due_rows("pauses", Match, Match.resumes, _end_pause)
REMINDERS = due_rows("reminders", Match, Match.remind, _remind)
VACATIONS = due_rows("vacations", Vacation, Vacation.begins, _tell_of_vacation, where=(col(Vacation.told).is_(None),))
DUE = (PAUSES, TIME_OUTS, VACATIONS, REMINDERS)
