"""The speed of the engines, compared with python-chess in the same run.

Run `make bench`. For every game and variant: turns/s of `play`, turns/s of `moves()` and its slowest call, the replay
of the longest of a few random matches, and as ratios to what python-chess does with chess:

- perft, the leaves/s of the tree of turns, stepped through as the house's search does: like python-chess, it doesn't
  check again what it has just listed;
- the same by the rules, which check every turn that they play; no aim, since no search needs them;
- random playouts in turns/s, by the faster of two ways: lists of whole turns, or the choices of the search's states.

CPU time is measured, in slices that alternate with python-chess, so that other work on the machine matters little. The
cost of a leaf depends on the rules, so use the ratios to compare machines and versions, not games.
"""

import argparse
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice, product
from time import perf_counter, process_time
from typing import Any

import chess
from rich.console import Console
from rich.progress import track
from rich.table import Table

from bench import performance
from bench.performance import Row
from engines.core import Game, Position
from engines.search.state import State, state_of
from notation.games import GAMES
from notation.record import Record, replay

MATCHES = 3
LONGEST = 400
SAMPLES = 60
SLOW_MS = 50.0
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


@dataclass(frozen=True, slots=True)
class Speed:
    """The measurements of one game with one choice of options."""

    plays: float
    moves: float
    slowest_ms: float
    replay_ms: float
    turns: int
    searched: Compared
    checked: Compared
    playouts: Compared


def variants(game: Game) -> Iterator[dict[str, str]]:
    """Yield every combination of named options in which each choice makes a difference; of a range, the default."""
    named = [(o.name, o.choices[:1] if len(o.choices) > 8 else o.choices) for o in game.options]
    found: list[dict[str, str]] = []
    for choices in product(*(choices for _, choices in named)):
        chosen = dict(zip([name for name, _ in named], choices, strict=True))
        told = {o.name: chosen[o.name] for o in game.options if o.needs is None or chosen[o.needs[0]] == o.needs[1]}
        if told not in found:
            found.append(told)
    yield from found


def played(key: str, options: Mapping[str, str], seed: int) -> tuple[list[Position[Any]], list[Any]]:
    """Return the positions and moves of a random match, played until it ends or reaches LONGEST turns."""
    chance, position = random.Random(seed), GAMES[key].game.position(options)
    positions, moves = [position], []
    while position.turn is not None and len(moves) < LONGEST:
        moves.append(chance.choice(list(islice(position.moves(), 200))))
        position = position.play(moves[-1])
        positions.append(position)
    return positions, moves


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


def compared(ours: Callable[[float], int], theirs: Callable[[float], int]) -> Compared:
    """Return what both count in a second; each is told when to end."""
    rates = [0.0, 0.0]
    for _ in range(SLICES):
        for side, count in enumerate((ours, theirs)):
            began = process_time()
            done = count(began + SLICE_SECONDS)
            rates[side] += done / (process_time() - began) / SLICES
    return Compared(*rates)


def measured(key: str, options: Mapping[str, str]) -> Speed:
    """Return the speed of one game with one choice of options."""
    matches = [played(key, options, seed) for seed in range(MATCHES)]
    positions, moves = max(matches, key=lambda match: len(match[1]))
    began = perf_counter()
    for position, move in zip(positions, moves, strict=False):
        position.play(move)
    plays = len(moves) / (perf_counter() - began)
    chosen = random.Random(0).sample(positions, min(SAMPLES, len(positions)))
    listed, spent, slowest = 0, 0.0, 0.0
    for position in chosen:
        began = perf_counter()
        listed += sum(1 for _ in islice(position.moves(), 50_000))
        taken = perf_counter() - began
        spent, slowest = spent + taken, max(slowest, taken)
    notation = GAMES[key].notation
    texts = tuple(notation.format(move, position) for position, move in zip(positions, moves, strict=False))
    began = perf_counter()
    replay(Record(key, options, ("a", "b"), texts))
    replayed = perf_counter() - began
    start = GAMES[key].game.position(options)
    return Speed(
        plays,
        listed / spent,
        slowest * 1e3,
        replayed * 1e3,
        len(moves),
        compared(partial(perft, state_of(start), 8), partial(chess_perft, chess.Board(), 4)),
        compared(partial(checked_perft, start, 8), partial(chess_perft, chess.Board(), 4)),
        max(
            (
                compared(partial(ours, at, random.Random(1)), partial(chess_played_out, random.Random(1)))
                for ours, at in ((played_out, state_of(start)), (turns_played_out, start))
            ),
            key=lambda each: each.ratio,
        ),
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    performance.add_option(parser)
    given = parser.parse_args()
    console, rows = Console(), []
    table = Table("game", "play/s", "moves/s", "slowest moves()", "replay", "perft", "by the rules", "playouts")
    todo = [(game.key, options) for game in GAMES.games() for options in variants(game)]
    for key, options in track(todo, "measuring", console=console, transient=True):
        speed = measured(key, options)
        name = f"{key} {' '.join(f'{option}={choice}' for option, choice in options.items())}".strip()
        slow = f"{speed.slowest_ms:.1f} ms" if speed.slowest_ms <= SLOW_MS else f"[red]{speed.slowest_ms:.0f} ms[/]"
        all_compared = (speed.searched, speed.checked, speed.playouts)
        table.add_row(
            name,
            f"{speed.plays:,.0f}",
            f"{speed.moves:,.0f}",
            slow,
            f"{speed.turns} turns, {speed.replay_ms:.1f} ms",
            *(f"{each.ours:,.0f} ({each.ratio:.2f})" for each in all_compared),
        )
        kinds = (("perft", "nodes", ">= 1"), ("perft by the rules", "nodes", ""), ("playouts", "turns", ">= 1"))
        rows += [_row(f"{name}: {what}", each, *kind) for each, (what, *kind) in zip(all_compared, kinds, strict=True)]
    console.print(f"python-chess is {chess.__version__}; in brackets, ratios to it", table)
    performance.report(rows, published=given.publish)


def _row(what: str, measured: Compared, unit: str, aim: str) -> Row:
    ratio = round(measured.ratio, 3)
    return Row("engines", what, f"{measured.ours:,.0f} {unit}/s", f"python-chess, {measured.theirs:,.0f}", ratio, aim)


if __name__ == "__main__":
    main()
