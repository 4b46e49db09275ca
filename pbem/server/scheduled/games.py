"""Matches stop when their game isn't there any more, and go on when it is back; both players are told, once each.

That is so where a package was removed, isn't enabled, has other rules than the match began by, or is suspended. Where
several servers share a database, a match stops if one of them lacks its game, and goes on when all of them have it.
"""

from collections.abc import Callable
from datetime import datetime
from functools import partial

import structlog
from sqlalchemy import Engine, exists
from sqlmodel import Session, col

from notation.games import GAMES
from pbem.config import ServerSettings
from pbem.matches import missing
from pbem.matches.events import Events
from pbem.players import announcements
from pbem.server.health import reports
from pbem.storage.database import lock_if_free, read_only
from pbem.storage.due import NOW, Due, act_on
from pbem.storage.models import Match

log = structlog.get_logger()


def left_over(engine: Engine) -> list[int]:
    """Return the matches that are being played though their game isn't there."""
    with read_only(engine) as session:
        gone = {each for each in missing.of_running(session) if GAMES.why_missing(*each)}
        for key, version in sorted(gone):
            log.error("a game isn't there", game=key, rules=version, why=GAMES.why_missing(key, version))
        return missing.running(session, gone) if gone else []


def stop(engine: Engine, numbers: list[int], server: ServerSettings, now: datetime, stopped: Callable[[], bool]) -> int:
    """Stop those matches. Return how many have."""
    act = partial(_change, change=missing.stop, server=server, now=now)
    return act_on(engine, numbers, act, stopped, now, doing="matches of missing games")


def go_on(engine: Engine, server: ServerSettings, now: datetime, stopped: Callable[[], bool] = lambda: False) -> int:
    """Let the matches go on whose game is back. Return how many do."""
    with read_only(engine) as session:
        offered = reports.offered_by_all(session, GAMES.versions(), now)
        numbers = missing.stopped(session, offered, now - reports.EVERY)  # by then all servers have told what they have
    act = partial(_change, change=missing.go_on, server=server, now=now)
    return act_on(engine, numbers, act, stopped, now, doing="matches of games that are back")


def _change(
    session: Session,
    number: int,
    change: Callable[[Session, Match, datetime], Events],
    server: ServerSettings,
    now: datetime,
) -> bool:
    """Stop a match, or let it go on, and queue the news. Return whether anything changed."""
    match = lock_if_free(session, Match, number)
    events = change(session, match, now) if match is not None else ()
    announcements.announce(session, server, now, events)
    return bool(events)


DUE = Due(name="games.go_on", when=exists().where(col(Match.missing) <= NOW), act=go_on)
