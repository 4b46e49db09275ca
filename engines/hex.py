"""Hexagonal boards: cells of a row are two letters apart, and each row is shifted by one letter."""

from string import ascii_lowercase

from engines.square import Rows, Steps

STEPS: Steps = ((-1, -1), (1, -1), (2, 0), (1, 1), (-1, 1), (-2, 0))


def columns(side: int) -> tuple[str, ...]:
    return tuple(ascii_lowercase[: 4 * side - 3])


def rows(side: int) -> Rows:
    """Return the rows from top to bottom: each a label and its cells from left to right.

    >>> rows(2)
    (('1', ('b1', 'd1')), ('2', ('a2', 'c2', 'e2')), ('3', ('b3', 'd3')))
    """
    letters = columns(side)
    drawn = []
    for row in range(1, 2 * side):
        indent = abs(row - side)
        drawn.append((str(row), tuple(f"{x}{row}" for x in letters[indent : len(letters) - indent : 2])))
    return tuple(drawn)


def rays(side: int) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Return for every cell the six lines that leave it: the cells on each, nearest first.

    >>> rays(2)["a2"]
    ((), ('b1',), ('c2', 'e2'), ('b3',), (), ())
    """
    cells = {cell for _, row in rows(side) for cell in row}
    return {cell: tuple(_ray(cells, cell, step) for step in STEPS) for cell in sorted(cells)}


def _ray(cells: set[str], cell: str, step: tuple[int, int]) -> tuple[str, ...]:
    column, row = ascii_lowercase.index(cell[0]), int(cell[1:])
    ray: list[str] = []
    while True:
        column, row = column + step[0], row + step[1]
        name = f"{ascii_lowercase[column]}{row}" if 0 <= column < len(ascii_lowercase) else ""
        if name not in cells:
            return tuple(ray)
        ray.append(name)
