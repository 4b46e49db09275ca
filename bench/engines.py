"""The speed of the engines, compared with python-chess in the same run.

Run `make bench`. For each game and main variant, as ratios to what python-chess does with chess:

- perft, the leaves/s of the tree of turns, stepped through as the house's search does: like python-chess, it doesn't
  check again what it has just listed;
- the same by the rules, which check every turn that they play;
- random playouts in turns/s, by the faster of two ways: lists of whole turns, or the choices of the search's states;
- replay, the turns/s of stored matches that are read and checked again, as each message does it.

CPU time is measured, in slices that alternate with python-chess, so that other work on the machine matters little. The
cost of a leaf depends on the rules, so use the ratios to compare machines and versions, not games.
"""

import argparse
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import cycle, islice
from time import process_time
from typing import Any

from rich.progress import track

from bench import arena, performance
from bench.performance import Row
from engines.core import Position
from engines.search.state import State, state_of
from notation.games import GAMES
from notation.record import Record, replay

performance.require("chess")
import chess  # noqa: E402 - not everybody has it

MATCHES = 3
LONGEST = 200
SLICES, SLICE_SECONDS = 4, 0.2
PLAYOUT = 60
"""The number of plies after which a playout of chess begins anew; few random matches end before."""


@dataclass(frozen=True, slots=True)
class Compared:
    """How many a second there are of ours and of python-chess."""

    ours: float
    theirs: float

    @property
    def ratio(self) -> float:
        """How many times as many are ours."""
        return self.ours / self.theirs


def record(key: str, options: Mapping[str, str], seed: int) -> Record:
    """Return a random match, played until it ends or reaches LONGEST turns."""
    chance, position = random.Random(seed), GAMES[key].game.position(options)
    moves: list[str] = []
    while position.turn is not None and len(moves) < LONGEST:
        move = chance.choice(list(islice(position.moves(), 200)))
        moves.append(GAMES[key].notation.format(move, position))
        position = position.play(move)
    return Record(key, options, ("a", "b"), tuple(moves))


def chess_record(seed: int) -> list[str]:
    """Return the moves of a random game of chess of PLAYOUT plies, or fewer, as people write them."""
    chance, board = random.Random(seed), chess.Board()
    moves: list[str] = []
    while len(moves) < PLAYOUT and (legal := list(board.legal_moves)):
        moves.append(board.san(chance.choice(legal)))
        board.push_san(moves[-1])
    return moves


def perft(state: State, depth: int, end: float) -> int:
    """Return the number of states after so many turns that the house's search can look at, or of those by `end`."""
    if depth == 0 or state.turn is None:
        return 1
    nodes = 0
    for choice in state.choices():
        after = state.after(choice)
        nodes += perft(after, depth - after.is_between_turns, end)
        if depth > 1 and process_time() > end:  # asking costs as much as a leaf
            break
    return nodes


def checked_perft(position: Position[Any], depth: int, end: float) -> int:
    """Return the number of leaves at that depth, or of those reached by the time `end`."""
    if depth == 0 or position.turn is None:
        return 1
    nodes = 0
    for move in position.moves():
        nodes += checked_perft(position.play(move), depth - 1, end)
        if depth > 1 and process_time() > end:
            break
    return nodes


def played_out(start: State, chance: random.Random, end: float) -> int:
    """Return the number of turns of random matches by the time `end`, choice by choice."""
    turns, here = 0, start
    while process_time() < end:
        choices = here.choices()
        here = here.after(chance.choice(choices)) if choices else start
        turns += here.is_between_turns
        if here.turn is None:
            here = start
    return turns


def turns_played_out(start: Position[Any], chance: random.Random, end: float) -> int:
    """Return the number of turns of random matches by the time `end`, by lists of whole turns."""
    turns, here = 0, start
    while process_time() < end:
        here = here.play(chance.choice(list(here.moves())))
        turns += 1
        if here.turn is None:
            here = start
    return turns


def chess_perft(board: chess.Board, depth: int, end: float) -> int:
    """Return the number of leaves at that depth, making and unmaking every move, or of those by the time `end`."""
    if depth == 0:
        return 1
    nodes = 0
    for move in board.legal_moves:
        board.push(move)
        nodes += chess_perft(board, depth - 1, end)
        board.pop()
        if depth > 1 and process_time() > end:  # asking costs as much as a leaf
            break
    return nodes


def chess_played_out(chance: random.Random, end: float) -> int:
    """Return the number of moves of random games by the time `end`."""
    board, moves = chess.Board(), 0
    while process_time() < end:
        legal = list(board.legal_moves) if board.ply() < PLAYOUT else []
        if legal:
            board.push(chance.choice(legal))
            moves += 1
        else:
            board = chess.Board()
    return moves


def replayed(records: Sequence[Record], end: float) -> int:
    """Return how many turns are replayed by the time `end`."""
    turns = 0
    for each in cycle(records):
        replay(each)
        turns += len(each.moves)
        if process_time() > end:
            break
    return turns


def chess_replayed(games: Sequence[Sequence[str]], end: float) -> int:
    """Return how many moves of games are replayed by the time `end`."""
    turns = 0
    for moves in cycle(games):
        board = chess.Board()
        for move in moves:
            board.push_san(move)
        turns += len(moves)
        if process_time() > end:
            break
    return turns


def compared(ours: Callable[[float], int], theirs: Callable[[float], int]) -> Compared:
    """Return what both count in a second; each is told when to end."""
    rates = [0.0, 0.0]
    for _ in range(SLICES):
        for side, count in enumerate((ours, theirs)):
            began = process_time()
            done = count(began + SLICE_SECONDS)
            rates[side] += done / (process_time() - began) / SLICES
    return Compared(*rates)


def measured(games: Sequence[str]) -> Iterator[Row]:
    """Yield what each game does in a second."""
    leaves, matches = partial(chess_perft, chess.Board(), 4), [chess_record(seed) for seed in range(MATCHES)]
    for name in track(games, "measuring", transient=True):
        key, options = arena.parsed(name)
        start = GAMES[key].game.position(options)
        records = [record(key, options, seed) for seed in range(MATCHES)]
        yield _row(f"{name}: perft", "nodes", compared(partial(perft, state_of(start), 8), leaves))
        yield _row(f"{name}: perft by the rules", "nodes", compared(partial(checked_perft, start, 8), leaves))
        playouts = (
            compared(partial(ours, at, random.Random(1)), partial(chess_played_out, random.Random(1)))
            for ours, at in ((played_out, state_of(start)), (turns_played_out, start))
        )
        yield _row(f"{name}: playouts", "turns", max(playouts, key=lambda each: each.ratio))
        yield _row(f"{name}: replay", "turns", compared(partial(replayed, records), partial(chess_replayed, matches)))


def _row(what: str, unit: str, rates: Compared) -> Row:
    form = f"{{:,.0f}} {unit}/s"
    return performance.compared("engines", what, rates.ours, rates.theirs, form, more_is_better=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, help="only that many games and variants, the first ones")
    given = performance.parsed(parser)
    performance.report(measured(arena.all_games()[: given.games]), given)


if __name__ == "__main__":
    main()
