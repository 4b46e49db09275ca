"""The field of a tournament: who plays in it, who meets whom in which round, and how each meeting ended."""

from collections.abc import Iterable, Iterator
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
