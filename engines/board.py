"""Boards with any outline: named cells, all square or all hexagonal, each with its place.

A board makes the diagrams of its positions, and knows the lines that leave a cell.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from string import ascii_lowercase
from typing import Literal, Self

from engines import hex as hexagonal
from engines import square
from engines.diagram import Diagram, Edge, Legend, Shape, Towards, last_move, text_step
from engines.square import Rows, Steps

Place = tuple[int, int]
"""Where a cell stands: how many halves of a cell from the left, and how many rows from the top."""

WIDEST = 72
"""The most columns of text that a board can take, with its labels and with brackets around the last turn."""
_NAME = re.compile(r"([a-z])([1-9][0-9]?)")
ORTHOGONAL: Steps = tuple((2 * right, down) for right, down in square.ORTHOGONAL)
"""The steps along rows and columns of squares, as of a rook, in halves of a cell to the right and in rows down."""
DIAGONAL: Steps = tuple((2 * right, down) for right, down in square.DIAGONAL)
"""The diagonal steps on a board of squares, as of a bishop."""
QUEEN = ORTHOGONAL + DIAGONAL
"""All eight steps on a board of squares, as of a queen or king."""
WAYS: Mapping[Shape, Steps] = {"square": ORTHOGONAL, "hex": hexagonal.STEPS}
"""The steps to the neighbours of a cell, in halves of a cell to the right and in rows down."""


class BadBoard(ValueError):
    """A board that can't be drawn: what is wrong with it."""


