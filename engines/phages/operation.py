"""What the stones of a side can do in one operation of a turn."""

from collections.abc import Iterator
from typing import NamedTuple, Self

from engines.bitboard import bits
from engines.core import Seat
from engines.phages.board import Board
from engines.phages.turns import NUMBERS
from engines.step import Step

Stones = tuple[tuple[int, ...], tuple[int, ...]]
Marks = tuple[int, int]


class Stand(NamedTuple):
    """A side's own stones, and what is in their way: `hostile` stones, and `closed` cells, as bits."""

    board: Board
    own: tuple[int, ...]
    hostile: int
    closed: int

    @classmethod
    def of(cls, board: Board, stones: Stones, marks: Marks, seat: Seat) -> Self:
        own, hostile = stones[seat], bits(stones[1 - seat])
        return cls(board, own, hostile, marks[0] | marks[1] | hostile | bits(own))

    def after(self, steps: tuple[Step, ...]) -> Self:
        """The steps are legal. What they leave is marked and stays closed."""
        lines = [self.board.lines[step] for step in steps]
        left, landed = [line.origin for line in lines], [line.target for line in lines]
        own = (*(cell for cell in self.own if cell not in left), *landed)
        return type(self)(self.board, own, self.hostile, self.closed | bits(landed))

    def targets(self, cell: int, number: int) -> list[int]:
        return self.board.reachable(cell, number, self.hostile, self.closed)

    def can_move(self, number: int) -> bool:
        _, own, hostile, closed = self
        for cell in own:
            for target, between in self.board.reach[cell][number]:
                if not (between & hostile or closed >> target & 1):
                    return True
        return False

    def numbers(self) -> tuple[int, ...]:
        """Return the numbers that can be announced: those by which an own stone can move, or all if none can."""
        return tuple(filter(self.can_move, NUMBERS)) or tuple(NUMBERS)

    def operations(self, number: int) -> Iterator[tuple[Step, ...]]:
        """A stone stays only if it can't move when its chance comes.

        The player chooses the order, so if two stones could only reach the same cell, either can take it. In Hexaphages
        (ruling) two stones get their chance, so the third can stay freely.
        """
        cells = self.board.by_name(self.own)
        reach = [(self.board.steps[cell], found) for cell in cells if (found := self.targets(cell, number))]
        for place, (steps, targets) in enumerate(reach):
            for other_steps, other_targets in reach[place + 1 :]:
                for target in targets:
                    step = steps[target]
                    for other_target in other_targets:
                        if other_target != target:
                            yield step, other_steps[other_target]
        for place, (steps, targets) in enumerate(reach):
            elsewhere = {target for _, others in reach[:place] + reach[place + 1 :] for target in others}
            for target in targets:
                if elsewhere <= {target}:
                    yield (steps[target],)
        if not reach:
            yield ()
