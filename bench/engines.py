"""The speed of the engines, compared with perft in python-chess in the same run.

Run `make bench`. For every game and variant: turns/s of `play`, turns/s of `moves()` and its slowest call, the
replay of the longest of a few random matches, and perft nodes/s as a ratio to python-chess; and the same for the
states that the house's search goes through, where a node is a choice. The cost of a node depends
on the rules, so use the ratio to compare machines and versions, not games.
"""

import argparse
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, product
from time import perf_counter
from typing import Any

import chess
from rich.console import Console
from rich.progress import track
from rich.table import Table

from bench import performance
from bench.performance import Row
from engines import GAMES
from engines.core import Game, Position
from engines.search.state import State, state_of
from notation import NOTATIONS
from notation.record import Record, replay

MATCHES = 3
LONGEST = 400
SAMPLES = 60
SLOW_MS = 50.0
NODE_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class Speed:
    """The measurements of one game with one choice of options."""

    plays: float
    moves: float
    slowest_ms: float
    replay_ms: float
    turns: int
    nodes: float
    searched: float


def variants(game: Game) -> Iterator[dict[str, str]]:
    """Yield every combination of named options; for ranges of numbers, only the default."""
    named = [(o.name, o.choices[:1] if len(o.choices) > 8 else o.choices) for o in game.options]
    for choices in product(*(choices for _, choices in named)):
        yield dict(zip([name for name, _ in named], choices, strict=True))


def played(key: str, options: Mapping[str, str], seed: int) -> tuple[list[Position[Any]], list[Any]]:
    """Return the positions and moves of a random match, played until it ends or reaches LONGEST turns."""
    chance, position = random.Random(seed), GAMES[key].position(options)
    positions, moves = [position], []
    while position.turn is not None and len(moves) < LONGEST:
        moves.append(chance.choice(list(islice(position.moves(), 200))))
        position = position.play(moves[-1])
        positions.append(position)
    return positions, moves


def perft(position: Position[Any], depth: int, end: float) -> int:
    """Return the number of leaves at that depth, or of those reached by the time `end`."""
    if depth == 0 or position.turn is None:
        return 1
    nodes = 0
    for move in position.moves():
        nodes += perft(position.play(move), depth - 1, end)
        if perf_counter() > end:
            break
    return nodes


def looked_at(state: State, depth: int, end: float) -> int:
    """Return the number of states at that depth that the house's search can look at, or of those by the time `end`."""
    if depth == 0 or state.turn is None:
        return 1
    nodes = 0
    for choice in state.choices():
        nodes += looked_at(state.after(choice), depth - 1, end)
        if perf_counter() > end:
            break
    return nodes


def states_a_second(start: Position[Any]) -> float:
    """Return how many states a second the house's search gets from the engine, from a position."""
    began = perf_counter()
    nodes = looked_at(state_of(start), 8, began + NODE_SECONDS)
    return nodes / (perf_counter() - began)


def nodes_a_second(start: Position[Any]) -> float:
    """Return perft nodes/s from a position, as deep as the time allows."""
    began = perf_counter()
    nodes = perft(start, 8, began + NODE_SECONDS)
    return nodes / (perf_counter() - began)


def chess_nodes_a_second() -> float:
    """Return the baseline: perft nodes/s of python-chess from the initial position, making and unmaking every move."""

    def count(board: chess.Board, depth: int) -> int:
        if depth == 0:
            return 1
        nodes = 0
        for move in board.legal_moves:
            board.push(move)
            nodes += count(board, depth - 1)
            board.pop()
        return nodes

    began = perf_counter()
    nodes = count(chess.Board(), 3) + count(chess.Board(), 4)
    return nodes / (perf_counter() - began)


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
    notation = NOTATIONS[key]
    texts = tuple(notation.format(move, position) for position, move in zip(positions, moves, strict=False))
    began = perf_counter()
    replay(Record(key, options, ("a", "b"), texts))
    replayed = perf_counter() - began
    start = GAMES[key].position(options)
    return Speed(
        plays,
        listed / spent,
        slowest * 1e3,
        replayed * 1e3,
        len(moves),
        nodes_a_second(start),
        states_a_second(start),
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    performance.add_option(parser)
    given = parser.parse_args()
    console, rows = Console(), []
    table = Table(
        "game",
        "play/s",
        "moves/s",
        "slowest moves()",
        "replay",
        "perft nodes/s",
        "to python-chess",
        "states/s",
        "to python-chess",
    )
    floor = chess_nodes_a_second()
    console.print(f"python-chess {chess.__version__}: {floor:,.0f} perft nodes/s")
    todo = [(key, options) for key, game in GAMES.items() for options in variants(game)]
    for key, options in track(todo, "measuring", console=console, transient=True):
        speed = measured(key, options)
        name = f"{key} {' '.join(f'{option}={choice}' for option, choice in options.items())}".strip()
        slow = f"{speed.slowest_ms:.1f} ms" if speed.slowest_ms <= SLOW_MS else f"[red]{speed.slowest_ms:.0f} ms[/]"
        table.add_row(
            name,
            f"{speed.plays:,.0f}",
            f"{speed.moves:,.0f}",
            slow,
            f"{speed.turns} turns, {speed.replay_ms:.1f} ms",
            f"{speed.nodes:,.0f}",
            f"{speed.nodes / floor:.2f}",
            f"{speed.searched:,.0f}",
            f"{speed.searched / floor:.2f}",
        )
        rows += [_row(f"{name}: perft", speed.nodes, floor), _row(f"{name}: the house's search", speed.searched, floor)]
    console.print(table)
    performance.report(rows, published=given.publish)


def _row(what: str, mine: float, floor: float) -> Row:
    return Row("engines", what, f"{mine:,.0f} nodes/s", f"python-chess, {floor:,.0f}", round(mine / floor, 3), ">= 1")


if __name__ == "__main__":
    main()
