"""Reminders: players are told of turns that have waited for them as long as they chose, or were agreed on.

Each match has a transaction of its own that locks it. It notes that the reminder is settled and queues the message, so
it is sent once, whatever crashes, and by one of several daemons. Reminders are news: they wait for a digest where the
player wants one, and those of a moment go into one message.
"""

from datetime import datetime, timedelta
from functools import partial

import structlog
from sqlalchemy import exists
from sqlmodel import Session, col, select

from engines.seats import seat_of
from pbem.config import ServerSettings
from pbem.matches import queries
from pbem.matches.clock import timekeeping
from pbem.matches.events import ReminderDue
from pbem.players import announcements
from pbem.storage import facts
from pbem.storage.due import NOW, Due, each_row
from pbem.storage.models import Match, Outgoing, Player
from pbem.storage.outbox import STAYED, WITH_CONTENT

log = structlog.get_logger()

JUST_NOW = timedelta(hours=12)
"""Nobody is reminded of a turn that a message has shown them so recently."""
SHARE = 4
"""Where there is little time for a turn, that is no more than this part of it."""
SHOWING = ("turn", "digest", "answer")
"""The messages that count: the opponent can't make us send one of these, and so put a reminder off."""
LOOKED_AT = 20
"""How many messages are looked at."""


def _remind(session: Session, match: Match, server: ServerSettings, now: datetime) -> bool:
    if match.to_move is None:
        return False
    player = session.get_one(Player, queries.mover(match))
    if queries.waits_from(session, player.address):  # it may be the turn
        return False
    seat = timekeeping.remind(session, match, now)
    wants_news = player.stopped is None and player.unreachable is None and player.deleted is None
    if seat is None or not wants_news or _was_shown(session, player, match, now):
        return False
    announcements.announce(session, server, now, (ReminderDue(match, seat_of(seat)),))
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
        shown in tuple(facts.turns_of_reader(row.facts))
        for row in session.exec(newest)
        if not row.payload.get("reminder")
    )


remind = each_row(Match, partial(queries.reached, time=Match.remind), _remind, doing="reminders")
"""Queues the reminders that are due, and returns how many there were."""
ARE_DUE = exists().where(col(Match.remind) <= NOW)
DUE = (Due(name="reminders.remind", when=ARE_DUE, act=remind),)