@dataclass(frozen=True, slots=True)
class Board:
    """The cells of a board. `places` has them all; `rows` has them from top to bottom, each row with its label."""

    shape: Shape
    columns: tuple[str, ...]
    rows: Rows
    places: Mapping[str, Place] = field(hash=False)
    halves: Mapping[str, int] = field(hash=False)
    """How far each cell is from the left; empty where the letters tell."""

    @classmethod
    def of(cls, shape: Shape, places: Mapping[str, Place]) -> Self:
        """Return the board with these cells; raise BadBoard if it can't be drawn.

        A cell is named by a letter and a number from 1 to 99. Cells in a row have the same number. Cells that are
        beside each other are two halves apart; the rows above and below can be shifted by one.

        >>> Board.of("hex", {"a1": (1, 0), "a2": (0, 1), "b2": (2, 1)}).neighbours()["a1"]
        ('b2', 'a2')
        """
        if not places:
            raise BadBoard("a board needs a cell")
        for name in places:
            if not _NAME.fullmatch(name):
                raise BadBoard(f"{name} is no name of a cell: use a letter from a to z and a number from 1 to 99")
        least, top = min(place for place, _ in places.values()), min(row for _, row in places.values())
        moved = {name: (place - least, row - top) for name, (place, row) in places.items()}
        columns, rows = tuple(sorted({name[0] for name in moved})), tuple(_rows(moved))
        step = 1 if shape == "hex" else 2
        told = all(place == columns.index(name[0]) * step for name, (place, _) in moved.items())
        board = cls(shape, columns, rows, moved, {} if told else {name: place for name, (place, _) in moved.items()})
        _check_width(board, 1)
        return board

    @property
    def names(self) -> tuple[str, ...]:
        """The cells, row by row from the top."""
        return tuple(name for _, cells in self.rows for name in cells)

    @property
    def dark(self) -> frozenset[str]:
        """The dark cells of a chequered board, for `areas` of the legend: that at the bottom left is one."""
        bottom = len(self.rows) - 1
        return frozenset(name for name, (place, row) in self.places.items() if (place // 2 + bottom - row) % 2 == 0)

    def rays(self, steps: Steps | None = None) -> dict[str, tuple[tuple[str, ...], ...]]:
        """Return for every cell the lines that leave it, one for each step: the cells on the line, nearest first.

        A line ends where there is no cell. Steps are in halves of a cell to the right and in rows down; by default
        they are those to the neighbours of a cell.
        """
        names, ways = {place: name for name, place in self.places.items()}, steps or WAYS[self.shape]
        return {name: tuple(tuple(_ray(names, self.places[name], way)) for way in ways) for name in self.names}

    def neighbours(self, steps: Steps | None = None) -> dict[str, tuple[str, ...]]:
        """Return for every cell those one step away."""
        return {name: tuple(ray[0] for ray in rays if ray) for name, rays in self.rays(steps).items()}

    def edge(self, side: Literal[0, 1], towards: Towards, name: str = "") -> Edge:
        """Return the top, the bottom, the left or the right of the board as an edge that belongs to a side."""
        if towards in ("top", "bottom"):
            cells = self.rows[0 if towards == "top" else -1][1]
        else:
            cells = tuple(row[0 if towards == "left" else -1] for _, row in self.rows)
        return Edge(side, name or towards, frozenset(cells), towards)

    def diagram(
        self,
        marks: Mapping[str, str],
        legend: Legend,
        *,
        lit: Collection[str] = (),
        left: Collection[str] = (),
        told: str = "",
        notes: tuple[str, ...] = (),
        remarks: tuple[str, ...] = (),
    ) -> Diagram:
        """Return the board with these marks in its cells; all other cells have the first mark of the legend.

        `told` is the last turn, in a phrase that completes "The last move: ..."; see Diagram for the rest. Raise
        BadBoard if the marks are too wide.
        """
        _check_width(self, max(len(mark.text) for mark in legend.marks))
        plain = legend.marks[0].text
        rows = tuple((label, tuple((name, marks.get(name, plain)) for name in cells)) for label, cells in self.rows)
        lit, left = frozenset(lit), frozenset(left)
        sentence = last_move(told) if told else ""
        return Diagram(self.shape, self.columns, rows, lit, notes, remarks, legend, left, sentence, self.halves)


def rectangle(width: int, height: int, *, without: Collection[str] = (), first_on_top: bool = True) -> Board:
    """Return a board of square cells, perhaps with holes.

    >>> rectangle(7, 6, first_on_top=False).rows[0]
    ('6', ('a6', 'b6', 'c6', 'd6', 'e6', 'f6', 'g6'))
    """
    rows = square.rows(_lettered(width), height, first_on_top=first_on_top)
    places = {name: (2 * at, row) for row, (_, cells) in enumerate(rows) for at, name in enumerate(cells)}
    if unknown := sorted(set(without) - set(places)):
        raise BadBoard(f"there is no {unknown[0]} on a board of {width} by {height} cells")
    return Board.of("square", {name: place for name, place in places.items() if name not in without})


def hexagon(side: int) -> Board:
    """Return a hexagon of hexagonal cells, with `side` cells on each of its sides: seven at most."""
    _lettered(4 * side - 3)
    letters = hexagonal.columns(side)
    rows = hexagonal.rows(side)
    return Board.of("hex", {c: (letters.index(c[0]), row) for row, (_, cells) in enumerate(rows) for c in cells})


def rhombus(width: int, height: int) -> Board:
    """Return a slanted board of hexagonal cells, as in Hex: each row starts half a cell to the right of the last.

    >>> rhombus(11, 11).neighbours()["b2"]
    ('b1', 'c1', 'c2', 'b3', 'a3', 'a2')
    """
    letters = square.columns(_lettered(width))
    return Board.of(
        "hex",
        {f"{letter}{row + 1}": (2 * at + row, row) for row in range(height) for at, letter in enumerate(letters)},
    )


def triangle(side: int) -> Board:
    """Return a triangle of hexagonal cells with its tip on top: row 3 has a3, b3 and c3."""
    letters = square.columns(_lettered(side))
    return Board.of(
        "hex",
        {
            f"{letter}{row + 1}": (side - 1 - row + 2 * at, row)
            for row in range(side)
            for at, letter in enumerate(letters[: row + 1])
        },
    )


def _lettered(columns: int) -> int:
    if not 1 <= columns <= len(ascii_lowercase):
        raise BadBoard(f"a board has 1 to {len(ascii_lowercase)} columns, one for each letter, not {columns}")
    return columns


def _rows(places: Mapping[str, Place]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for row in range(max(row for _, row in places.values()) + 1):
        cells = sorted((place, name) for name, (place, at) in places.items() if at == row)
        for (one, name), (other, beside) in pairwise(cells):
            if other - one < 2:
                raise BadBoard(f"{name} and {beside} overlap: cells in a row are at least two halves apart")
        labels = {name[1:] for _, name in cells}
        if not labels:
            raise BadBoard(f"row {row + 1} from the top has no cells")
        if len(labels) > 1:
            raise BadBoard(f"row {row + 1} from the top has cells with different numbers: {', '.join(sorted(labels))}")
        yield labels.pop(), tuple(name for _, name in cells)


@lru_cache
def _check_width(board: Board, each: int) -> None:
    """Refuse a board that doesn't fit into the columns of a message if its widest mark has `each` characters."""
    places = [place for place, _ in board.places.values()]
    staggered = board.shape == "hex" or any(place % 2 for place in places)
    label = max(len(label) for label, _ in board.rows)
    width = int(max(places) * text_step(each, staggered=staggered)) + each + len("[] ") + label
    if width > WIDEST:
        raise BadBoard(f"as text the board takes {width} columns, and {WIDEST} fit; its widest mark takes {each}")


def _ray(names: Mapping[Place, str], place: Place, way: tuple[int, int]) -> Iterator[str]:
    while (place := (place[0] + way[0], place[1] + way[1])) in names:
        yield names[place]
