"""Quadrature as the house searches it: legal steps by whole rows, exchanges first, and a count of men and their way.

What a step and its exchanges do is in `board`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from engines.core import Seat
from engines.quadrature.board import (
    FEW,
    FORWARD,
    GOAL_ROWS,
    MOST,
    NAMES,
    SIZE,
    Both,
    Men,
    Way,
    count,
    exchange,
    stepped,
)
from engines.repetition import History
from engines.seats import other, with_entry
from engines.step import Step

FULL = (1 << SIZE) - 1


@dataclass(slots=True, eq=False)  # frozen, it would be slower by a tenth
class QuadratureState:
    """A position of Quadrature for the search; `seen` are the arrangements of the match before the search."""

    each: int
    turn: Seat | None
    men: Both
    markers: tuple[int, int]
    seen: History[Both]
    winner: Seat | None = None

    @property
    def is_between_turns(self) -> bool:
        """True: each choice is a complete turn."""
        return True

    @property
    def key(self) -> object:
        """Everything that matters for the rest of the match, but for the arrangements seen in the search itself."""
        return self.turn, self.men, self.markers

    def choices(self) -> Sequence[Way]:
        """Return every legal turn: those that square men first, then those that go forward."""
        return () if self.turn is None else self._ways(self.turn)

    def _ways(self, seat: Seat) -> list[Way]:
        own, opposing, forward = self.men[seat], self.men[1 - seat], FORWARD[seat]
        quiet: list[Way] = []
        sideways: list[Way] = []
        sharp: list[tuple[int, Way]] = []
        free = [FULL & ~(own[y] | opposing[y] | squared_by(opposing, y)) for y in range(SIZE)]
        for row in range(SIZE):
            men = own[row]
            to_row = row + forward
            ahead = free[to_row] if 0 <= to_row < SIZE else 0
            beside = free[row]
            while men:
                bit = men & -men
                men ^= bit
                column = bit.bit_length() - 1
                around = bit << 1 | bit >> 1
                for target_row, targets in ((to_row, ahead & (around | bit)), (row, beside & around)):
                    while targets:
                        target = targets & -targets
                        targets ^= target
                        way = Way(column, row, target.bit_length() - 1, target_row, target_row == row)
                        if may_square(own, opposing, way) and (won := self._won(seat, way)):
                            sharp.append((-won, way))
                        elif target_row != row:
                            quiet.append(way)
                        elif self.markers[seat] < MOST:
                            sideways.append(way)
        sharp.sort()
        return [*(way for _, way in sharp), *quiet, *sideways]

    def _won(self, seat: Seat, way: Way) -> int:
        """Return how many men a step wins."""
        opposing = list(self.men[1 - seat])
        return len(exchange(stepped(self.men[seat], way), opposing, way, self.each - count(self.men[seat])))

    def after(self, choice: Way) -> "QuadratureState":
        """Return the state after a turn."""
        seat = self.turn or 0
        own, opposing = stepped(self.men[seat], choice), list(self.men[1 - seat])
        squared = exchange(own, opposing, choice, self.each - count(self.men[seat]))
        marker = self.markers[seat] + 1 if choice.sideways and not squared else 0
        markers = with_entry(self.markers, seat, marker)
        men = (tuple(own), tuple(opposing)) if seat == 0 else (tuple(opposing), tuple(own))
        goal = GOAL_ROWS[seat]
        if own[goal[0]] & goal[1] == goal[1] or (squared and count(men[1 - seat]) <= FEW):
            return QuadratureState(self.each, None, men, markers, self.seen, seat)
        if not squared and choice.sideways and self.seen.count(men):
            return QuadratureState(self.each, None, men, markers, self.seen)
        after = QuadratureState(self.each, other(seat), men, markers, self.seen)
        if after.can_move(other(seat)):
            return after
        turn = seat if after.can_move(seat) else None
        return QuadratureState(self.each, turn, men, markers, self.seen)

    def can_move(self, seat: Seat) -> bool:
        """Return whether a side has a legal turn; a step forward, as a rule."""
        own, opposing, forward = self.men[seat], self.men[1 - seat], FORWARD[seat]
        for row in range(SIZE):
            to_row = row + forward
            if own[row] and 0 <= to_row < SIZE:
                reached = own[row] | own[row] << 1 | own[row] >> 1
                if reached & FULL & ~(own[to_row] | opposing[to_row] | squared_by(opposing, to_row)):
                    return True
        return bool(self._ways(seat))

    def estimate(self, seat: Seat) -> float:
        """Return who has more men, and men further ahead and nearer to their goal, between -0.9 and 0.9."""
        black, white = self.men
        lead = 0.08 * (count(black) - count(white)) + 0.01 * (_ahead(black, 0) - _ahead(white, 1))
        lead += 0.02 if self.turn == 0 else -0.02
        lead *= 0.9 / (0.5 + abs(lead))
        return lead if seat == 0 else -lead

    def turn_of(self, choices: Sequence[Way]) -> Step:
        """Return the turn that a choice stands for."""
        way = choices[0]
        return Step(NAMES[way.row][way.column], NAMES[way.to_row][way.to_column])


def squared_by(opposing: Men, row: int) -> int:
    """Return where in a row a man would be squared by these men, as bits.

    Three men square it if one is in its row, one in its column, and one where their lines meet.
    """
    level, found = opposing[row], 0
    if level:
        for number, cells in enumerate(opposing):
            if cells & level and number != row:
                found |= cells
    return found & ~level


def may_square(own: Men, opposing: Men, way: Way) -> bool:
    """Return whether a step can square anything at all: whether its man meets two others in a rectangle."""
    bit = 1 << way.to_column
    mine, theirs = own[way.to_row] & ~bit, opposing[way.to_row]
    for y in range(SIZE):
        if y != way.to_row:
            if own[y] & bit:
                if theirs & own[y] or mine & opposing[y]:
                    return True
            elif opposing[y] & bit and mine & own[y]:
                return True
    return False


def _ahead(men: Men, seat: Seat) -> float:
    """Return how far these men have come, where the way to the goal counts more the shorter it is."""
    total = 0.0
    for row, cells in enumerate(men):
        if cells:
            gone = row if seat == 0 else SIZE - 1 - row
            total += gone * cells.bit_count()
            if gone >= SIZE - 4:
                total += 3 * (cells & NEAR[SIZE - 1 - gone]).bit_count()
    return total


NEAR = (0b00001110000, 0b00011111000, 0b00111111100, 0b01111111110)
"""The columns from which a man still gets to its goal, in the goal's row and the rows before it."""
