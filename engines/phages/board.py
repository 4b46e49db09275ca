"""The two boards of the phages games as tables, so that a step is judged by looking it up."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Self

from engines import hex as hexagon
from engines import square
from engines.diagram import Legend, Mark, Shape
from engines.phages.turns import NUMBERS
from engines.square import Rows
from engines.step import Step

SIDES = ("X", "O")
LEGEND = Legend(
    SIDES,
    (
        Mark(".", "empty", None, ("empty", "empty")),
        Mark("X", "piece", 0, ("stone", "stones"), "x"),
        Mark("O", "piece", 1, ("stone", "stones"), "o"),
        Mark("x", "trace", 0, ("marked cell", "marked cells"), "x"),
        Mark("o", "trace", 1, ("marked cell", "marked cells"), "o"),
    ),
)


class Line(NamedTuple):
    """What is known about a step on an empty board; `between` holds the cells it passes, as bits."""

    origin: int
    target: int
    distance: int
    between: int


@dataclass(frozen=True, slots=True)
class Board:
    """A board: its shape, where the stones start, and tables of every straight step and every number.

    Cells are numbered row by row. `reach[cell][number]` lists pairs of a target and the cells between, as bits.
    """

    shape: Shape
    columns: tuple[str, ...]
    rows: Rows
    directions: str
    start: tuple[tuple[int, ...], tuple[int, ...]]
    names: tuple[str, ...]
    index: Mapping[str, int]
    lines: Mapping[tuple[str, str], Line]
    steps: tuple[Mapping[int, Step], ...]
    reach: tuple[tuple[tuple[tuple[int, int], ...], ...], ...]

    @classmethod
    def of(
        cls,
        shape: Shape,
        columns: tuple[str, ...],
        rows: Rows,
        rays: Mapping[str, tuple[tuple[str, ...], ...]],
        directions: str,
        start: tuple[tuple[str, ...], tuple[str, ...]],
    ) -> Self:
        names = tuple(cell for _, cells in rows for cell in cells)
        index = {name: number for number, name in enumerate(names)}
        lines: dict[tuple[str, str], Line] = {}
        steps: list[dict[int, Step]] = [{} for _ in names]
        reach: list[list[list[tuple[int, int]]]] = [[[] for _ in range(NUMBERS.stop)] for _ in names]
        for origin, name in enumerate(names):
            for ray in rays[name]:
                between = 0
                for distance, cell in enumerate(ray, start=1):
                    target = index[cell]
                    step = steps[origin][target] = Step(name, cell)
                    lines[step] = Line(origin, target, distance, between)
                    reach[origin][distance].append((target, between))
                    between |= 1 << target
        seats = (tuple(sorted(index[c] for c in start[0])), tuple(sorted(index[c] for c in start[1])))
        table = tuple(tuple(map(tuple, numbers)) for numbers in reach)
        return cls(shape, columns, rows, directions, seats, names, index, lines, tuple(steps), table)

    def by_name(self, cells: Iterable[int]) -> list[int]:
        """Return the cells in the order of their names, which is the order in canonical texts."""
        return sorted(cells, key=self.names.__getitem__)

    def named(self, cells: Iterable[int]) -> tuple[str, ...]:
        return tuple(sorted(self.names[cell] for cell in cells))

    def reachable(self, cell: int, number: int, hostile: int, closed: int) -> list[int]:
        """Return where a stone can land by a number: not past `hostile` cells, not on `closed` ones (both bits).

        Rule sheet: own stones and marks on the way don't block a stone, the opponent's stones do.
        """
        ways = self.reach[cell][number]
        return [target for target, between in ways if not (between & hostile or closed >> target & 1)]


_MADE: Mapping[str, Callable[[], Board]] = {
    "quadraphages": lambda: Board.of(
        "square",
        square.columns(9),
        square.rows(9),
        square.rays(9),
        "along its row or its column",
        (("a7", "i3"), ("c1", "g9")),
    ),
    "hexaphages": lambda: Board.of(
        "hex",
        hexagon.columns(5),
        hexagon.rows(5),
        hexagon.rays(5),
        "along its row (every second letter) or aslant (one letter a row)",
        (("e5", "k3", "k7"), ("g3", "g7", "m5")),
    ),
}


class _Boards(dict[str, Board]):
    """The boards of the games, each made when it is first played on: both take 1 MB and 13 % of loading all games."""

    def __missing__(self, game: str) -> Board:
        self[game] = _MADE[game]()
        return self[game]


BOARDS: Mapping[str, Board] = _Boards()
