"""The board of Quadrupel as tables: zones, steps, jumps and figures, with sets of squares as bits of a number."""

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import product
from typing import NamedTuple

from engines import square
from engines.bitboard import bits, cells_in
from engines.wording import together

SIZE = 6
SIDES = ("Black", "White")
COLUMNS = square.columns(SIZE)
ROWS = square.rows(SIZE)
NAMES = tuple(cell for _, cells in ROWS for cell in cells)
"""The squares in reading order; a square is a number, its place in this order."""
INDEX: Mapping[str, int] = {name: number for number, name in enumerate(NAMES)}
START = (("d2", "c3", "d3", "c4"), ("c2", "b3", "e3", "d4"))
"""Quadrupel, setting-up: where the stones start, off centre as the sheet draws them, in reading order."""


def _zone(cell: int) -> int:
    row, column = divmod(cell, SIZE)
    return min(row, column, SIZE - 1 - row, SIZE - 1 - column) + 1


ZONES = tuple(_zone(cell) for cell in range(SIZE * SIZE))
"""Quadrupel, point game: zone 1 is the rim, zone 3 the four inner squares, zone 2 the twelve between."""


class Jump(NamedTuple):
    """A jump from a square: the stone jumps over the stone on `over` (a bit) and lands on `target`."""

    over: int
    target: int
    landing: int
    """The target as a bit."""


class Figure(NamedTuple):
    name: str
    value: int
    squares: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.name} on {together(self.squares)}"


def named(squares: int) -> list[str]:
    """Return the names of the squares, sorted.

    >>> named(bits([6, 1]))
    ['a2', 'b1']
    """
    return sorted(NAMES[cell] for cell in cells_in(squares))


def _steps(rays: square.Rays) -> tuple[int, ...]:
    return tuple(bits(INDEX[ray[0]] for ray in rays[name] if ray) for name in NAMES)


def _jumps(rays: square.Rays) -> Iterator[tuple[Jump, ...]]:
    for name in NAMES:
        ways = ((INDEX[ray[0]], INDEX[ray[1]]) for ray in rays[name] if len(ray) > 1)
        yield tuple(Jump(1 << over, target, 1 << target) for over, target in ways)


STEPS = _steps(square.rays(SIZE))
JUMPS = tuple(_jumps(square.rays(SIZE, square.ORTHOGONAL + square.DIAGONAL)))
OVER = tuple(bits({jump.over.bit_length() - 1 for jump in jumps}) for jumps in JUMPS)
"""The squares that a stone can jump over from each square, as bits."""


def _landings(jumps: tuple[Jump, ...]) -> Mapping[int, int]:
    """Return where jumps from a square lead, as bits, by the stones that stand around it, as bits too."""
    found = {0: 0}
    for over, _, landing in jumps:
        found |= {stones | over: landings | landing for stones, landings in found.items()}
    return found


LANDINGS = tuple(map(_landings, JUMPS))


def reach(origin: int, occupied: int) -> int:
    """Return where a stone can end its turn, as bits: a step, or any number of jumps over one adjacent stone each.

    Quadrupel, game play. The stone itself is in the air: its square is empty, but it can't end there.
    """
    others = occupied & ~(1 << origin)
    free = ~occupied
    landed = waiting = LANDINGS[origin][others & OVER[origin]] & free
    while waiting:
        landing = waiting & -waiting
        cell = landing.bit_length() - 1
        new = LANDINGS[cell][others & OVER[cell]] & free & ~landed
        landed |= new
        waiting ^= landing | new
    return STEPS[origin] & free | landed


_SHAPES: tuple[tuple[str, int, tuple[tuple[int, int], ...]], ...] = (
    ("Square", 1, ((0, 0), (1, 0), (0, 1), (1, 1))),
    ("Straight", 2, ((0, 0), (1, 0), (2, 0), (3, 0))),
    ("Straight", 2, ((0, 0), (0, 1), (0, 2), (0, 3))),
    ("Diamond", 3, ((1, 0), (0, 1), (2, 1), (1, 2))),
    ("Diagonal", 4, ((0, 0), (1, 1), (2, 2), (3, 3))),
    ("Diagonal", 4, ((3, 0), (2, 1), (1, 2), (0, 3))),
)
"""Quadrupel, game goal; added value game for the values: name, value, columns and rows of the stones."""


def _figures() -> Iterator[tuple[int, Figure]]:
    for name, value, stones in _SHAPES:
        for row in range(SIZE - max(y for _, y in stones)):
            for column in range(SIZE - max(x for x, _ in stones)):
                places = sorted((row + y) * SIZE + column + x for x, y in stones)
                yield bits(places), Figure(name, value, tuple(NAMES[place] for place in places))


FIGURES: Mapping[int, Figure] = dict(_figures())
KINDS = ("Square", "Straight", "Diamond", "Diagonal")
"""The figures from the easiest to the hardest."""


def _triples() -> Mapping[int, tuple[tuple[int, Figure], ...]]:
    """Return the squares of all but one stone of a figure, as bits, each with what completes it to which figures."""
    found: dict[int, list[tuple[int, Figure]]] = {}
    for squares, figure in FIGURES.items():
        for cell in cells_in(squares):
            found.setdefault(squares ^ 1 << cell, []).append((cell, figure))
    return {three: tuple(ways) for three, ways in found.items()}


TRIPLES = _triples()
_SHARED = Counter(pair for figure in FIGURES for pair in product(tuple(cells_in(figure)), repeat=2))
PAIRS = tuple(tuple(_SHARED[a, b] for b in range(len(NAMES))) for a in range(len(NAMES)))
"""How many figures have stones on both of two squares."""
