"""Knock-out: who loses is out. The highest seeds have byes where the number of entrants is no power of two.

A drawn match is played once more, and the other player moves first. If that is drawn too, the higher seed goes on. A
match without a result counts as drawn, unless one of the two has withdrawn.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby

from pbem.features.tournaments.field import WAIT, Field, Matchup, RoundStep, Score, boards


def rounds(entrants: int, wanted: int | None = None) -> int:
    """Return how many rounds there are.

    >>> rounds(8), rounds(5), rounds(2)
    (3, 3, 1)
    """
    return (entrants - 1).bit_length()


def bracket(number_of_rounds: int) -> tuple[int, ...]:
    """Return the seeds from the top of the bracket to its bottom: the best meet as late as possible.

    >>> bracket(3)
    (1, 8, 4, 5, 2, 7, 3, 6)
    """
    seeds: tuple[int, ...] = (1,)
    for _ in range(number_of_rounds):
        sum_of_two = 2 * len(seeds) + 1
        seeds = tuple(seed for each in seeds for seed in (each, sum_of_two - each))
    return seeds


def following(field: Field) -> RoundStep:
    """Return the second matches of those who drew; once all is decided, the next round."""
    replays = tuple(_replays(field))
    if replays or field.is_open:
        return RoundStep(replays) if replays else WAIT
    new = () if field.pairs else _first_round(field)
    while not any(pair.result is None for pair in new):
        known = field.with_pairs(new)
        if known.last_round == field.rounds:
            return RoundStep(new, is_over=True)
        new = (*new, *_next_round(known))
    return RoundStep(new)


def _first_round(field: Field) -> tuple[Matchup, ...]:
    by_seed = {entrant.seed: entrant.player for entrant in field.entrants}
    drawn = bracket(field.rounds)
    meetings = []
    for one, other in zip(drawn[::2], drawn[1::2], strict=True):
        better, worse = sorted((one, other))
        # The lower seed moves first, to make up for it.
        meetings.append((by_seed[worse], by_seed[better]) if worse in by_seed else (by_seed[better], None))
    return tuple(field.settled(pair) for pair in boards(1, meetings))


def _next_round(field: Field) -> tuple[Matchup, ...]:
    winners = [winner_of(field, tie) for tie in ties(field.of_round(field.last_round))]
    meetings = [_in_order(field, one, other) for one, other in zip(winners[::2], winners[1::2], strict=True)]
    return tuple(field.settled(pair) for pair in boards(field.last_round + 1, meetings))


def _in_order(field: Field, one: int, other: int) -> tuple[int, int]:
    """Return who moves first, and who second: first who has done so in fewer matches, otherwise the lower seed."""
    seeds = field.seeds()
    first, second = sorted((one, other), key=lambda player: (field.firsts(player), -seeds[player]))
    return first, second


def ties(pairs: Iterable[Matchup]) -> Iterator[tuple[Matchup, ...]]:
    in_order = sorted(pairs, key=lambda pair: (pair.board, pair.game))
    for _, games in groupby(in_order, key=lambda pair: pair.board):
        yield tuple(games)


def _replays(field: Field) -> Iterator[Matchup]:
    for tie in ties(field.of_round(field.last_round)):
        (only, *more) = tie
        undecided = only.result in (Score.DRAW, Score.NEITHER) and only.second is not None
        if undecided and not more and all(field.entrant(player).is_playing for player in only.players):
            yield Matchup(only.round, only.board, only.second or 0, only.first, game=2)


def winner_of(field: Field, tie: tuple[Matchup, ...]) -> int:
    last = tie[-1]
    if last.second is None or last.result is Score.FIRST:
        return last.first
    if last.result is Score.SECOND:
        return last.second
    seeds = field.seeds()
    return min(last.players, key=lambda player: (not field.entrant(player).is_playing, seeds[player]))


def ties_won(field: Field, player: int) -> int:
    """Return how many rounds the player has survived, also without anybody to beat."""
    last = max((pair.round for pair in field.of_player(player)), default=0)
    if last == 0 or last < field.last_round:
        return max(last - 1, 0)
    (tie,) = (each for each in ties(field.of_round(last)) if player in each[0].players)
    return last - 1 + (_is_decided(field, tie) and winner_of(field, tie) == player)


def _is_decided(field: Field, tie: tuple[Matchup, ...]) -> bool:
    last = tie[-1]
    if last.result in (None, Score.FIRST, Score.SECOND):
        return last.result is not None
    return last.game > 1 or not all(field.entrant(player).is_playing for player in last.players)
