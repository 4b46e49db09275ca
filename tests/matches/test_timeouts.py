"""Who can end a match because the other has no time left, with rows and events only."""

from datetime import timedelta

import pytest
from sqlmodel import Session

from engines.core import Seat
from notation.ending import Termination
from notation.time_control import parse
from pbem.matches import lifecycle, queries, timeouts
from pbem.matches.clock import timekeeping
from pbem.matches.obstacles import Obstacle
from pbem.storage.models import Match
from tests.contests import FIRST, NOW, impossible, offered, people, play

MINUTE = timedelta(minutes=1)
THREE_DAYS = timedelta(days=3)
REPLY = "c1d1 g9g8 1 d1e1 g8g7"


def timed(session: Session) -> Match:
    """Return a match with three days for a turn, after a turn of each; alice has just been told that she moves."""
    match, (_, bob, _) = offered(session, time=parse("3d/move")), people(session)
    lifecycle.accept(session, match, bob, NOW)
    for turn in (FIRST, REPLY):
        play(session, match, turn)
    timekeeping.hand_over(session, [(1, queries.version(match))], NOW)
    return match


@pytest.mark.parametrize(
    ("seat", "after"), [(1, timedelta(0)), (1, THREE_DAYS - MINUTE), (0, THREE_DAYS)], ids=["at once", "early", "own"]
)
def test_nothing_is_claimed_of_who_has_time_left(session: Session, seat: Seat, after: timedelta) -> None:
    match = timed(session)

    with impossible(Obstacle.TIME_LEFT):
        timeouts.claim(session, match, seat, NOW + after, NOW + after)

    assert match.termination is None


def test_who_has_no_time_left_has_lost_once_the_opponent_claims(session: Session) -> None:
    match, late = timed(session), NOW + THREE_DAYS

    timeouts.claim(session, match, 1, late, late)

    assert (match.termination, match.termination_seat, match.winner) == (Termination.TIMEOUT, 0, 1)
