"""Standings: the entrants by their points, then by tie-breaks; and as a crosstable, which tells who met whom.

The tie-breaks are those of the FIDE Handbook, chapter C.07, "Tie-Break Regulations" (2024): direct encounter, number of
wins, Buchholz and Sonneborn-Berger. A round without a match, such as a bye, counts there as one against a made-up
opponent who has as many points as the player has in the end ("dummy opponent", article 16.4). The rounds that an
opponent has missed since they withdrew count as drawn (article 16.3), or those who met them early would suffer. In a
round robin all opponents are known and paired, so their points count as they are.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace

from pbem.features.tournaments import knock_out, league
from pbem.features.tournaments.field import DRAW, LOSS, WIN, Entrant, Field, Format, Matchup


@dataclass(frozen=True, slots=True)
class TieBreak:
    name: str
    short: str
    """What stands above its column."""
    of: Callable[[Field, int, Collection[int]], float]
    """Returns its value for a player, among those who are tied so far."""


def direct_encounter(field: Field, player: int, tied: Collection[int]) -> float:
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
    place: int
    """From 1; those whom nothing tells apart have the same one."""
    entrant: Entrant
    points: float
    """In a knock-out, how many rounds they have survived."""
    breaks: tuple[float, ...]
    """The tie-breaks, in their order."""


def standings(field: Field) -> tuple[TournamentPlace, ...]:
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
    return rounds_survived(field, player) if field.kind is Format.KNOCK_OUT else field.points(player)


def _split(groups: Iterable[list[int]], values: Mapping[int, float]) -> list[list[int]]:
    """Return the groups divided by a value, the highest first; otherwise their order stays."""
    split: list[list[int]] = []
    for group in groups:
        highest_first = sorted({values[player] for player in group}, reverse=True)
        split += ([player for player in group if values[player] == value] for value in highest_first)
    return split


OWN, RUNNING, NOTHING, BYE = "*", "?", "", "bye"
SCORED = {WIN: "1", DRAW: "=", LOSS: "0"}
"""What a played match says in a round robin."""
FORFEITED = {WIN: "+", LOSS: "-"}
"""What a match says that was not played."""
ENDED = {WIN: "+", DRAW: "=", LOSS: "-"}
"""What stands before the opponent's number in other tournaments."""


@dataclass(frozen=True, slots=True)
class CrosstableEntry:
    number: int
    place: TournamentPlace
    cells: tuple[str, ...]
    points: str
    breaks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    heads: tuple[str, ...]
    breaks: tuple[str, ...]
    rows: tuple[CrosstableEntry, ...]
    by_round: bool
    """Whether a column is a round."""
    group: int = 0
    """Which group of a league it is; 0 for any other tournament."""

    def has(self, player: int) -> bool:
        return any(row.place.entrant.player == player for row in self.rows)


def tables(field: Field) -> tuple[Table, ...]:
    if field.kind is not Format.LEAGUE:
        return (crosstable(field),)
    groups = enumerate(league.groups(field), start=1)
    return tuple(replace(crosstable(group), group=number) for number, group in groups)


def ranked(field: Field) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(row.place.entrant.player for row in each.rows) for each in tables(field))


def crosstable(field: Field) -> Table:
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
    if not pairs:
        return NOTHING
    opponent = pairs[-1].opponent_of(player)
    if opponent is None:
        return BYE
    marks = "".join(RUNNING if pair.result is None else ENDED[pair.points_of(player)] for pair in pairs)
    return f"{marks}{numbers[opponent]}{'' if pairs[-1].is_played else 'f'}"
