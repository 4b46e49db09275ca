"""The clocks of matches as they are stored, for tests by mail."""

from datetime import timedelta

from pbem.matches.clock import timekeeping
from pbem.matches.clock.clock import Clock
from pbem.storage.database import transaction
from pbem.storage.models import Match
from tests.correspondence import MORNING, Correspondence

DAY = timedelta(days=1)


def clock(letters: Correspondence, number: int = 1) -> Clock:
    """Return the clock of a match, which is what its stored events add up to."""
    with transaction(letters.server.engine) as session:
        match = session.get_one(Match, number)
        found = timekeeping.clock_of(match)
        assert found is not None
        assert timekeeping.replayed(match, timekeeping.rows_of(session, [match])) == found
        assert match.due == found.due
    return found


def due(letters: Correspondence) -> timedelta | None:
    """Return how long after the beginning of everything the turn is due."""
    at = clock(letters).due
    return None if at is None else at - MORNING
