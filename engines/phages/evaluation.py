"""Quadraphages and Hexaphages as the house searches them: a turn in three choices, cells as bits, and room to move.

The choices of a turn are operation 1, the number, and operation 3. So the thousands of turns of Hexaphages become some
dozens of choices at each of three nodes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, Self

from engines.bitboard import bits, cells_in, few_cells_in
from engines.core import Seat
from engines.phages.board import BOARDS, Board
from engines.phages.operation import Marks, Stones
from engines.phages.turns import NUMBERS, Turn, in_order
from engines.seats import other
from engines.step import Step

Choice = int
"""A number, or what an operation moves: for each of at most two stones the cell that it leaves and the one it goes to.

The first stone is in the higher bits, the cell that the second one leaves is counted from 1, and 0 moves nothing.
"""
CELL, OPERATION = 7, 28
"""The bits of a cell, and of an operation; above them is, while operations are sorted, how much room they keep."""
ONE_CELL, WHOLE = (1 << CELL) - 1, (1 << OPERATION) - 1

ROOM = (0.0, 2.0, 2.9, 3.5, 4.0, 4.4, 4.8, 5.1, 5.4, 5.6, 5.8, *[6.0] * 30)
"""How many marks a stone is worth that can reach so many cells: the first ones matter most."""

FIRST, NUMBER, SECOND = 1, 2, 3
"""What the player to choose does next: operation 1, the number, or operation 3."""


class Sight(NamedTuple):
    """What a stone on each cell of a board can reach, as bits; `names` are those of the cells.

    `straight[cell]` are all cells in line; `behind[cell][other]` those that a hostile stone on the other cell hides,
    with that cell itself; `at[number][cell]` those at a distance.
    """

    names: tuple[str, ...]
    straight: tuple[int, ...]
    behind: tuple[tuple[int, ...], ...]
    at: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, board: Board) -> Self:
        cells = range(len(board.names))
        at = [[0] * len(cells) for _ in range(NUMBERS.stop)]
        behind = [[0] * len(cells) for _ in cells]
        for cell in cells:
            for number in NUMBERS:
                for target, between in board.reach[cell][number]:
                    at[number][cell] |= 1 << target
                    for passed in (*cells_in(between), target):
                        behind[cell][passed] |= 1 << target
        straight = tuple(bits(board.steps[cell]) for cell in cells)
        return cls(board.names, straight, tuple(map(tuple, behind)), tuple(map(tuple, at)))


@cache
def sight(game: str) -> Sight:
    return Sight.of(BOARDS[game])


@dataclass(slots=True, eq=False)  # frozen, it would be slower by a tenth
class PhagesState:
    """A position of one of the two games for the search, perhaps in the midst of a turn.

    `closed` are the cells where no stone can land, as bits: a cell that is once marked or occupied stays closed.
    """

    sight: Sight
    turn: Seat | None
    stones: Stones
    marks: Marks
    closed: int
    number: int | None
    due: int
    winner: Seat | None = None

    @property
    def is_between_turns(self) -> bool:
        return self.due == FIRST

    @property
    def key(self) -> object:
        return self.turn, self.stones, self.marks, self.number, self.due

    def choices(self) -> Sequence[Choice]:
        """Operations that keep room come first, and numbers that move more own stones than theirs."""
        seat = self.turn
        if seat is None:
            return ()
        if self.due == NUMBER:
            return self._numbers(seat)
        return self._operations(seat, self.number or 0)

    def _numbers(self, seat: Seat) -> list[Choice]:
        own, theirs = self._rooms(seat), self._rooms(other(seat))
        found = []
        for number in NUMBERS:
            there, mine, hers = self.sight.at[number], 0, 0
            for cell, room in own:
                if room & there[cell]:
                    mine += 1
            for cell, room in theirs:
                if room & there[cell]:
                    hers += 1
            found.append((min(hers, 2) - 2 * min(mine, 2), number, mine))
        found.sort()
        return [n for _, n, mine in found if mine] or [n for _, n, _ in found]

    def _operations(self, seat: Seat, number: int) -> list[Choice]:
        there, straight, free = self.sight.at[number], self.sight.straight, ~self.closed
        reach = [(cell, room & there[cell]) for cell, room in self._rooms(seat)]
        found: list[int] = []
        later: list[tuple[int, int]] = []
        for cell, targets in reversed(reach):
            elsewhere, new = 0, []
            for another, others in reach:
                if another != cell:
                    elsewhere |= others
            for target in few_cells_in(targets):
                keeps = -(straight[target] & free).bit_count() << OPERATION
                one = keeps + ((cell << CELL | target) << 2 * CELL)
                if elsewhere >> target & 1:
                    found += [one + two for second_target, two in later if second_target != target]
                else:
                    found += [one + two for _, two in later]
                if not elsewhere & ~(1 << target):
                    found.append(one)
                new.append((target, keeps + ((cell + 1) << CELL | target)))
            later += new
        found.sort()
        return [operation & WHOLE for operation in found] or [0]

    def after(self, choice: Choice) -> "PhagesState":
        seat = self.turn or 0
        if self.due == NUMBER:
            return PhagesState(self.sight, seat, self.stones, self.marks, self.closed, choice, SECOND)
        stones, marks, closed = self.stones, self.marks, self.closed
        if choice:
            own = list(stones[seat])
            left = 0
            for cell, target in _moves(choice):
                own[own.index(cell)] = target
                left |= 1 << cell
                closed |= 1 << target
            own.sort()
            if seat == 0:
                stones, marks = (tuple(own), stones[1]), (marks[0] | left, marks[1])
            else:
                stones, marks = (stones[0], tuple(own)), (marks[0], marks[1] | left)
        if self.due == FIRST:
            return PhagesState(self.sight, seat, stones, marks, closed, self.number, NUMBER)
        opponent = other(seat)
        after = PhagesState(self.sight, opponent, stones, marks, closed, self.number, FIRST)
        return after if choice or after.can_move(opponent) else after.ended()

    def can_move(self, seat: Seat) -> bool:
        there = self.sight.at[self.number or 0]
        return any(room & there[cell] for cell, room in self._rooms(seat))

    def ended(self) -> "PhagesState":
        x, o = (mark.bit_count() for mark in self.marks)
        winner: Seat | None = None if x == o else 0 if x > o else 1
        return PhagesState(self.sight, None, self.stones, self.marks, self.closed, self.number, self.due, winner)

    def estimate(self, seat: Seat) -> float:
        """Return who has more marks, and more room for stones to make others, between -0.9 and 0.9."""
        mover, can_move = self.turn or 0, 0
        there = self.sight.at[self.number or 0]
        lead = 0.0
        for side in (0, 1):
            worth = 0.0
            for cell, room in self._rooms(side):
                worth += ROOM[room.bit_count()]
                if side == mover and room & there[cell]:
                    can_move += 1
            worth += self.marks[side].bit_count()
            if side == mover and self.due != NUMBER:
                worth += min(2, can_move)
            lead += worth if side == seat else -worth
        return 0.9 * lead / (8 + abs(lead))

    def turn_of(self, choices: Sequence[Choice]) -> Turn:
        """After a part, this is what completes it."""
        due, number = self.due, None
        operations: dict[int, tuple[Step, ...]] = {FIRST: (), SECOND: ()}
        for choice in choices:
            if due == NUMBER:
                number = choice
            else:
                operations[due] = self._steps(choice)
            due += 1
        return Turn(operations[FIRST], number, operations[SECOND])

    def _steps(self, operation: Choice) -> tuple[Step, ...]:
        names = self.sight.names
        moves = _moves(operation) if operation else ()
        return in_order(tuple(Step(names[origin], names[target]) for origin, target in moves))

    def _rooms(self, seat: int) -> list[tuple[int, int]]:
        """Return the cells of a seat's stones, each with all cells that it can reach by some number."""
        _, straight, behind, _ = self.sight
        free, found, opposing = ~self.closed, [], self.stones[1 - seat]
        for cell in self.stones[seat]:
            room, hidden = straight[cell] & free, behind[cell]
            for hostile in opposing:
                room &= ~hidden[hostile]
            found.append((cell, room))
        return found


def _moves(operation: Choice) -> tuple[tuple[int, int], ...]:
    first = operation >> 3 * CELL, operation >> 2 * CELL & ONE_CELL
    second = operation >> CELL & ONE_CELL
    return (first, (second - 1, operation & ONE_CELL)) if second else (first,)


def due_in(marks: Marks, part: Turn | None) -> int:
    """Return what the player to move does next: the first turn of a game has no operation 1."""
    if part is not None:
        return SECOND
    return NUMBER if marks == (0, 0) else FIRST
