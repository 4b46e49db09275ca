"""How fast matches are replayed and turns are validated, each beside the floor it is held against.

Run `python bench/replay.py`. Replaying the longest matches there are must take less than 50 ms for 1,000 turns
(hardly a match of these games gets that long), and validating one turn of Hexaphages must be at least 100 times
faster than listing all that are legal, where these are thousands.
"""

import random
from collections.abc import Callable
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any

from rich.console import Console
from rich.table import Table

from engines import GAMES, phages
from engines.core import Position
from notation import NOTATIONS
from notation.record import Record, dumps, loads, replay

MATCHES = 40
SLOW = ("quadraphages", "hexaphages")
"""Where a match gets longer when as few stones move as can be."""
FLOOR_MS = 50.0
FLOOR_RATIO = 100
MANY = 5_000
"""The floor holds where listing is what it was meant to avoid: in positions with this many turns."""


def seconds(run: Callable[[], object], times: int = 15) -> float:
    """The median time that something takes."""
    taken = []
    for _ in range(times):
        started = perf_counter()
        run()
        taken.append(perf_counter() - started)
    return median(taken)


def steps(move: Any) -> int:
    """How many stones or men a turn moves."""
    return len(move.first) + len(move.second) if isinstance(move, phages.Turn) else 1


def played(game: str, seed: int, *, slowly: bool = False) -> Record:
    """A match played by lot to its end; slowly: so that as few stones move as can be, and it gets long."""
    chance = random.Random(seed)
    position = GAMES[game].position({})
    moves = []
    while position.turn is not None:
        legal = list(position.moves())
        if slowly:
            fewest = min(map(steps, legal))
            legal = [move for move in legal if steps(move) == fewest]
        move = chance.choice(legal)
        moves.append(NOTATIONS[game].format(move, position))
        position = position.play(move)
    return Record(game, {}, ("Jx", "Bo"), tuple(moves))


def listed(position: Position[Any]) -> int:
    """The number of legal turns, each of them made."""
    return sum(1 for _ in position.moves())


def validated(game: str, position: Position[Any], text: str) -> Position[Any]:
    """The position after the text of a turn."""
    return position.play(NOTATIONS[game].parse(text))


def longest(game: str) -> Record:
    """The longest of some matches played slowly."""
    return max((played(game, seed, slowly=True) for seed in range(MATCHES)), key=lambda record: len(record.moves))


def replays() -> Table:
    """The replay of the longest match of every game, and what 1,000 turns would take."""
    table = Table("game", "turns", "replay", "a turn", "1,000 turns", "floor", "loads", title="replay")
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
    return table


def validations() -> Table:
    """How much faster one turn is validated than all are listed, from the start of a match to its middle."""
    table = Table("game", "ply", "legal turns", "moves()", "parse + play", "ratio", "floor", title="one turn")
    for game in GAMES:
        position = GAMES[game].position({})
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
            position = validated(game, position, text)
    return table


if __name__ == "__main__":
    console = Console()
    console.print(replays())
    console.print(validations())
