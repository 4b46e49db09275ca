"""Vacations: those that have begun are told to the opponents, and some begin because time would run out.

A vacation that was planned needs nothing to begin: the clocks know of it. Each player has a transaction of their own
that locks their row, so only one of several daemons acts.
"""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial

import structlog
from sqlalchemy import BindParameter, Engine, bindparam, case, exists
from sqlmodel import Session, col, select

from pbem.config import ServerSettings
from pbem.features.time import vacations
from pbem.features.time.vacations import AUTO, AUTOMATIC
from pbem.matches.clock import timekeeping
from pbem.matches.events import PlayerAway
from pbem.matches.queries import locked, mover, opponent_of, playing, seat_of
from pbem.players import announcements
from pbem.storage.database import lock_if_free, read_only
from pbem.storage.due import NOW, Due, act_on, each_row
from pbem.storage.models import Match, Player, Vacation

log = structlog.get_logger()

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


tell = each_row(Vacation, _untold, _tell, doing="vacations")
"""Tells opponents of the vacations that have begun, and returns how many vacations those are."""
ARE_UNTOLD = exists().where(col(Vacation.told).is_(None), col(Vacation.begins) <= NOW)
DUE = (
    Due(name="vacations.prolong", when=MAY_BE_NEEDED, act=prolong, moments={SOON.key: AHEAD}),
    Due(name="vacations.tell", when=ARE_UNTOLD, act=tell),
)
