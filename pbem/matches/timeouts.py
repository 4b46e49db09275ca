"""What follows when a player has run out of time: the match is over, or the opponent can claim it, or gives time.

As in `lifecycle`, each function checks, writes rows and returns the events, and the caller has locked the match.
"""

from datetime import datetime, timedelta

from sqlmodel import Session

from engines.core import Seat
from engines.seats import other
from notation.ending import Ending, Termination
from pbem.matches import lifecycle
from pbem.matches.clock import timekeeping
from pbem.matches.clock.clock import Clock, RanOut, TimeGiven
from pbem.matches.events import Events, TimeGivenTo, TimeRanOut
from pbem.matches.obstacles import NotPossible, Obstacle
from pbem.storage import queue
from pbem.storage.models import Match, Player

LEAST_GIVEN, MOST_AT_ONCE, MOST_GIVEN = timedelta(hours=1), timedelta(days=7), timedelta(days=28)
"""How much time a player can give the opponent at least, at once, and in a match."""
UNCLAIMED = timedelta(days=28)  # after what time a match that could be claimed ends so by itself
NO_SHOW = "no first turn in time"


def claim(session: Session, match: Match, seat: Seat, received: datetime, now: datetime) -> Events:
    lifecycle.check_running(match)
    expires = match.due
    clock = timekeeping.catch_up(session, match, received)
    if clock is None or not clock.control.is_limited:
        raise NotPossible(Obstacle.NO_LIMIT, match)
    if match.paused is not None or clock.seat != other(seat) or not clock.has_run_out:
        raise NotPossible(Obstacle.TIME_LEFT, match)
    late = session.get_one(Player, match.seat0 if seat else match.seat1)
    due = None if clock.is_told else expires
    if (due is not None and queue.waits_since(session, due)) or queue.has_replied(session, late.address, received):
        raise NotPossible(Obstacle.TURN_MAY_WAIT, match)
    return _end(session, match, clock, other(seat), now)


def give(session: Session, match: Match, seat: Seat, time: timedelta, now: datetime) -> Events:
    """Give time to the opponent of that seat; if it has run out, they have that much from now on."""
    lifecycle.check_running(match)
    clock = timekeeping.catch_up(session, match, now)
    if clock is None or not clock.control.is_limited:
        raise NotPossible(Obstacle.NO_LIMIT, match)
    if match.tournament is not None:
        raise NotPossible(Obstacle.IN_TOURNAMENT, match)
    if timekeeping.given(session, match, other(seat)) + time > MOST_GIVEN:
        raise NotPossible(Obstacle.TIME_GIVEN, match)
    timekeeping.note(session, match, TimeGiven(now, other(seat), time))
    return (TimeGivenTo(match, other(seat), time),)


def expire(session: Session, match: Match, now: datetime) -> Events:
    """End a match in which time has run out, or note that it can be claimed, as its players agreed.

    Where nobody claims it and nobody moves, it ends some weeks later.
    Nothing happens while a message waits that was received before: it may be the turn.
    """
    clock = timekeeping.catch_up(session, match, now)
    if clock is None or clock.seat is None or match.due is None or match.due > now:
        return ()
    if queue.waits_since(session, match.due):
        return ()
    if clock.control.is_automatic or clock.is_told:
        return _end(session, match, clock, clock.seat, now)
    timekeeping.note(session, match, RanOut(now, now + UNCLAIMED))
    return (TimeRanOut(match, clock.seat),)


def _end(session: Session, match: Match, clock: Clock, late: Seat, now: datetime) -> Events:
    """End the match on time; who has played no turn at all hasn't lost, since the match never really began.

    In a tournament they have: they entered it, and others wait. If messages to the loser had come back, that is noted
    for the admin.
    """
    if clock.sides[late].turns == 0 and match.tournament is None:
        return lifecycle.end(session, match, Ending(Termination.CANCELLED), None, now, reason=NO_SHOW)
    player = session.get_one(Player, match.seat1 if late else match.seat0)
    if player.bounces or player.unreachable is not None:
        match.unreached = now
    return lifecycle.end(session, match, Ending(Termination.TIMEOUT, late), other(late), now)
