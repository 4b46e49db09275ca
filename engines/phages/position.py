"""Quadraphages and Hexaphages (Bill Taylor and João Pedro Neto, 2007): one rule book, two boards.

A turn has three operations: (1) move own stones by the number announced last, (2) announce a number,
(3) move own stones by it. A stone marks every cell it leaves. Where the rule sheet is silent, the ruling
is named beside the code that follows it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple, Self

from engines.core import IllegalMove, Outcome, Seat
from engines.diagram import Diagram
from engines.phages.board import BOARDS, LEGEND, MOVERS, NUMBERS, SIDES, Board, Step, bits, spelled
from engines.phages.refusals import Reason, step_refusal
from engines.wording import either

Stones = tuple[tuple[int, ...], tuple[int, ...]]
Marks = tuple[int, int]


class Turn(NamedTuple):
    """A turn: the steps of operation 1, the number, the steps of operation 3, each sorted by origin.

    Stones that stay are not mentioned. `second` is None in a part, whose operation 3 is still to come;
    `number` is None (and `first` empty) in a completion, which is the operation 3 of a part kept before.
    """

    first: tuple[Step, ...]
    number: int | None
    second: tuple[Step, ...] | None


@dataclass(frozen=True, slots=True)
class PhagesPosition:
    """Where a game of Quadraphages or Hexaphages stands; cells are numbers on its Board, marks are bits.

    `number` was announced last (None before the first turn). `part` is the turn begun and not complete:
    its operation 1 is played on this board already, and `number` is its number. `last` is for the picture.
    """

    game: str
    turn: Seat | None
    stones: Stones
    marks: Marks = (0, 0)
    number: int | None = None
    part: Turn | None = None
    outcome: Outcome | None = None
    last: Turn | None = field(default=None, compare=False)

    # What the player may do -----------------------------------------------------------------------

    def moves(self) -> Iterator[Turn]:
        """Every legal complete turn, each once; inside a begun turn, every operation 3 that completes it."""
        if self.turn is None:
            return
        if self.part is not None:
            for second in self.operations(self.number):
                yield Turn((), None, second)
            return
        for first in self.operations(self.number):
            moved = self._moved(*self._operated(1, self.number, first))
            for number in moved.numbers():
                for second in moved.operations(number):
                    yield Turn(first, number, second)

    def parts(self) -> Iterator[Turn]:
        """Every operation 1 with every number that may follow it; nothing inside a begun turn."""
        if self.turn is None or self.part is not None:
            return
        for first in self.operations(self.number):
            for number in self._moved(*self._operated(1, self.number, first)).numbers():
                yield Turn(first, number, None)

    def operations(self, number: int | None) -> Iterator[tuple[Step, ...]]:
        """Every way to move own stones by a number, each once; only () where none can move.

        A stone stays only where it cannot move when its chance comes. The player chooses the order, so of
        two stones that could only reach the same cell either may take it. In Hexaphages (ruling) the chance
        comes to two stones, so a third may stay as it likes. Without a number (first turn) nothing moves.
        """
        reach = [(self._board.steps[c], self._reach(c, number)) for c in self._board.by_name(self._own)]
        for place, (steps, targets) in enumerate(reach):
            for other_steps, other_targets in reach[place + 1 :]:
                for target in targets:
                    step = steps[target]
                    for other in other_targets:
                        if other != target:
                            yield step, other_steps[other]
        for place, (steps, targets) in enumerate(reach):
            elsewhere = {t for index, (_, ts) in enumerate(reach) if index != place for t in ts}
            for target in targets:
                if elsewhere <= {target}:
                    yield (steps[target],)
        if not any(targets for _, targets in reach):
            yield ()

    def numbers(self) -> tuple[int, ...]:
        """The numbers that may be announced from here: those that let an own stone move, if any does."""
        return tuple(number for number in NUMBERS if self.can_move(number)) or tuple(NUMBERS)

    def can_move(self, number: int | None) -> bool:
        """Whether any own stone can move by a number."""
        return any(self._reach(cell, number) for cell in self._own)

    def own_stones(self) -> tuple[str, ...]:
        """The cells of the stones of the player to move, sorted."""
        return self._board.named(self._own)

    def targets(self, cell: str, number: int) -> tuple[str, ...]:
        """The cells that an own stone standing on this cell can reach by a number, sorted."""
        return self._board.named(self._reach(self._board.index[cell], number))

    # Playing --------------------------------------------------------------------------------------

    def play(self, move: Turn) -> Self:
        """The position after the turn, or after a part of it (then the same seat is to move).

        Inside a begun turn, its operation 3 completes it; the whole turn written again does so too if its
        operation 1 and number are the kept ones, and the same part again changes nothing.
        """
        if self.turn is None:
            raise IllegalMove(Reason.GAME_OVER, outcome=self.outcome.reason if self.outcome else "")
        if self.part is not None:
            return self._completed(self.part, move)
        if move.number is None or (move.first and self.number is None):
            raise self._unfit(move)
        stones, marks = self._operated(1, self.number, move.first)
        moved = self._moved(stones, marks, move.number, Turn(_sorted(move.first), move.number, None))
        self._check_number(moved, move.number)
        return moved if move.second is None else moved.play(Turn((), None, move.second))

    def _completed(self, part: Turn, move: Turn) -> Self:
        """The position after what follows a begun turn."""
        if move.number is None:
            return self._finished(move.second or ())
        if (_sorted(move.first), move.number) != (part.first, part.number):
            raise IllegalMove(
                Reason.BEGUN_OTHERWISE,
                token=str(move.number),
                begun=f"{spelled(part.first)} {part.number}" if part.first else f"{part.number}",
                fits=spelled(next(self.operations(self.number))),
            )
        return self if move.second is None else self._finished(move.second)

    def _finished(self, second: tuple[Step, ...]) -> Self:
        """The position after operation 3 of the begun turn: the other seat to move, or the game over.

        Quadraphages, ruling: end. It is over as soon as a whole operation 3 and the opponent's following
        operation 1 move nothing, whatever another number would have moved; no mail is needed to say so.
        """
        stones, marks = self._operated(3, self.number, second)
        first = self.part.first if self.part else ()
        last = Turn(first, self.number, _sorted(second))
        other: Seat = 1 if self.turn == 0 else 0
        after = type(self)(self.game, other, stones, marks, self.number, None, None, last)
        return after if second else after.settled()

    def settled(self) -> Self:
        """The position itself, or the game over where the announced number moves no stone either."""
        if self.can_move(self.number):
            return self
        outcome = _outcome(self.marked(0), self.marked(1))
        return type(self)(self.game, None, self.stones, self.marks, self.number, None, outcome, self.last)

    def _operated(self, operation: int, number: int | None, steps: tuple[Step, ...]) -> tuple[Stones, Marks]:
        """Stones and marks after an operation of the player to move; raises IllegalMove."""
        if number is None:  # the first turn of the game begins with operation 2
            return self.stones, self.marks
        board, seat = self._board, self._seat
        if len(steps) > MOVERS:
            raise IllegalMove(Reason.TOO_MANY, operation=operation, token=str(steps[MOVERS]))
        hostile, closed = bits(self.stones[1 - seat]), self._closed
        waiting, left = list(self.stones[seat]), 0
        landed: list[int] = []
        for step in steps:
            line = board.lines.get(step)
            if (
                line is None
                or line.distance != number
                or line.origin not in waiting
                or line.between & hostile
                or closed >> line.target & 1
            ):
                marked, place = self.marks[0] | self.marks[1], len(landed)
                done, rest = steps[:place], steps[place + 1 :]
                raise step_refusal(board, self.stones, marked, seat, operation, number, done, step, rest)
            waiting.remove(line.origin)
            landed.append(line.target)
            closed |= 1 << line.target
            left |= 1 << line.origin
        if len(steps) < MOVERS:
            for cell in board.by_name(waiting):
                for target in board.reachable(cell, number, hostile, closed):
                    names = {"cell": board.names[cell], "target": board.names[target]}
                    raise IllegalMove(Reason.MUST_MOVE, operation=operation, number=number, **names)
        own = tuple(sorted(waiting + landed))
        if seat:
            return (self.stones[0], own), (self.marks[0], self.marks[1] | left)
        return (own, self.stones[1]), (self.marks[0] | left, self.marks[1])

    def _check_number(self, moved: Self, number: int) -> None:
        """Refuse a number that may not be announced when operation 1 is done.

        The sheet: "if possible" it lets a stone move; else it may be any from 1 to 8.
        """
        if number not in NUMBERS:
            raise IllegalMove(Reason.NUMBER_RANGE, number=number, token=str(number))
        if not moved.can_move(number) and number not in moved.numbers():
            fits, side = either(map(str, moved.numbers())), SIDES[self._seat]
            raise IllegalMove(Reason.NUMBER_IDLE, number=number, token=str(number), side=side, fits=fits)

    def _unfit(self, move: Turn) -> IllegalMove:
        """Why this is no turn here: it lacks the number, or has an operation 1 where there is none."""
        steps = move.first or move.second or ()
        if self.number is None:
            fitting = [number for number in NUMBERS if steps and self._allows(3, number, steps)]
            fits = f"{fitting[0]} {spelled(steps)}" if fitting else self._example()
            if not move.first:
                return IllegalMove(Reason.NUMBER_MISSING, fits=fits)
            return IllegalMove(Reason.NO_FIRST_OPERATION, fits=fits, token=str(min(move.first)))
        if not self._allows(1, self.number, steps):
            return IllegalMove(Reason.NOT_BEGUN, steps=spelled(steps), fits=self._example())
        moved = self._moved(*self._operated(1, self.number, steps))
        number = moved.numbers()[0]
        fits = f"{spelled(steps)} {number} {spelled(next(moved.operations(number)))}"
        return IllegalMove(Reason.NUMBER_MISSING, fits=fits)

    def _allows(self, operation: int, number: int, steps: tuple[Step, ...]) -> bool:
        """Whether these steps are a legal operation by that number here."""
        try:
            self._operated(operation, number, steps)
        except IllegalMove:
            return False
        return True

    def _example(self) -> str:
        """Some legal turn, as it is written."""
        first, number, second = next(self.moves())
        return f"{'' if self.opening else spelled(first) + ' '}{number} {spelled(second or ())}"

    # Small questions ------------------------------------------------------------------------------

    @property
    def opening(self) -> bool:
        """Whether this is the first turn of the game, which has no operation 1."""
        return self.marks == (0, 0)

    @property
    def _board(self) -> Board:
        return BOARDS[self.game]

    @property
    def _seat(self) -> Seat:
        return 1 if self.turn == 1 else 0

    @property
    def _own(self) -> tuple[int, ...]:
        return self.stones[self._seat]

    @property
    def _closed(self) -> int:
        """The cells where no stone can land, as bits: marked or occupied."""
        return self.marks[0] | self.marks[1] | bits(self.stones[0]) | bits(self.stones[1])

    def _reach(self, cell: int, number: int | None) -> list[int]:
        """The cells that an own stone on this cell can reach by a number; none without a number."""
        if number is None:
            return []
        return self._board.reachable(cell, number, bits(self.stones[1 - self._seat]), self._closed)

    def _moved(self, stones: Stones, marks: Marks, number: int | None = None, part: Turn | None = None) -> Self:
        """The position with operation 1 played, and the number announced if there is one."""
        return type(self)(self.game, self.turn, stones, marks, number, part, None, part)

    # Seen from outside ----------------------------------------------------------------------------

    def marked(self, seat: Seat) -> int:
        """How many cells a seat has marked; one under a stone (only in old records) does not count."""
        return (self.marks[seat] & ~bits(self.stones[0] + self.stones[1])).bit_count()

    def diagram(self) -> Diagram:
        """The board as records print it: marks x and o, stones X and O; the cells of the last turn are lit."""
        board = self._board
        shown = dict.fromkeys(board.names, ".")
        for seat, side in enumerate(SIDES):
            shown |= {name: side.lower() for name in board.names if self.marks[seat] >> board.index[name] & 1}
        for side, cells in zip(SIDES, self.stones, strict=True):
            shown |= {board.names[cell]: side for cell in cells}
        rows = tuple((label, tuple((cell, shown[cell]) for cell in cells)) for label, cells in board.rows)
        lit = frozenset(cell for step in self._last_steps() for cell in step)
        notes = () if self.number is None else (f"last number {self.number}",)
        remarks = () if self.number is None else (f"The last number is {self.number}.",)
        return Diagram(board.shape, board.columns, rows, lit, notes, remarks, LEGEND)

    def _last_steps(self) -> tuple[Step, ...]:
        """The steps of the last turn, or of the begun one."""
        return self.last.first + (self.last.second or ()) if self.last else ()


def _outcome(x: int, o: int) -> Outcome:
    """Who has won: whoever has marked most cells; stones do not count, as each side has equally many."""
    if x == o:
        return Outcome(None, f"{x} marked cells each")
    return Outcome(0 if x > o else 1, f"{max(x, o)} marked cells to {min(x, o)}")


def _sorted(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The steps of an operation in the order in which a Turn has them."""
    return tuple(sorted(steps)) if len(steps) > 1 else steps
