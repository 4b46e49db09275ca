"""The standings of a tournament and its crosstable.

Standings list the entrants by their points, then by tie-breaks; a crosstable tells who met whom.
The tie-breaks are those of the FIDE Handbook, chapter C.07, "Tie-Break Regulations" (2024): Sonneborn-Berger, Buchholz
and number of wins. A round without a match, such as a bye, counts there as one against a made-up
opponent who has as many points as the player has in the end ("dummy opponent", article 16.4). The rounds that an
opponent has missed since they withdrew count as drawn (article 16.3), or those who met them early would suffer. In a
round robin all opponents are known and paired, so their points count as they are.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from pbem.features.tournaments.matchups import DRAW, LOSS, WIN, Entrant, Field, Format, Matchup, Score, ties, winner_of


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
SCORED = {WIN: "1", DRAW: "=", LOSS: "0"}  # how a cell shows a played match in a round robin
FORFEITED = {WIN: "+", LOSS: "-"}  # how it shows one that was not played
ENDED = {WIN: "+", DRAW: "=", LOSS: "-"}  # what stands before the opponent's number in other tournaments


@dataclass(frozen=True, slots=True)
class CrosstableEntry:
    number: int
    place: int  # from 1; those whom nothing tells apart have the same one
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


def crosstable(field: Field) -> Table:
    """Return the crosstable as it stands.

    In a round robin a cell is the result against the player of that number; otherwise it is a round: `+12` is a win
    against number 12, `-3` a loss, `=4` a draw, `?5` a match that goes on, and an `f` behind it says "by forfeit".
    """
    tie_breaks = ORDER[field.kind]
    values = {
        entrant: (score(field, entrant.player), *(of(field, entrant.player) for of in tie_breaks.values()))
        for entrant in field.entrants
    }
    ranked = sorted(field.entrants, key=lambda entrant: [-value for value in values[entrant]])
    numbers = {entrant.player: number for number, entrant in enumerate(ranked, start=1)}
    by_round = field.kind is not Format.ROUND_ROBIN
    columns = range(1, field.last_round + 1 if by_round else len(ranked) + 1)
    rows: list[CrosstableEntry] = []
    for number, entrant in enumerate(ranked, start=1):
        player, pairs = entrant.player, field.of_player(entrant.player)
        if by_round:
            cells = [_in_round([pair for pair in pairs if pair.round == at], player, numbers) for at in columns]
        else:
            met = {pair.opponent_of(player): pair for pair in pairs}
            cells = [OWN if other == player else _against(met.get(other), player) for other in numbers]
        is_tied = number > 1 and values[entrant] == values[ranked[number - 2]]
        points, *breaks = (f"{value:g}" for value in values[entrant])
        place = rows[-1].place if is_tied else number
        rows.append(CrosstableEntry(number, place, entrant, tuple(cells), points, tuple(breaks)))
    return Table(tuple(map(str, columns)), tuple(tie_breaks), tuple(rows), by_round=by_round)


def _against(pair: Matchup | None, player: int) -> str:
    if pair is None:
        return NOTHING
    if pair.result is None:
        return RUNNING
    return (SCORED if pair.is_played else FORFEITED)[pair.points_of(player)]


def _in_round(pairs: list[Matchup], player: int, numbers: Mapping[int, int]) -> str:
    if not pairs:
        return NOTHING
    opponent = pairs[-1].opponent_of(player)
    if opponent is None:
        return BYE
    marks = "".join(RUNNING if pair.result is None else ENDED[pair.points_of(player)] for pair in pairs)
    return f"{marks}{numbers[opponent]}{'' if pairs[-1].is_played else 'f'}"


def ties_won(field: Field, player: int) -> int:
    """Return how many rounds the player has survived, also without anybody to beat."""
    last = max((pair.round for pair in field.of_player(player)), default=0)
    if last == 0 or last < field.last_round:
        return max(last - 1, 0)
    (tie,) = (tie for tie in ties(field.of_round(last)) if player in tie[0].players)
    match = tie[-1]
    is_decided = match.result in (Score.FIRST, Score.SECOND) or (
        match.result is not None and (match.game > 1 or not all(field.entrant(one).is_playing for one in match.players))
    )
    return last - 1 + (is_decided and winner_of(field, tie) == player)
