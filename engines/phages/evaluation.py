"""Quadraphages and Hexaphages as the house searches them: a turn in three choices, cells as bits, and room to move.

The choices of a turn are operation 1, the number, and operation 3. So the thousands of turns of Hexaphages become some
dozens of choices at each of three nodes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple, Self

from engines.bitboard import bits, cells_in
from engines.core import Seat
from engines.phages.board import BOARDS, Board
from engines.phages.turns import NUMBERS, Turn, in_order
from engines.seats import other
from engines.step import Step

Operation = tuple[tuple[int, int], ...]
"""What an operation moves: the cells that stones leave and those they go to."""
Choice = Operation | int
Stones = tuple[tuple[int, ...], tuple[int, ...]]

ROOM = (0.0, 2.0, 2.9, 3.5, 4.0, 4.4, 4.8, 5.1, 5.4, 5.6, 5.8, 6.0)
"""How many marks a stone is worth that can reach so many cells: the first ones matter most."""


class Due(IntEnum):
    """What the player to choose does next."""

    FIRST = 1
    NUMBER = 2
    SECOND = 3


class Sight(NamedTuple):
    """What a stone on each cell of a board can reach, as bits.

    `straight[cell]` are all cells in line; `behind[cell][other]` those that a hostile stone on the other cell hides,
    with that cell itself; `at[number][cell]` those at a distance.
    """

    straight: tuple[int, ...]
    behind: tuple[tuple[int, ...], ...]
    at: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, board: Board) -> Self:
        """Return the tables of a board."""
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
        return cls(straight, tuple(map(tuple, behind)), tuple(map(tuple, at)))


SIGHTS: Mapping[str, Sight] = {key: Sight.of(board) for key, board in BOARDS.items()}


@dataclass(slots=True, eq=False)  # frozen, it would be slower by a tenth
class PhagesState:
    """A position of one of the two games for the search, perhaps in the midst of a turn.

    `closed` are the cells where no stone can land, as bits: a cell that is once marked or occupied stays closed.
    """

    game: str
    turn: Seat | None
    stones: Stones
    marks: tuple[int, int]
    closed: int
    number: int | None
    due: Due
    winner: Seat | None = None

    @property
    def is_between_turns(self) -> bool:
        """Whether a turn has just been completed."""
        return self.due == Due.FIRST

    @property
    def key(self) -> object:
        """Everything that matters for the rest of the match."""
        return self.turn, self.stones, self.marks, self.number, self.due

    def choices(self) -> Sequence[Choice]:
        """Return every choice: operations that keep room first, numbers that move more own stones than theirs."""
        seat = self.turn
        if seat is None:
            return ()
        if self.due == Due.NUMBER:
            return self._numbers(seat)
        return self._operations(seat, self.number or 0)

    def _numbers(self, seat: Seat) -> list[int]:
        at = SIGHTS[self.game].at
        own = self._rooms(seat)
        theirs = self._rooms(other(seat))
        found = []
        for number in NUMBERS:
            there = at[number]
            mine = sum(1 for cell, room in own if room & there[cell])
            hers = sum(1 for cell, room in theirs if room & there[cell])
            found.append((min(hers, 2) - 2 * min(mine, 2), number, mine))
        found.sort()
        return [n for _, n, mine in found if mine] or [n for _, n, _ in found]

    def _operations(self, seat: Seat, number: int) -> list[Operation]:
        """Return every way to move the seat's stones by a number, as the engine lists them."""
        sight = SIGHTS[self.game]
        there, straight = sight.at[number], sight.straight
        free = ~self.closed
        reach = [(cell, room & there[cell]) for cell, room in self._rooms(seat)]
        roomy = {t: (straight[t] & free).bit_count() for t in cells_in(_union(reach))}
        found: list[tuple[int, Operation]] = []
        for place, (cell, targets) in enumerate(reach):
            if not targets:
                continue
            elsewhere = _union(reach[:place]) | _union(reach[place + 1 :])
            later = [(c, list(cells_in(ts))) for c, ts in reach[place + 1 :] if ts]
            for target in cells_in(targets):
                worth = roomy[target]
                for second, second_targets in later:
                    found += [
                        (-worth - roomy[second_target], ((cell, target), (second, second_target)))
                        for second_target in second_targets
                        if second_target != target
                    ]
                if not elsewhere & ~(1 << target):
                    found.append((-worth, ((cell, target),)))
        found.sort()
        return [operation for _, operation in found] or [()]

    def after(self, choice: Choice) -> "PhagesState":
        """Return the state after a choice."""
        seat = self.turn or 0
        if isinstance(choice, int):
            return PhagesState(self.game, seat, self.stones, self.marks, self.closed, choice, Due.SECOND)
        stones, marks, closed = self.stones, self.marks, self.closed
        if choice:
            goes = dict(choice)
            own = tuple(sorted([goes.get(cell, cell) for cell in stones[seat]]))
            left = 0
            for origin, target in choice:
                left |= 1 << origin
                closed |= 1 << target
            if seat == 0:
                stones, marks = (own, stones[1]), (marks[0] | left, marks[1])
            else:
                stones, marks = (stones[0], own), (marks[0], marks[1] | left)
        if self.due == Due.FIRST:
            return PhagesState(self.game, seat, stones, marks, closed, self.number, Due.NUMBER)
        opponent = other(seat)
        after = PhagesState(self.game, opponent, stones, marks, closed, self.number, Due.FIRST)
        return after if choice or after.can_move(opponent) else after.ended()

    def can_move(self, seat: Seat) -> bool:
        """Return whether a stone of the seat can move by the number."""
        there = SIGHTS[self.game].at[self.number or 0]
        return any(room & there[cell] for cell, room in self._rooms(seat))

    def ended(self) -> "PhagesState":
        """Return the end of the game on this board: the side with more marks has won."""
        x, o = (mark.bit_count() for mark in self.marks)
        winner: Seat | None = None if x == o else 0 if x > o else 1
        return PhagesState(self.game, None, self.stones, self.marks, self.closed, self.number, self.due, winner)

    def estimate(self, seat: Seat) -> float:
        """Return who has more marks, and more room for stones to make others, between -0.9 and 0.9."""
        mover = self.turn or 0
        rooms = (self._rooms(0), self._rooms(1))
        worth = [float(mark.bit_count()) for mark in self.marks]
        for side in (0, 1):
            worth[side] += sum([ROOM[min(room.bit_count(), len(ROOM) - 1)] for _, room in rooms[side]])
        if self.due != Due.NUMBER:
            there = SIGHTS[self.game].at[self.number or 0]
            worth[mover] += min(2, sum([1 for cell, room in rooms[mover] if room & there[cell]]))
        lead = worth[seat] - worth[1 - seat]
        return 0.9 * lead / (8 + abs(lead))

    def turn_of(self, choices: Sequence[Choice]) -> Turn:
        """Return the turn that consists of these choices; after a part, what completes it."""
        number = next((choice for choice in choices if isinstance(choice, int)), None)
        *first, second = (self._steps(choice) for choice in choices if not isinstance(choice, int))
        return Turn(first[0] if first else (), number, second)

    def _steps(self, operation: Operation) -> tuple[Step, ...]:
        names = BOARDS[self.game].names
        return in_order(tuple(Step(names[origin], names[target]) for origin, target in operation))

    def _rooms(self, seat: Seat) -> list[tuple[int, int]]:
        """Return the cells of a seat's stones, each with all cells that it can reach by some number."""
        straight, behind, _ = SIGHTS[self.game]
        free, found = ~self.closed, []
        for cell in self.stones[seat]:
            room, hidden = straight[cell] & free, behind[cell]
            for hostile in self.stones[1 - seat]:
                room &= ~hidden[hostile]
            found.append((cell, room))
        return found


def _union(reach: Sequence[tuple[int, int]]) -> int:
    """Return the cells that any of these stones can reach."""
    found = 0
    for _, targets in reach:
        found |= targets
    return found


def due_in(marks: tuple[int, int], part: Turn | None) -> Due:
    """Return what the player to move does next: the first turn of a game has no operation 1."""
    if part is not None:
        return Due.SECOND
    return Due.NUMBER if marks == (0, 0) else Due.FIRST
