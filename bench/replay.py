"""How fast matches are replayed and turns are validated, compared with their targets.

Run `python bench/replay.py`. Replaying must take less than 50 ms per 1,000 turns, even in the longest matches (few
matches of these games get that long). Validating one turn of Hexaphages must be at least 100 times faster than listing
all legal turns, where there are thousands.
"""

import argparse
import random
from collections.abc import Callable
from functools import partial
from statistics import median
from time import process_time
from typing import Any

from rich.console import Console
from rich.table import Table

from bench import performance
from bench.performance import Row
from engines import phages
from engines.core import Position
from notation.games import GAMES
from notation.record import Record, dumps, loads, replay

MATCHES = 40
SLOW = ("quadraphages", "hexaphages")
"""The games in which a match gets longer if each turn moves as few stones as possible."""
FLOOR_MS = 50.0
FLOOR_RATIO = 100
MANY = 5_000
"""FLOOR_RATIO applies to positions with at least this many legal turns."""


def seconds(run: Callable[[], object], times: int = 15) -> float:
    """Return the median time of a call in seconds."""
    taken = []
    for _ in range(times):
        started = process_time()
        run()
        taken.append(process_time() - started)
    return median(taken)


def steps(move: Any) -> int:
    """Return how many stones or men a turn moves."""
    return len(move.first) + len(move.second) if isinstance(move, phages.Turn) else 1


def played(game: str, seed: int, *, slowly: bool = False) -> Record:
    """Return a random match played to its end; if `slowly`, each turn moves as few stones as possible."""
    chance = random.Random(seed)
    position = GAMES[game].game.position({})
    moves = []
    while position.turn is not None:
        legal = list(position.moves())
        if slowly:
            fewest = min(map(steps, legal))
            legal = [move for move in legal if steps(move) == fewest]
        move = chance.choice(legal)
        moves.append(GAMES[game].notation.format(move, position))
        position = position.play(move)
    return Record(game, {}, ("Jx", "Bo"), tuple(moves))


def listed(position: Position[Any]) -> int:
    """Generate all legal turns and return their number."""
    return sum(1 for _ in position.moves())


def validated(game: str, position: Position[Any], text: str) -> Position[Any]:
    """Return the position after the turn with that text."""
    return position.play(GAMES[game].notation.parse(text))


def longest(game: str) -> Record:
    """Return the longest of MATCHES matches played slowly."""
    return max((played(game, seed, slowly=True) for seed in range(MATCHES)), key=lambda record: len(record.moves))


def replays() -> tuple[Table, list[Row]]:
    """Return the replay times of the longest match of every game, and their extrapolation to 1,000 turns."""
    table = Table("game", "turns", "replay", "a turn", "1,000 turns", "floor", "loads", title="replay")
    rows = []
    for game in GAMES:
        record = longest(game)
        text = dumps(record)
        turns = len(record.moves)
        whole = seconds(partial(replay, record))
        read = seconds(partial(loads, text))
        thousand = whole / turns * 1e6
        table.add_row(
            game,
            str(turns),
            f"{whole * 1e3:.2f} ms",
            f"{whole / turns * 1e6:.0f} us",
            f"{thousand:.0f} ms ({FLOOR_MS / thousand:.1f} x)",
            f"{FLOOR_MS:.0f} ms",
            f"{read * 1e3:.2f} ms",
        )
        words = (f"1,000 turns of {game}", f"{thousand:.0f} ms", f"{FLOOR_MS:.0f} ms")
        rows.append(Row("replay", *words, round(thousand / FLOOR_MS, 3), "<= 1"))
    return table, rows


def validations() -> tuple[Table, list[Row]]:
    """Return how much faster one turn is validated than all are listed, for the first turns of a match."""
    rows = []
    table = Table("game", "ply", "legal turns", "moves()", "parse + play", "ratio", "floor", title="one turn")
    for game in GAMES:
        position = GAMES[game].game.position({})
        for ply, text in enumerate(played(game, 1).moves[:8]):
            listing = seconds(partial(listed, position), 5)
            checking = seconds(partial(validated, game, position, text), 50)
            legal = listed(position)
            table.add_row(
                game,
                str(ply),
                str(legal),
                f"{listing * 1e3:.2f} ms",
                f"{checking * 1e6:.0f} us",
                f"{listing / checking:.0f} x",
                f"{FLOOR_RATIO} x" if legal >= MANY else "",
            )
            if legal >= MANY:
                words = (f"turn {ply + 1} of {game}: one checked, {legal:,} listed", f"{checking * 1e6:.0f} us",
                         f"{listing * 1e3:.0f} ms")  # fmt: skip
                rows.append(Row("replay", *words, round(listing / checking), f">= {FLOOR_RATIO}"))
            position = validated(game, position, text)
    return table, rows


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    performance.add_option(parser)
    given = parser.parse_args()
    rows = []
    for table, found in (replays(), validations()):
        Console().print(table)
        rows += found
    performance.report(rows, published=given.publish)


if __name__ == "__main__":
    main()
