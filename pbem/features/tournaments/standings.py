"""Standings: the entrants by their points, then by tie-breaks as the FIDE Handbook names and computes them.

The source of the tie-breaks is chapter C.07, "Tie-Break Regulations" (2024): direct encounter, number of wins,
Buchholz and Sonneborn-Berger. A round without a match, such as a bye, counts there as one against a made-up opponent
who has as many points as the player has in the end ("dummy opponent", article 16.4). The rounds that an opponent has
missed since they withdrew count as drawn (article 16.3), or those who met them early would suffer. In a round robin
all opponents are known and paired, so their points count as they are.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from pbem.features.tournaments.field import DRAW, WIN, Entrant, Field, Format, Matchup
from pbem.features.tournaments.formats import knock_out


@dataclass(frozen=True, slots=True)
class TieBreak:
    """A named tie-break."""

    name: str
    short: str
    """What stands above its column."""
    of: Callable[[Field, int, Collection[int]], float]
    """Returns its value for a player, among those who are tied so far."""


def direct_encounter(field: Field, player: int, tied: Collection[int]) -> float:
    """Return the points of the matches among those who are tied; 0 if some of them haven't met."""
    met = [pair for pair in field.pairs if pair.second is not None and {*pair.players} <= {*tied}]
    if len({frozenset(pair.players) for pair in met if pair.result}) < len(tied) * (len(tied) - 1) // 2:
        return 0.0
    return sum(pair.points_of(player) for pair in met if player in pair.players)


def wins(field: Field, player: int, tied: Collection[int] = ()) -> float:
    """Return the number of matches won, byes and forfeits included (C.07, "WIN")."""
    return float(sum(pair.points_of(player) == WIN for pair in field.of_player(player)))


def buchholz(field: Field, player: int, tied: Collection[int] = ()) -> float:
    """Return the sum of the points of all opponents (C.07, "BH")."""
    missed = _missed(field, player) * field.points(player)
    return missed + sum(_points_met(field, pair, player) for pair in field.of_player(player) if pair.result)


def sonneborn_berger(field: Field, player: int, tied: Collection[int] = ()) -> float:
    """Return the points of all opponents, times what the player has got against them (C.07, "SB")."""
    return sum(_points_met(field, pair, player) * pair.points_of(player) for pair in field.of_player(player))


def _points_met(field: Field, pair: Matchup, player: int) -> float:
    """Return the points of the opponent, or of the one who is made up."""
    opponent = pair.opponent_of(player)
    if opponent is None or not (pair.is_played or field.kind is Format.ROUND_ROBIN):
        return field.points(player)
    return field.points(opponent) + DRAW * _missed(field, opponent)


def _missed(field: Field, player: int) -> int:
    """Return how many rounds of a Swiss the player has missed since they withdrew; elsewhere, they forfeit matches."""
    if field.kind is not Format.SWISS:
        return 0
    return field.last_round - len({pair.round for pair in field.of_player(player)})


def rounds_survived(field: Field, player: int, tied: Collection[int] = ()) -> float:
    """Return how far the player got in a knock-out."""
    return float(knock_out.ties_won(field, player))


DIRECT = TieBreak("direct encounter", "DE", direct_encounter)
WINS = TieBreak("number of wins", "Win", wins)
BUCHHOLZ = TieBreak("Buchholz", "BH", buchholz)
SONNEBORN_BERGER = TieBreak("Sonneborn-Berger", "SB", sonneborn_berger)
ORDER: dict[Format, tuple[TieBreak, ...]] = {
    Format.ROUND_ROBIN: (DIRECT, SONNEBORN_BERGER, WINS),
    Format.SWISS: (BUCHHOLZ, SONNEBORN_BERGER, DIRECT),
    Format.KNOCK_OUT: (),
}
"""The tie-breaks of each kind, in the order in which they count."""


@dataclass(frozen=True, slots=True)
class TournamentPlace:
    """An entrant in the standings."""

    place: int
    """From 1; those whom nothing tells apart have the same one."""
    entrant: Entrant
    points: float
    """In a knock-out, how many rounds they have survived."""
    breaks: tuple[float, ...]
    """The tie-breaks, in their order."""


def standings(field: Field) -> tuple[TournamentPlace, ...]:
    """Return all entrants, the best first; those whom nothing tells apart by their seeds."""
    points = {each.player: score(field, each.player) for each in field.entrants}
    groups = _split([[each.player for each in field.entrants]], points)
    breaks: dict[int, tuple[float, ...]] = dict.fromkeys(points, ())
    for tie_break in ORDER[field.kind]:
        values = {player: tie_break.of(field, player, group) for group in groups for player in group}
        breaks = {player: (*before, values[player]) for player, before in breaks.items()}
        groups = _split(groups, values)
    places: list[TournamentPlace] = []
    for group in groups:
        place = len(places) + 1
        places += (TournamentPlace(place, field.entrant(player), points[player], breaks[player]) for player in group)
    return tuple(places)


def score(field: Field, player: int) -> float:
    """Return what a player is ordered by first."""
    return rounds_survived(field, player) if field.kind is Format.KNOCK_OUT else field.points(player)


def _split(groups: Iterable[list[int]], values: Mapping[int, float]) -> list[list[int]]:
    """Return the groups divided by a value, the highest first; otherwise their order stays."""
    split: list[list[int]] = []
    for group in groups:
        highest_first = sorted({values[player] for player in group}, reverse=True)
        split += ([player for player in group if values[player] == value] for value in highest_first)
    return split
