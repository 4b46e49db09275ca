"""The crosstable: who met whom, and how that ended, by rows in the order of the standings."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from pbem.features.tournaments.field import DRAW, LOSS, WIN, Field, Format, Matchup
from pbem.features.tournaments.formats import league
from pbem.features.tournaments.standings import ORDER, TournamentPlace, standings

OWN, RUNNING, NOTHING, BYE = "*", "?", "", "bye"
SCORED = {WIN: "1", DRAW: "=", LOSS: "0"}
"""What a played match says in a round robin."""
FORFEITED = {WIN: "+", LOSS: "-"}
"""What a match says that was not played."""
ENDED = {WIN: "+", DRAW: "=", LOSS: "-"}
"""What stands before the opponent's number in other tournaments."""


@dataclass(frozen=True, slots=True)
class CrosstableEntry:
    """A player's row. Its number is what other rows call the player by."""

    number: int
    place: TournamentPlace
    cells: tuple[str, ...]
    points: str
    breaks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """All rows, and what stands above the columns."""

    heads: tuple[str, ...]
    breaks: tuple[str, ...]
    rows: tuple[CrosstableEntry, ...]
    by_round: bool
    """Whether a column is a round."""
    group: int = 0
    """Which group of a league it is; 0 for any other tournament."""

    def has(self, player: int) -> bool:
        """Return whether the player is in it."""
        return any(row.place.entrant.player == player for row in self.rows)


def tables(field: Field) -> tuple[Table, ...]:
    """Return the crosstable of each group, from the highest; the only one of other tournaments."""
    if field.kind is not Format.LEAGUE:
        return (table(field),)
    groups = enumerate(league.groups(field), start=1)
    return tuple(replace(table(group), group=number) for number, group in groups)


def ranked(field: Field) -> tuple[tuple[int, ...], ...]:
    """Return the players of each group in the order of the standings."""
    return tuple(tuple(row.place.entrant.player for row in each.rows) for each in tables(field))


def table(field: Field) -> Table:
    """Return the crosstable as it stands.

    In a round robin a cell is the result against the player of that number; otherwise it is a round: `+12` is a win
    against number 12, `-3` a loss, `=4` a draw, `?5` a match that goes on, and an `f` behind it says "by forfeit".
    """
    places = standings(field)
    numbers = {place.entrant.player: number for number, place in enumerate(places, start=1)}
    is_all = field.kind is Format.ROUND_ROBIN
    heads = range(1, len(places) + 1 if is_all else field.last_round + 1)
    rows = tuple(
        CrosstableEntry(
            number,
            place,
            _against_all(field, place.entrant.player, numbers) if is_all else _by_round(field, place, numbers),
            written(place.points),
            tuple(written(value) for value in place.breaks),
        )
        for number, place in enumerate(places, start=1)
    )
    return Table(tuple(str(head) for head in heads), tuple(each.short for each in ORDER[field.kind]), rows, not is_all)


def written(points: float) -> str:
    """Return points as people write them.

    >>> written(2.0), written(2.5), written(8.25)
    ('2', '2.5', '8.25')
    """
    return f"{points:g}"


def _against_all(field: Field, player: int, numbers: Mapping[int, int]) -> tuple[str, ...]:
    found = {pair.opponent_of(player): pair for pair in field.of_player(player)}
    return tuple(OWN if other == player else _cell(found.get(other), player) for other in numbers)


def _cell(pair: Matchup | None, player: int) -> str:
    """Return a match in a table of all against all."""
    if pair is None:
        return NOTHING
    if pair.result is None:
        return RUNNING
    points = pair.points_of(player)
    return SCORED[points] if pair.is_played else FORFEITED[points]


def _by_round(field: Field, place: TournamentPlace, numbers: Mapping[int, int]) -> tuple[str, ...]:
    player = place.entrant.player
    met: dict[int, list[Matchup]] = {}
    for pair in field.of_player(player):
        met.setdefault(pair.round, []).append(pair)
    return tuple(_in_round(met.get(number, []), player, numbers) for number in range(1, field.last_round + 1))


def _in_round(pairs: list[Matchup], player: int, numbers: Mapping[int, int]) -> str:
    """Return what happened to a player in a round."""
    if not pairs:
        return NOTHING
    opponent = pairs[-1].opponent_of(player)
    if opponent is None:
        return BYE
    marks = "".join(RUNNING if pair.result is None else ENDED[pair.points_of(player)] for pair in pairs)
    return f"{marks}{numbers[opponent]}{'' if pairs[-1].is_played else 'f'}"
