"""What follows in a tournament of each kind: a pure function from the field to the next pairings, or to its end."""

from collections.abc import Callable, Mapping

from pbem.features.tournaments.field import Field, Format, RoundStep
from pbem.features.tournaments.formats import knock_out, league, round_robin, swiss

FOLLOWING: Mapping[Format, Callable[[Field], RoundStep]] = {
    Format.ROUND_ROBIN: round_robin.following,
    Format.SWISS: swiss.following,
    Format.KNOCK_OUT: knock_out.following,
    Format.LEAGUE: league.following,
}
ROUNDS: Mapping[Format, Callable[[int, int | None], int]] = {
    Format.ROUND_ROBIN: round_robin.rounds,
    Format.SWISS: swiss.rounds,
    Format.KNOCK_OUT: knock_out.rounds,
    Format.LEAGUE: league.rounds,
}
"""How many rounds there are with that many entrants, where the one who opened the tournament wanted so many.

In a league they wanted so many players in a group.
"""


def following(field: Field) -> RoundStep:
    """Return what follows in the tournament now."""
    return FOLLOWING[field.kind](field)
