"""The cost of showing a board as PNG, animation, words and text, for the match of every playthrough.

Run `python bench/picture.py`. A picture should take no longer than the rest of its message, about 10 ms, and keep the
message far below 100 KB.
"""

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from rich.console import Console
from rich.table import Table

sys.path.insert(0, str(Path(__file__).parents[1]))

from notation.board import format_board
from notation.description import describe
from pbem.messages.boards.animation import animation
from pbem.messages.boards.board_image import png
from tests.diagrams import NAMES, diagrams


def measured(make: Callable[[], object], times: int) -> float:
    """Return the time of the fastest call in milliseconds."""
    best = float("inf")
    for _ in range(times):
        begun = time.perf_counter()
        make()
        best = min(best, time.perf_counter() - begun)
    return best * 1e3


def costs() -> Table:
    """Return a row for each playthrough; the picture shows the board in the middle of the match."""
    table = Table("match", "PNG", "KB", "text", "unicode", "words", "boards", "GIF", "KB", title="faces of a board")
    for name in NAMES:
        boards = diagrams(name)
        middle = boards[len(boards) // 2]
        table.add_row(
            name,
            f"{measured(partial(png, middle), 10):.1f} ms",
            f"{len(png(middle)) / 1e3:.0f}",
            f"{measured(partial(format_board, middle, lit=True, notes=True), 50):.2f} ms",
            f"{measured(partial(format_board, middle, lit=True, notes=True, charset='unicode'), 50):.2f} ms",
            f"{measured(partial(describe, middle, width=72), 50):.2f} ms",
            str(len(boards)),
            f"{measured(partial(animation, boards), 1):.0f} ms",
            f"{len(animation(boards)) / 1e3:.0f}",
        )
    return table


if __name__ == "__main__":
    Console(width=140).print(costs())
