"""Havannah, Y and Gomoku, in which a turn is a stone, and the first one can be taken over."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

from .source import Cell, Source, cell, name, plus

HEX = ((1, 0), (1, 1), (0, 1), (-1, 0), (-1, -1), (0, -1))
"""The neighbours of a cell in the order in which they lie around it, on a board whose columns slant to the right."""
LINES = ((1, 0), (0, 1), (1, 1), (1, -1))


def spread(start: Cell, cells: Iterable[Cell]) -> set[Cell]:
    """Return the cells that are connected with one of them."""
    group: set[Cell] = set()
    more, cells = {start}, set(cells)
    while more:
        group |= more
        more = {plus(at, way) for at in more for way in HEX} & cells - group
    return group


@dataclass
class Stones(Source):
    taken_over: bool = False
    last: Cell | None = None

    @classmethod
    def start(cls, options: Mapping[str, str]) -> Self:
        return cls(options, {})

    @property
    def size(self) -> int:
        return int(self.options["size"])

    def cells(self) -> list[Cell]:
        return [(x, y) for x in range(self.size) for y in range(self.size)]

    def wins(self, own: set[Cell], last: Cell) -> bool:
        """Return whether the stones of a side have won with the last one."""
        raise NotImplementedError

    def turns(self) -> list[str]:
        if self.winner() is not None:
            return []
        swap = self.options["swap"] == "yes" and len(self.board) == 1 and not self.taken_over
        return [name(at) for at in self.cells() if at not in self.board] + ["swap"] * swap

    def play(self, turn: str) -> Self:
        if turn == "swap":
            return type(self)(self.options, dict.fromkeys(self.board, 1), 0, taken_over=True)
        return type(self)(
            self.options, self.board | {cell(turn): self.seat}, 1 - self.seat, self.taken_over, cell(turn)
        )

    def winner(self) -> int | None:
        mover = 1 - self.seat
        own = {at for at, seat in self.board.items() if seat == mover}
        return mover if self.last is not None and self.wins(own, self.last) else None


class Gomoku(Stones):
    def wins(self, own: set[Cell], last: Cell) -> bool:
        return any(all(plus(at, way, far) in own for far in range(5)) for at in own for way in LINES)


class Y(Stones):
    def cells(self) -> list[Cell]:
        return [(x, y) for y in range(self.size) for x in range(y + 1)]

    def wins(self, own: set[Cell], last: Cell) -> bool:
        """Return whether a chain has cells of the left, of the right and of the bottom."""
        chain = spread(last, own)
        sides = any(x == 0 for x, _ in chain), any(x == y for x, y in chain), any(y == self.size - 1 for _, y in chain)
        return all(sides)


class Havannah(Stones):
    def cells(self) -> list[Cell]:
        far = 2 * self.size - 1
        return [(x, y) for x in range(far) for y in range(far) if abs(x - y) < self.size]

    def wins(self, own: set[Cell], last: Cell) -> bool:
        chain = spread(last, own)
        end, middle = 2 * self.size - 2, self.size - 1
        corners = {(0, 0), (middle, 0), (end, middle), (end, end), (middle, end), (0, middle)}
        rim = chain - corners
        touched = (
            any(y == 0 for _, y in rim),
            any(x == end for x, _ in rim),
            any(y == end for _, y in rim),
            any(x == 0 for x, _ in rim),
            any(x - y == middle for x, y in rim),
            any(y - x == middle for x, y in rim),
        )
        return len(chain & corners) > 1 or sum(touched) > 2 or self.is_ring(chain)

    def is_ring(self, chain: set[Cell]) -> bool:
        """Return whether a chain surrounds a cell, of whatever kind."""
        if any(all(plus(at, way) in chain for way in HEX) for at in chain):
            return True
        every = set(self.cells())
        outside: set[Cell] = set()
        for at in every - chain:
            if at not in outside and any(plus(at, way) not in every for way in HEX):
                outside |= spread(at, every - chain)
        return bool(every - chain - outside)
