"""What happens by time: time runs out, players are reminded, pauses end, vacations begin.

Each match, or player, has a transaction of its own that locks its row and notes what was done. So it is done once,
whatever crashes, and by one of several daemons.
"""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial

import structlog
from sqlalchemy import BindParameter, Engine, bindparam, case, exists
from sqlmodel import Session, col, select

from engines.seats import seat_of as engine_seat
from pbem.config import ServerSettings
from pbem.features.time import vacations
from pbem.features.time.vacations import AUTO, AUTOMATIC
from pbem.matches import agreements, queries, timeouts
from pbem.matches.clock import timekeeping
from pbem.matches.events import PlayerAway, ReminderDue
from pbem.matches.queries import locked, mover, opponent_of, playing, seat_of
from pbem.players import announcements
from pbem.storage import facts
from pbem.storage.database import lock_if_free, read_only
from pbem.storage.due import NOW, Due, act_on, each_row
from pbem.storage.models import Match, Outgoing, Player, Vacation
from pbem.storage.outbox import STAYED, WITH_CONTENT

log = structlog.get_logger()


def _expire(session: Session, match: Match, server: ServerSettings, now: datetime) -> bool:
    events = timeouts.expire(session, match, now)
    announcements.announce(session, server, now, events)
    if events:
        log.info("out of time", match=match.id, over=match.to_move is None)
    return bool(events)


def _end_pause(session: Session, match: Match, server: ServerSettings, now: datetime) -> bool:
    events = agreements.resume_by_itself(session, match, now)
    announcements.announce(session, server, now, events)
    return bool(events)


# Reminders of turns that have waited as long as their players chose, or were agreed on. They are news: they wait for a
# digest where the player wants one, and those of a moment go into one message.
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
    announcements.announce(session, server, now, (ReminderDue(match, engine_seat(seat)),))
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


# Vacations: those that have begun are told to the opponents, and some begin because time would run out. One that was
# planned needs nothing to begin: the clocks know of it.
AHEAD = timedelta(minutes=15)
"""How long before a player's time would run out their vacation begins."""

SOON: BindParameter[datetime] = bindparam("soon")
"""AHEAD of the look at what is due."""
MAY_BE_NEEDED = exists().where(col(Match.due) > NOW, col(Match.due) <= SOON)
"""Whether the time of any player runs out soon."""


def _untold(session: Session, now: datetime, most: int) -> list[int]:
    begun = select(Vacation.id).where(col(Vacation.told).is_(None), Vacation.begins <= now)
    return [number or 0 for number in session.exec(begun.order_by(col(Vacation.begins)).limit(most))]


def prolong(engine: Engine, server: ServerSettings, now: datetime, stopped: Callable[[], bool] = lambda: False) -> int:
    """Let players who want that go on vacation for a day before their time runs out. Return how many do."""
    with read_only(engine) as session:
        to_move = case((col(Match.to_move) == 0, col(Match.seat0)), else_=col(Match.seat1))
        falling = (
            select(Match.id, Player.settings)
            .join(Player, col(Player.id) == to_move)
            .where(col(Match.due) > now, col(Match.due) <= now + AHEAD)
            .order_by(col(Match.due))
        )
        numbers = [number or 0 for number, settings in session.exec(falling) if AUTOMATIC.of(settings) == AUTO]
    return act_on(
        engine, numbers, partial(_prolong, server=server, now=now), stopped, now, doing="vacations by themselves"
    )


def _tell(session: Session, row: Vacation, server: ServerSettings, now: datetime) -> bool:
    """Tell each opponent once of a vacation, unless it is over already."""
    if row.told is not None or row.begins > now:
        return False
    row.told = now
    if row.ends <= now:
        return False
    player = session.get_one(Player, row.player)
    announcements.announce(session, server, now, _news(session, player, row))
    log.info("vacation", player=player.id, by_itself=row.automatic)
    return True


def _news(session: Session, player: Player, row: Vacation) -> Iterator[PlayerAway]:
    told: set[int] = set()
    for number in playing(session, player):
        match = session.get_one(Match, number)
        opponent, seat = opponent_of(match, player), seat_of(match, player)
        if opponent not in told and seat is not None:
            yield PlayerAway(match, seat, row.ends, row.automatic and not told)
            told.add(opponent)


def _prolong(session: Session, number: int, server: ServerSettings, now: datetime) -> bool:
    falling = session.get_one(Match, number)
    player = lock_if_free(session, Player, mover(falling))
    match = locked(session, number)
    if player is None or match is None or AUTOMATIC.of(player.settings) != AUTO:
        return False
    clock = timekeeping.catch_up(session, match, now)
    if clock is None or clock.is_told or seat_of(match, player) != clock.seat:
        return False
    if match.due is None or not now < match.due <= now + AHEAD:
        return False
    return vacations.prolong(session, player, now, server.vacation_days) is not None


expire = each_row(Match, partial(queries.reached, time=Match.due), _expire, doing="time-outs")
"""Does what follows in the matches in which time has run out."""
end_pauses = each_row(Match, partial(queries.reached, time=Match.resumes), _end_pause, doing="pauses")
"""Ends the pauses that are over, and tells both players."""
remind = each_row(Match, partial(queries.reached, time=Match.remind), _remind, doing="reminders")
"""Queues the reminders that are due."""
tell = each_row(Vacation, _untold, _tell, doing="vacations")
"""Tells opponents of the vacations that have begun."""
DUE = (
    Due(name="pauses.end", when=exists().where(col(Match.resumes) <= NOW), act=end_pauses),
    Due(name="timeouts.expire", when=exists().where(col(Match.due) <= NOW), act=expire),
    Due(name="vacations.prolong", when=MAY_BE_NEEDED, act=prolong, moments={SOON.key: AHEAD}),
    Due(
        name="vacations.tell", when=exists().where(col(Vacation.told).is_(None), col(Vacation.begins) <= NOW), act=tell
    ),
    Due(name="reminders.remind", when=exists().where(col(Match.remind) <= NOW), act=remind),
)
"""Each acts, and returns on how many."""
