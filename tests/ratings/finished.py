"""Matches that are over and count, as rows."""

from datetime import date, datetime

from pbem.matches.ratings.weekly_rating import begins
from pbem.storage.models import Match, MatchState

START = date(2026, 1, 5)
GAME = "kvadratik"


def played(number: int, seats: tuple[int, int], winner: int | None, ended: datetime, game: str = GAME) -> Match:
    """Return a rated match that ended then."""
    first, second = seats
    return Match(
        id=number, game=game, options={}, seat0=first, seat1=second, challenger=first, created=begins(START),
        state=MatchState.OVER, rated=True, counted=ended, winner=winner, plies=30, ended=ended, termination="rules",
    )  # fmt: skip
