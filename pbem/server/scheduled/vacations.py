"""Vacations: those that have begun are told to the opponents, and some begin because time would run out.

A vacation that was planned needs nothing to begin: the clocks know of it. Each player has a transaction of their own
that locks their row, so only one of several daemons acts.
"""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import structlog
from sqlalchemy import Engine, case
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, col, select

from pbem.config import ServerSettings
from pbem.matches.events import PlayerAway
from pbem.matches.queries import locked, opponent_of, playing, seat_of
from pbem.matches.time import timekeeping, vacations
from pbem.matches.time.vacations import AUTO, SETTING
from pbem.players import announcements
from pbem.storage.database import read_only, transaction
from pbem.storage.models import Match, Player, Vacation

log = structlog.get_logger()

AT_ONCE = 200
"""How many vacations, or matches, are looked at in one go."""
AHEAD = timedelta(minutes=15)
"""How long before a player's time would run out their vacation begins."""
Step = Callable[[Session, ServerSettings, int, datetime], bool]


def tell(engine: Engine, server: ServerSettings, now: datetime, stopped: Callable[[], bool] = lambda: False) -> int:
    """Tell opponents of the vacations that have begun. Return how many vacations those are."""
    with read_only(engine) as session:
        begun = select(Vacation.id).where(col(Vacation.told).is_(None), Vacation.begins <= now)
        numbers = [number or 0 for number in session.exec(begun.order_by(col(Vacation.begins)).limit(AT_ONCE))]
    return _each(engine, server, numbers, now, stopped, _tell)


def prolong(engine: Engine, server: ServerSettings, now: datetime, stopped: Callable[[], bool] = lambda: False) -> int:
    """Let players who want that go on vacation for a day before their time runs out. Return how many do."""
    with read_only(engine) as session:
        mover = case((col(Match.to_move) == 0, col(Match.seat0)), else_=col(Match.seat1))
        falling = (
            select(Match.id, Player.settings)
            .join(Player, col(Player.id) == mover)
            .where(col(Match.due) > now, col(Match.due) <= now + AHEAD)
            .order_by(col(Match.due))
        )
        numbers = [number or 0 for number, settings in session.exec(falling) if settings.get(SETTING) == AUTO]
    return _each(engine, server, numbers, now, stopped, _prolong)


def _each(
    engine: Engine,
    server: ServerSettings,
    numbers: list[int],
    now: datetime,
    stopped: Callable[[], bool],
    step: Step,
) -> int:
    acted = 0
    for number in numbers:
        if stopped():
            break
        try:
            with transaction(engine) as session:
                acted += step(session, server, number, now)
        except DBAPIError:
            raise
        except Exception:  # a bug: the others must not wait for this one
            log.exception("no vacation", number=number, step=step.__name__)
    return acted


def _tell(session: Session, server: ServerSettings, number: int, now: datetime) -> bool:
    """Tell each opponent once of a vacation, unless it is over already or another daemon is at it."""
    row = session.exec(select(Vacation).where(Vacation.id == number).with_for_update(skip_locked=True)).first()
    if row is None or row.told is not None or row.begins > now:
        return False
    row.told = now
    session.add(row)
    if row.ends <= now:
        return False
    player = session.get_one(Player, row.player)
    announcements.announce(session, server, now, _news(session, player, row))
    log.info("vacation", player=player.id, by_itself=row.automatic)
    return True


def _news(session: Session, player: Player, row: Vacation) -> Iterator[PlayerAway]:
    """Yield the news about a vacation, once for each opponent: in the first of their matches."""
    told: set[int] = set()
    for number in playing(session, player):
        match = session.get_one(Match, number)
        opponent, seat = opponent_of(match, player), seat_of(match, player)
        if opponent not in told and seat is not None:
            yield PlayerAway(match, seat, row.ends, row.automatic and not told)
            told.add(opponent)


def _prolong(session: Session, server: ServerSettings, number: int, now: datetime) -> bool:
    """Let the player to move go on vacation for a day, if their time runs out soon and they have a day left."""
    falling = session.get_one(Match, number)
    mover = falling.seat1 if falling.to_move else falling.seat0
    player = session.exec(select(Player).where(Player.id == mover).with_for_update(skip_locked=True)).first()
    match = locked(session, number)
    if player is None or match is None or player.settings.get(SETTING) != AUTO:
        return False
    clock = timekeeping.catch_up(session, match, now)
    if clock is None or match.due is None or not now < match.due <= now + AHEAD or seat_of(match, player) != clock.seat:
        return False
    return vacations.prolong(session, player, now, server.vacation_days) is not None
