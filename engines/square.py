"""Square boards: the names of their cells row by row, and the straight lines that leave a cell."""

from collections.abc import Mapping
from string import ascii_lowercase

Rows = tuple[tuple[str, tuple[str, ...]], ...]
"""The rows of a board from top to bottom: each a label and its cells from left to right."""
Steps = tuple[tuple[int, int], ...]
"""Ways from cell to cell: each how far to the right and how far down."""
Rays = Mapping[str, tuple[tuple[str, ...], ...]]
"""The lines that leave each cell, one for each step: the cells on the line, nearest first."""

ORTHOGONAL: Steps = ((0, -1), (1, 0), (0, 1), (-1, 0))
DIAGONAL: Steps = ((1, -1), (1, 1), (-1, 1), (-1, -1))


def columns(width: int) -> tuple[str, ...]:
    """Return the letters of a board that is `width` cells wide; there are letters for 26."""
    return tuple(ascii_lowercase[:width])


def rows(width: int, height: int | None = None, *, first_on_top: bool = True) -> Rows:
    """Return the rows from top to bottom: each a label and its cells from left to right. Boards are square by default.

    >>> rows(3, 2)
    (('1', ('a1', 'b1', 'c1')), ('2', ('a2', 'b2', 'c2')))
    """
    numbers = range(1, (height or width) + 1)
    drawn = numbers if first_on_top else reversed(numbers)
    return tuple((str(row), tuple(f"{letter}{row}" for letter in columns(width))) for row in drawn)


def rays(width: int, steps: Steps = ORTHOGONAL, *, height: int | None = None) -> Rays:
    """Return for every cell the lines that leave it.

    >>> rays(3)["a1"]
    ((), ('b1', 'c1'), ('a2', 'a3'), ())
    """
    size = (width, height or width)
    return {
        f"{letter}{row}": tuple(_ray(size, column, row, step) for step in steps)
        for column, letter in enumerate(columns(width), start=1)
        for row in range(1, size[1] + 1)
    }


def _ray(size: tuple[int, int], column: int, row: int, step: tuple[int, int]) -> tuple[str, ...]:
    cells: list[str] = []
    while True:
        column, row = column + step[0], row + step[1]
        if not (1 <= column <= size[0] and 1 <= row <= size[1]):
            return tuple(cells)
        cells.append(f"{ascii_lowercase[column - 1]}{row}")
