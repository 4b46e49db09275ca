"""The state of a game of Quadraphages or Hexaphages.

A turn has three operations: (1) move one's own stones by the number announced last, (2) announce a number,
(3) move one's own stones by that number. A stone marks every cell it leaves. Where the rule sheet is silent, a
comment beside the code names the ruling.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from engines.bitboard import bits
from engines.core import GameOver, IllegalMove, Outcome, Played, Seat
from engines.diagram import Diagram, last_move
from engines.phages.board import BOARDS, LEGEND, SIDES, Board
from engines.phages.evaluation import PhagesState, due_in, sight
from engines.phages.operation import Marks, Stand, Stones
from engines.phages.refusals import Reason, step_refusal
from engines.phages.turns import MOVERS, NUMBERS, Turn, in_order, spelled
from engines.seats import SEATS, with_entry
from engines.step import Step, vacated
from engines.wording import either


@dataclass(frozen=True, slots=True)
class PhagesPosition:
    """The state of a game of Quadraphages or Hexaphages. Cells are numbers on its Board, marks are bits.

    `number` is the number announced last (None before the first turn). `part` is the part of a turn already
    played: its operation 1 has been played on this board, and `number` is its number.
    """

    game: str
    turn: Seat | None
    stones: Stones
    marks: Marks = (0, 0)
    number: int | None = None
    part: Turn | None = None
    outcome: Outcome | None = None

    # Legal moves ----------------------------------------------------------------------------------

    def moves(self) -> Iterator[Turn]:
        if self.turn is None:
            return
        if self.part is not None:
            for second in self.operations(self.number):
                yield Turn((), None, second)
            return
        for first, number, stand in self._beginnings():
            for second in stand.operations(number):
                yield Turn(first, number, second)

    def parts(self) -> Iterator[Turn]:
        if self.turn is None or self.part is not None:
            return
        for first, number, _ in self._beginnings():
            yield Turn(first, number, None)

    def _beginnings(self) -> Iterator[tuple[tuple[Step, ...], int, Stand]]:
        stand = self.stand
        for first in self.operations(self.number):
            then = stand.after(first)
            for number in then.numbers():
                yield first, number, then

    def operations(self, number: int | None) -> Iterator[tuple[Step, ...]]:
        """Without a number, in the first turn, nothing moves."""
        return iter(((),)) if number is None else self.stand.operations(number)

    def numbers(self) -> tuple[int, ...]:
        return self.stand.numbers()

    def can_move(self, number: int | None) -> bool:
        return number is not None and self.stand.can_move(number)

    def own_stones(self) -> tuple[str, ...]:
        return self._board.named(self._own)

    def targets(self, cell: str, number: int) -> tuple[str, ...]:
        return self._board.named(self.stand.targets(self._board.index[cell], number))

    # Playing --------------------------------------------------------------------------------------

    def play(self, move: Turn) -> Self:
        """Return the position after the turn, or after a part of it (then the same seat is to move).

        After a part, its operation 3 completes the turn. So does the whole turn written again, if its
        operation 1 and number are those of the part. The same part again changes nothing.
        """
        if self.turn is None:
            raise GameOver(self.outcome)
        if self.part is not None:
            return self._completed(self.part, move)
        first, number, second = move
        if number is None or (first and self.number is None):
            raise self._unfit(move)
        stones, marks = self._operated(1, self.number, first)
        begun = self._moved(stones, marks, number)
        self._check_number(begun, number)
        if second is None:
            return self._moved(stones, marks, number, Turn(in_order(first), number, None))
        return begun.finished(second)

    def _completed(self, part: Turn, move: Turn) -> Self:
        if move.number is None:
            return self.finished(move.second or ())
        if (in_order(move.first), move.number) != (part.first, part.number):
            raise IllegalMove(
                Reason.BEGUN_OTHERWISE,
                token=str(move.number),
                begun=f"{spelled(part.first)} {part.number}" if part.first else f"{part.number}",
                fits=spelled(next(self.operations(self.number))),
            )
        return self if move.second is None else self.finished(move.second)

    def finished(self, second: tuple[Step, ...]) -> Self:
        """Return the position after operation 3: the other seat is to move, or the game is over.

        Quadraphages, ruling: end. The game is over as soon as a whole operation 3 and the opponent's following
        operation 1 move nothing, even if another number would have moved a stone.
        """
        stones, marks = self._operated(3, self.number, second)
        after = type(self)(self.game, 0 if self.turn == 1 else 1, stones, marks, self.number)
        return after if second else after.settled()

    def settled(self) -> Self:
        if self.can_move(self.number):
            return self
        outcome = _outcome(self.marked(0), self.marked(1))
        return type(self)(self.game, None, self.stones, self.marks, self.number, None, outcome)

    def _operated(self, operation: int, number: int | None, steps: tuple[Step, ...]) -> tuple[Stones, Marks]:
        if number is None:  # the first turn of the game starts with operation 2
            return self.stones, self.marks
        board, seat = self._board, self._seat
        if len(steps) > MOVERS:
            raise IllegalMove(Reason.TOO_MANY, operation=operation, token=str(steps[MOVERS]), late=operation == 3)
        hostile = bits(self.stones[1 - seat])
        closed = self.marks[0] | self.marks[1] | hostile | bits(self.stones[seat])
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
        return with_entry(self.stones, seat, own), with_entry(self.marks, seat, self.marks[seat] | left)

    def _check_number(self, moved: Self, number: int) -> None:
        """Rule sheet: the number lets a stone move "if possible"; otherwise it is any from 1 to 8."""
        if number not in NUMBERS:
            raise IllegalMove(Reason.NUMBER_RANGE, number=number, token=str(number))
        if not moved.can_move(number) and number not in moved.numbers():
            fits, side = either(map(str, moved.numbers())), SIDES[self._seat]
            raise IllegalMove(Reason.NUMBER_IDLE, number=number, token=str(number), side=side, fits=fits)

    def _unfit(self, move: Turn) -> IllegalMove:
        """Return why this is no turn here: it lacks the number, or it has an operation 1 in the first turn."""
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
        try:
            self._operated(operation, number, steps)
        except IllegalMove:
            return False
        return True

    def _example(self) -> str:
        first, number, second = next(self.moves())
        return f"{'' if self.opening else spelled(first) + ' '}{number} {spelled(second or ())}"

    def stepped(self, steps: tuple[Step, ...]) -> Self:
        """Return the board in the midst of an operation, after these legal steps: only to be drawn."""
        index, seat = self._board.index, self._seat
        left, landed = {index[step.origin] for step in steps}, {index[step.target] for step in steps}
        stones = with_entry(self.stones, seat, tuple(sorted({*self._own} - left | landed)))
        marks = with_entry(self.marks, seat, self.marks[seat] | bits(left))
        return self._moved(stones, marks, self.number, self.part)

    # Searching ------------------------------------------------------------------------------------

    def state(self) -> PhagesState:
        winner = self.outcome.winner if self.outcome else None
        due = due_in(self.marks, self.part)
        closed = self.stand.closed
        return PhagesState(sight(self.game), self.turn, self.stones, self.marks, closed, self.number, due, winner)

    # Properties -----------------------------------------------------------------------------------

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
    def stand(self) -> Stand:
        return Stand.of(self._board, self.stones, self.marks, self._seat)

    def _moved(self, stones: Stones, marks: Marks, number: int | None = None, part: Turn | None = None) -> Self:
        return type(self)(self.game, self.turn, stones, marks, number, part)

    # Drawing --------------------------------------------------------------------------------------

    def marked(self, seat: Seat) -> int:
        """Return how many cells a seat has marked; a marked cell under a stone (old records only) doesn't count."""
        return (self.marks[seat] & ~bits(self.stones[0] + self.stones[1])).bit_count()

    def diagram(self, last: Played[Self, Turn] | None = None) -> Diagram:
        """Return the board as records print it: marks x and o, stones X and O; with the cells of the last turn."""
        board = self._board
        x, o = self.marks
        shown = {n: "o" if o >> at & 1 else "x" if x >> at & 1 else "." for n, at in board.index.items()}
        for side, stones in zip(SIDES, self.stones, strict=True):
            shown |= {board.names[cell]: side for cell in stones}
        rows = tuple((label, tuple((cell, shown[cell]) for cell in cells)) for label, cells in board.rows)
        turn = Turn((), None, ()) if last is None else last.move
        if last is not None and last.before.part is not None:
            turn = Turn(last.before.part.first, last.before.part.number, last.move.second)
        counts = [self.marked(seat) for seat in SEATS]
        notes = [f"{side} has marked {count}" for side, count in zip(SIDES, counts, strict=True)] if any(counts) else []
        remarks = [f"{note} {'cell' if note.endswith(' 1') else 'cells'}." for note in notes]
        if self.number is not None:
            notes.insert(0, f"last number {self.number}")
            remarks.insert(0, f"The last number is {self.number}.")
        return Diagram(
            board.shape,
            board.columns,
            rows,
            turn.cells,
            tuple(notes),
            tuple(remarks),
            LEGEND,
            vacated((*turn.first, *(turn.second or ()))),
            "" if last is None else last_move(turn.spoken),
        )


def _outcome(x: int, o: int) -> Outcome:
    """Stones don't count, as both sides have equally many."""
    if x == o:
        return Outcome(None, f"{x} marked cells each")
    return Outcome(0 if x > o else 1, f"{max(x, o)} marked cells to {min(x, o)}")
