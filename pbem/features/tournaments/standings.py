"""Standings: the entrants by their points and tie-breaks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pbem.features.tournaments.field import Entrant, Field, Format
from pbem.features.tournaments.tie_breaks import ORDER, rounds_survived


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
