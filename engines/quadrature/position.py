"""The state of a game of Quadrature.

A turn moves one man one square. Opposing men that it squares are exchanged for own men from the reserve, and those
square further. Where the rule sheets are silent, a comment beside the code names the ruling.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Self

from engines import core, square
from engines.core import GameOver, IllegalMove, Outcome, Played, PlayedWhole, Seat
from engines.diagram import Diagram, last_move
from engines.quadrature.board import (
    FEW,
    FORWARD,
    GOAL_CELLS,
    GOALS,
    INDEX,
    LEGEND,
    MARKS,
    MOST,
    NAMES,
    PLACES,
    ROWS,
    SIDES,
    SIZE,
    START,
    WAYS,
    Both,
    Men,
    Way,
    barred,
    can_step_forward,
    corners,
    exchanged,
    squared,
    squares_of,
    ways,
)
from engines.quadrature.evaluation import QuadratureState, lead_of
from engines.repetition import History
from engines.seats import SEATS, other
from engines.step import Step
from engines.wording import either, together

IN_A_NOTE = 5
"""The number of squares that fit into a note beside the board."""

AT_START = History.of((START,))


class Reason(core.Reason):
    OFF_BOARD = "{cell} is not on this board; its columns are a to k, its rows 1 to 11"
    EMPTY = "there is no man on {cell}; {instead}"
    OPPONENT = "the man on {cell} is {other}'s; {instead}"
    NOT_A_STEP = "{token} is not a step: a man goes one square forward, diagonally forward or sideways; {instead}"
    BACKWARD = "{token} goes backward, but {side}'s men go {way} or sideways; {instead}"
    OCCUPIED = "{holder} already has a man on {target}; {instead}"
    SQUARED = "{target} would complete a rectangle with {other}'s men on {corners}; {instead}"
    MARKER = "{token} goes sideways and squares nothing, but {side}'s marker already shows 2; {instead}"


@dataclass(frozen=True, slots=True)
class QuadraturePosition(PlayedWhole):
    """The state of a game of Quadrature. `each` is how many men a side has, on the board and in reserve.

    `seen` holds the arrangements of men in the match so far, this one included. Two matches that reach the same
    board in different ways are in different positions, because different turns draw.
    """

    each: int
    turn: Seat | None = 0
    men: Both = START
    markers: tuple[int, int] = (0, 0)
    seen: History[Both] = AT_START
    outcome: Outcome | None = None
    sitting_out: Seat | None = None
    """The side that would be to move now but has no legal turn, if there is one."""

    # Legal moves ----------------------------------------------------------------------------------

    def moves(self) -> Iterator[Step]:
        if self.turn is not None:
            yield from self._turns(self.turn)

    def reserve(self, seat: Seat) -> int:
        """Return how many men a side has in reserve.

        Exchanged men go back to their owner. So each side always has `each`, and there are always eighteen on
        the board. With 18 a side the reserve is as large as the number of the opponent's men, with 16 two
        smaller. It is never empty before the opponent is down to two men and has lost.
        """
        return self.each - self.men[seat].bit_count()

    def can_move(self, seat: Seat) -> bool:
        forward = can_step_forward(seat, self.men[seat], self.men[1 - seat])
        return forward or next(self._turns(seat), None) is not None

    def would_repeat(self, turn: Step) -> bool:
        seat = self.turn or 0
        men, _ = self._exchanged(seat, WAYS[seat][turn])
        return self.seen.count(men) > 0

    def _turns(self, seat: Seat) -> Iterator[Step]:
        own, opposing = self.men[seat], self.men[1 - seat]
        only_forward = self.markers[seat] == MOST
        for turn, way in ways(seat, own, opposing):
            if not (only_forward and way.sideways) or self._squares(own, opposing, way):
                yield turn

    def _squares(self, own: Men, opposing: Men, way: Way) -> bool:
        return bool(squared(own ^ (1 << way.origin) ^ way.landing, opposing, way.target))

    def _obstacle(self, seat: Seat, way: Way) -> Reason | None:
        own, opposing = self.men[seat], self.men[1 - seat]
        if (own | opposing) & way.landing:
            return Reason.OCCUPIED
        if barred(opposing) & way.landing:
            return Reason.SQUARED
        if way.sideways and self.markers[seat] == MOST and not self._squares(own, opposing, way):
            return Reason.MARKER
        return None

    # Playing --------------------------------------------------------------------------------------

    def play(self, move: Step) -> Self:
        """A side without a legal turn sits out, and the same seat is to move again."""
        seat = self.turn
        if seat is None:
            raise GameOver(self.outcome)
        way, own, opposing = WAYS[seat].get(move), self.men[seat], self.men[1 - seat]
        if way is None or not own >> way.origin & 1:
            raise self._no_step(seat, move)
        _, _, sideways, landing = way
        if landing & (own | opposing | barred(opposing)) or (sideways and self.markers[seat] == MOST):
            obstacle = self._obstacle(seat, way)
            if obstacle is not None:
                raise self._refusal(obstacle, seat, move)
        men, new = self._exchanged(seat, way)
        marker = self.markers[seat] + 1 if sideways and not new else 0
        markers = (marker, self.markers[1]) if seat == 0 else (self.markers[0], marker)
        return self._after(seat, men, markers, is_exchange=bool(new))

    def _exchanged(self, seat: Seat, way: Way) -> tuple[Both, tuple[int, ...]]:
        before = self.men[seat]
        stepped = before ^ (1 << way.origin) ^ way.landing
        own, opposing, new = exchanged(stepped, self.men[1 - seat], way.target, self.each - before.bit_count())
        return ((own, opposing) if seat == 0 else (opposing, own)), new

    def _after(self, seat: Seat, men: Both, markers: tuple[int, int], *, is_exchange: bool) -> Self:
        outcome = self._ended(seat, men, is_exchange=is_exchange)
        if outcome is not None:
            return type(self)(self.each, None, men, markers, self.seen, outcome)
        seen = self.seen.with_(men)
        after = type(self)(self.each, other(seat), men, markers, seen)
        if after.can_move(other(seat)):
            return after
        if after.can_move(seat):
            return type(self)(self.each, seat, men, markers, seen, None, other(seat))
        return type(self)(self.each, None, men, markers, seen, Outcome(None, "neither side can move"))

    def _ended(self, seat: Seat, men: Both, *, is_exchange: bool) -> Outcome | None:
        """Return how a turn of the seat that led to this arrangement ends the game; None if it doesn't.

        Quadrature, object of the game, and basic moves: an arrangement that occurs a second time is a draw,
        whatever the markers show and whichever side is to move.
        """
        goal = GOAL_CELLS[seat]
        if is_exchange and (left := men[1 - seat].bit_count()) <= FEW:
            few = "two men" if left == FEW else "one man" if left else "no man"
            return Outcome(seat, f"{SIDES[1 - seat]} has only {few} left on the board")
        if men[seat] & goal == goal:
            return Outcome(seat, f"{SIDES[seat]} has men on {together(GOALS[seat])}")
        if self.seen.count(men):
            return Outcome(None, "the men are where they were once before")
        return None

    # Searching ------------------------------------------------------------------------------------

    def state(self) -> QuadratureState:
        winner = self.outcome.winner if self.outcome else None
        return QuadratureState(self.each, self.turn, self.men, self.markers, self.seen, lead_of(self.men), winner)

    # Refusing -------------------------------------------------------------------------------------

    def _no_step(self, seat: Seat, move: Step) -> IllegalMove:
        for cell in move:
            if cell not in PLACES:
                return IllegalMove(Reason.OFF_BOARD, cell=cell, token=str(move))
        (column, row), (to_column, to_row) = PLACES[move.origin], PLACES[move.target]
        if self.men[1 - seat] >> INDEX[move.origin] & 1:
            return self._refusal(Reason.OPPONENT, seat, move)
        if not self.men[seat] >> INDEX[move.origin] & 1:
            return self._refusal(Reason.EMPTY, seat, move)
        backward = to_row - row == -FORWARD[seat] and abs(to_column - column) <= 1
        return self._refusal(Reason.BACKWARD if backward else Reason.NOT_A_STEP, seat, move)

    def _refusal(self, reason: Reason, seat: Seat, move: Step) -> IllegalMove:
        target = INDEX[move.target]
        return IllegalMove(
            reason,
            token=str(move),
            cell=move.origin,
            target=move.target,
            side=SIDES[seat],
            other=SIDES[1 - seat],
            way=("up", "down")[seat],
            holder=SIDES[seat if self.men[seat] >> target & 1 else 1 - seat],
            corners=together(sorted(NAMES[cell] for cell in corners(self.men[1 - seat], target))),
            instead=self._instead(seat, move),
        )

    def _instead(self, seat: Seat, move: Step) -> str:
        legal = list(self._turns(seat))
        targets = sorted(turn.target for turn in legal if turn.origin == move.origin)
        if targets:
            return f"{move.origin} can go to {either(targets)}"
        origins = sorted(turn.origin for turn in legal if turn.target == move.target)
        if self.men[seat] >> INDEX[move.origin] & 1:
            return f"{move.origin} cannot move now, and {legal[0]} would be legal"
        if origins:
            return f"{either(origins)} can go to {move.target}"
        return f"{legal[0]} would be legal"

    # Drawing --------------------------------------------------------------------------------------

    def diagram(self, last: Played[Self, Step] | None = None) -> Diagram:
        """Return the board with Black's men #, White's O, and a comma for empty goal squares.

        The notes give both markers and reserves, the men exchanged in the last turn, and a side that sits out.
        """
        marks = {cell: "," for goal in GOALS for cell in goal}
        for men, mark in zip(self.men, MARKS, strict=True):
            marks |= dict.fromkeys(squares_of(men), mark)
        rows = tuple((label, tuple((cell, marks.get(cell, ".")) for cell in cells)) for label, cells in ROWS)
        squared = () if last is None else last.before._squared(last.move)  # noqa: SLF001 - the same class
        lit = frozenset(() if last is None else (*last.move, *squared))
        notes, remarks = tuple(self._notes(squared)), tuple(self._remarks(squared))
        left = frozenset(() if last is None else (last.move.origin,))
        told = "" if last is None else last_move(last.move.spoken)
        return Diagram("square", square.columns(SIZE), rows, lit, notes, remarks, LEGEND, left, told)

    def _squared(self, turn: Step) -> tuple[str, ...]:
        if self.turn is None:
            return ()
        return tuple(NAMES[cell] for cell in self._exchanged(self.turn, WAYS[self.turn][turn])[1])

    def _notes(self, squared: tuple[str, ...]) -> Iterator[str]:
        for seat in SEATS:
            yield f"{SIDES[seat]} {MARKS[seat]}  |{self.markers[seat]}|  reserve {self.reserve(seat)}"
        if squared:
            words = [f"{cell}," for cell in squared[:-2]] + [together(squared[-2:])]
            for start in range(0, len(words), IN_A_NOTE):
                yield f"{'        ' if start else 'squared '}{' '.join(words[start : start + IN_A_NOTE])}"
        if self.sitting_out is not None:
            yield f"{SIDES[self.sitting_out]} has no move and sits out"

    def _remarks(self, squared: tuple[str, ...]) -> Iterator[str]:
        for seat in SEATS:
            side = SIDES[seat]
            yield f"{side}'s marker shows {self.markers[seat]}, and {side} has {self.reserve(seat)} in reserve."
        if squared:
            yield f"The last turn squared {together(squared)}."
        if self.sitting_out is not None:
            yield f"{SIDES[self.sitting_out]} has no move and sits out."
