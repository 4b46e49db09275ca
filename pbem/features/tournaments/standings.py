"""The field of a tournament: who plays in it, who was paired with whom, and how that ended. Values only.

Standings list the entrants by their points, then by tie-breaks; and as a crosstable, which tells who met whom.
The tie-breaks are those of the FIDE Handbook, chapter C.07, "Tie-Break Regulations" (2024): Sonneborn-Berger, Buchholz
and number of wins. A round without a match, such as a bye, counts there as one against a made-up
opponent who has as many points as the player has in the end ("dummy opponent", article 16.4). The rounds that an
opponent has missed since they withdrew count as drawn (article 16.3), or those who met them early would suffer. In a
round robin all opponents are known and paired, so their points count as they are.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from itertools import groupby


class Format(StrEnum):
    """How opponents are found. The values are stored."""

    ROUND_ROBIN = "round-robin"
    SWISS = "swiss"  # in each round, players meet who have about as many points, and nobody twice
    KNOCK_OUT = "knock-out"
    LADDER = "ladder"  # players stand on rungs and challenge those above them. It has no rounds, and no field.


class Score(StrEnum):
    """How a pairing ended. The values are stored for pairings without a match."""

    FIRST = "first"
    SECOND = "second"
    DRAW = "draw"
    NEITHER = "neither"  # a match without a result: nobody gets anything


WIN, DRAW, LOSS = 1.0, 0.5, 0.0
POINTS = {
    Score.FIRST: (WIN, LOSS),
    Score.SECOND: (LOSS, WIN),
    Score.DRAW: (DRAW, DRAW),
    Score.NEITHER: (LOSS, LOSS),
}


@dataclass(frozen=True, slots=True)
class Entrant:
    player: int
    seed: int  # their number, from 1 for the highest rated; nobody has the same
    withdrawn: datetime | None = None  # since when they are not paired any more: they withdrew, left or were banned

    @property
    def is_playing(self) -> bool:
        return self.withdrawn is None


@dataclass(frozen=True, slots=True)
class Matchup:
    round: int
    board: int
    first: int  # the player who moves first, or who has the bye
    second: int | None  # None for a bye
    result: Score | None = None
    is_played: bool = True
    """Whether they have a match, or had one that ended with a result; byes and forfeits are not played."""
    game: int = 1  # 2 for the second match of the same two in a round of a knock-out

    @property
    def is_bye(self) -> bool:
        return self.second is None

    @property
    def players(self) -> tuple[int, ...]:
        return (self.first,) if self.second is None else (self.first, self.second)

    def opponent_of(self, player: int) -> int | None:
        return self.second if player == self.first else self.first

    def points_of(self, player: int) -> float:
        return 0.0 if self.result is None else POINTS[self.result][player != self.first]


def bye(round_: int, board: int, player: int) -> Matchup:
    return Matchup(round_, board, player, None, Score.FIRST, is_played=False)


@dataclass(frozen=True, slots=True)
class Field:
    kind: Format
    entrants: tuple[Entrant, ...]  # in the order of their seeds
    rounds: int
    at_once: int = 1  # how many rounds are played at the same time
    pairs: tuple[Matchup, ...] = ()  # in the order of rounds and boards

    @property
    def last_round(self) -> int:
        return max((pair.round for pair in self.pairs), default=0)

    @property
    def is_open(self) -> bool:
        return any(pair.result is None for pair in self.pairs)

    def entrant(self, player: int) -> Entrant:
        return next(entrant for entrant in self.entrants if entrant.player == player)

    def of_player(self, player: int) -> tuple[Matchup, ...]:
        return tuple(pair for pair in self.pairs if player in pair.players)

    def of_round(self, number: int) -> tuple[Matchup, ...]:
        return tuple(pair for pair in self.pairs if pair.round == number)

    def points(self, player: int) -> float:
        return sum(pair.points_of(player) for pair in self.of_player(player))

    def firsts(self, player: int) -> int:
        return sum(pair.first == player and not pair.is_bye and pair.is_played for pair in self.pairs)

    def with_pairs(self, more: Iterable[Matchup]) -> "Field":
        return replace(self, pairs=(*self.pairs, *more))

    def settled(self, pair: Matchup) -> Matchup:
        """Who is still there has won; where nobody is, nobody has."""
        if pair.second is None:
            return pair
        here = self.entrant(pair.first).is_playing, self.entrant(pair.second).is_playing
        if all(here):
            return pair
        result = Score.NEITHER if not any(here) else Score.FIRST if here[0] else Score.SECOND
        return replace(pair, result=result, is_played=False)


def boards(round_: int, meetings: Iterable[tuple[int, int | None]]) -> Iterator[Matchup]:
    for board, (first, second) in enumerate(meetings, start=1):
        yield bye(round_, board, first) if second is None else Matchup(round_, board, first, second)


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


def ties(pairs: Iterable[Matchup]) -> Iterator[tuple[Matchup, ...]]:
    in_order = sorted(pairs, key=lambda pair: (pair.board, pair.game))
    for _, games in groupby(in_order, key=lambda pair: pair.board):
        yield tuple(games)


def winner_of(field: Field, tie: tuple[Matchup, ...]) -> int:
    last = tie[-1]
    if last.second is None or last.result is Score.FIRST:
        return last.first
    if last.result is Score.SECOND:
        return last.second
    return min(map(field.entrant, last.players), key=lambda one: (not one.is_playing, one.seed)).player


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
