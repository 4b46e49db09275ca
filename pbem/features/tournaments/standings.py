"""Standings: the entrants by their points, then by tie-breaks; and as a crosstable, which tells who met whom.

The tie-breaks are those of the FIDE Handbook, chapter C.07, "Tie-Break Regulations" (2024): Sonneborn-Berger, Buchholz
and number of wins. A round without a match, such as a bye, counts there as one against a made-up
opponent who has as many points as the player has in the end ("dummy opponent", article 16.4). The rounds that an
opponent has missed since they withdrew count as drawn (article 16.3), or those who met them early would suffer. In a
round robin all opponents are known and paired, so their points count as they are.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pbem.features.tournaments.field import DRAW, LOSS, WIN, Entrant, Field, Format, Matchup
from pbem.features.tournaments.pairing import ties_won


def wins(field: Field, player: int) -> float:
    """Return the number of matches won, byes and forfeits included (C.07, "WIN")."""
    return float(sum(pair.points_of(player) == WIN for pair in field.of_player(player)))


def buchholz(field: Field, player: int) -> float:
    """Return the sum of the points of all opponents (C.07, "BH")."""
    missed = _missed(field, player) * field.points(player)
    return missed + sum(_points_met(field, pair, player) for pair in field.of_player(player) if pair.result)


def sonneborn_berger(field: Field, player: int) -> float:
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


TieBreak = Callable[[Field, int], float]
ORDER: Mapping[Format, Mapping[str, TieBreak]] = {
    Format.ROUND_ROBIN: {"SB": sonneborn_berger, "Win": wins},
    Format.SWISS: {"BH": buchholz, "SB": sonneborn_berger},
    Format.KNOCK_OUT: {},
}
"""The tie-breaks of each kind, in the order in which they count, by what stands above their columns."""


def score(field: Field, player: int) -> float:
    """Return the player's points; in a knock-out, how many rounds they have survived."""
    return float(ties_won(field, player)) if field.kind is Format.KNOCK_OUT else field.points(player)


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
    place: int
    """From 1; those whom nothing tells apart have the same one."""
    entrant: Entrant
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


def crosstable(field: Field) -> Table:
    """Return the crosstable as it stands.

    In a round robin a cell is the result against the player of that number; otherwise it is a round: `+12` is a win
    against number 12, `-3` a loss, `=4` a draw, `?5` a match that goes on, and an `f` behind it says "by forfeit".
    """
    tie_breaks = ORDER[field.kind]
    values = {
        each: (score(field, each.player), *(of(field, each.player) for of in tie_breaks.values()))
        for each in field.entrants
    }
    ranked = sorted(field.entrants, key=lambda each: [-value for value in values[each]])
    numbers = {each.player: number for number, each in enumerate(ranked, start=1)}
    is_all = field.kind is Format.ROUND_ROBIN
    cells = _against_all if is_all else _by_round
    rows: list[CrosstableEntry] = []
    for number, each in enumerate(ranked, start=1):
        is_tied = number > 1 and values[each] == values[ranked[number - 2]]
        points, *breaks = map(written, values[each])
        place = rows[-1].place if is_tied else number
        rows.append(CrosstableEntry(number, place, each, cells(field, each.player, numbers), points, tuple(breaks)))
    heads = range(1, len(ranked) + 1 if is_all else field.last_round + 1)
    return Table(tuple(map(str, heads)), tuple(tie_breaks), tuple(rows), by_round=not is_all)


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


def _by_round(field: Field, player: int, numbers: Mapping[int, int]) -> tuple[str, ...]:
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
