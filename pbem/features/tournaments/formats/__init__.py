"""What follows in a tournament of each kind: a pure function from the field to the next pairings, or to its end."""

from collections.abc import Callable, Mapping

from pbem.features.tournaments.field import Field, Kind, Step
from pbem.features.tournaments.formats import knock_out, league, round_robin, swiss

FOLLOWING: Mapping[Kind, Callable[[Field], Step]] = {
    Kind.ROUND_ROBIN: round_robin.following,
    Kind.SWISS: swiss.following,
    Kind.KNOCK_OUT: knock_out.following,
    Kind.LEAGUE: league.following,
}
ROUNDS: Mapping[Kind, Callable[[int, int | None], int]] = {
    Kind.ROUND_ROBIN: round_robin.rounds,
    Kind.SWISS: swiss.rounds,
    Kind.KNOCK_OUT: knock_out.rounds,
    Kind.LEAGUE: league.rounds,
}
"""How many rounds there are with that many entrants, where the one who opened the tournament wanted so many.

In a league they wanted so many players in a group.
"""


def following(field: Field) -> Step:
    """Return what follows in the tournament now."""
    return FOLLOWING[field.kind](field)
