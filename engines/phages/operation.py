"""What the stones of a side can do in one operation of a turn: where they can go by a number, and what that leaves."""

from collections.abc import Iterator, Mapping

from engines.bitboard import bits
from engines.core import Seat
from engines.phages.board import Board
from engines.step import Step

Stones = tuple[tuple[int, ...], tuple[int, ...]]
Marks = tuple[int, int]
NOWHERE = -1
_NONE_YET = (Step("", ""),)


class Stand:
    """The stones of the side to move, and what is in their way: `hostile` stones, and `closed` cells, as bits."""

    __slots__ = ("_board", "closed", "hostile", "marks", "own", "seat", "stones")

    def __init__(self, board: Board, stones: Stones, marks: Marks, seat: Seat) -> None:
        self._board, self.stones, self.marks, self.seat = board, stones, marks, seat
        self.own = board.by_name(stones[seat])
        self.hostile = bits(stones[1 - seat])
        self.closed = marks[0] | marks[1] | self.hostile | bits(self.own)

    def reach(self, number: int) -> list[tuple[int, Mapping[int, Step], list[int]]]:
        """Return each own stone's cell, the steps from there by target, and the targets it can reach by a number."""
        steps, ways, hostile, closed = self._board.steps, self._board.reach, self.hostile, self.closed
        return [
            (cell, steps[cell], [to for to, passed in ways[cell][number] if not (passed & hostile or closed >> to & 1)])
            for cell in self.own
        ]

    def can_move(self, number: int) -> bool:
        """Return whether any own stone can move by a number."""
        reachable = self._board.reachable
        return any(reachable(cell, number, self.hostile, self.closed) for cell in self.own)


class Operation:
    """What the stones can do by a number. It is made once for a position, and asked for each of its turns."""

    __slots__ = ("_landings", "_last", "_reach", "_stand", "can_move")

    def __init__(self, stand: Stand, number: int) -> None:
        self._stand, self._reach = stand, stand.reach(number)
        self.can_move = any(targets for _, _, targets in self._reach)
        self._landings: dict[Step, tuple[int, int]] | None = None
        self._last: tuple[tuple[Step, ...], int, int, int, int] = (_NONE_YET, 0, 0, NOWHERE, NOWHERE)
        """The steps that were yielded last: who goes through all turns plays each as it comes."""

    def steps(self) -> Iterator[tuple[Step, ...]]:
        """Yield every way to move the stones, once each; only () if none can move.

        A stone stays only if it can't move when its chance comes. The player chooses the order, so if two
        stones could only reach the same cell, either can take it. In Hexaphages (ruling) two stones get their
        chance, so the third can stay freely.
        """
        reach = self._reach
        for place, (origin, steps, targets) in enumerate(reach):
            for other_origin, other_steps, other_targets in reach[place + 1 :]:
                for target in targets:
                    step = steps[target]
                    for other_target in other_targets:
                        if other_target != target:
                            both = (step, other_steps[other_target])
                            self._last = (both, origin, target, other_origin, other_target)
                            yield both
        if sum(len(targets) > 1 for _, _, targets in reach) <= 1:  # else another stone can always move too
            yield from self._alone()

    def _alone(self) -> Iterator[tuple[Step, ...]]:
        """Yield the steps after which no other stone can move; () if none can."""
        for place, (origin, steps, targets) in enumerate(self._reach):
            if not targets:
                continue
            elsewhere = {t for index, (_, _, ts) in enumerate(self._reach) if index != place for t in ts}
            for target in targets:
                if elsewhere <= {target}:
                    alone = (steps[target],)
                    self._last = (alone, origin, target, NOWHERE, NOWHERE)
                    yield alone
        if not self.can_move:
            yield ()

    def after(self, steps: tuple[Step, ...]) -> tuple[Stones, Marks] | None:
        """Return stones and marks after steps of two stones, or after those that were yielded last.

        None for all else, which is judged where its refusals are.
        """
        same, origin, target, second, place = self._last
        if same is not steps:
            if len(steps) != 2:
                return None
            landings = self._landings
            if landings is None:
                landings = self._landings = dict(self._possible())
            one, two = landings.get(steps[0]), landings.get(steps[1])
            if one is None or two is None:
                return None
            origin, target = one
            second, place = two
            if origin == second or target == place:
                return None
        stand = self._stand
        left = 1 << origin
        if second == NOWHERE:
            own = tuple(sorted([target, *(cell for cell in stand.own if cell != origin)]))
        else:
            left |= 1 << second
            if len(stand.own) == 2:
                own = (target, place) if target < place else (place, target)
            else:
                own = tuple(sorted([target, place, *(cell for cell in stand.own if cell not in (origin, second))]))
        stones, (first, last) = stand.stones, stand.marks
        if stand.seat == 0:
            return (own, stones[1]), (first | left, last)
        return (stones[0], own), (first, last | left)

    def _possible(self) -> Iterator[tuple[Step, tuple[int, int]]]:
        for origin, steps, targets in self._reach:
            for target in targets:
                yield steps[target], (origin, target)
