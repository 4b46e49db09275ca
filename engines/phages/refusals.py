"""Why a turn of Quadraphages or Hexaphages is refused, and what would work instead."""

from collections.abc import Sequence

from engines import core
from engines.bitboard import bits
from engines.core import IllegalMove, Seat
from engines.phages.board import SIDES, Board
from engines.step import Step
from engines.wording import either, together


class Reason(core.Reason):
    NO_FIRST_OPERATION = (
        "the first turn of the game has no operation 1, only a number and operation 3, for example {fits}"
    )
    NUMBER_MISSING = "the number between operation 1 and operation 3 is missing, as in {fits}"
    NOT_BEGUN = "both stones must move first, and a number comes before {steps}; a whole turn is, for example, {fits}"
    BEGUN_OTHERWISE = (
        "you have already sent the first part of this turn, {begun}; only operation 3 is left, for example {fits} "
        "(undo takes the first part back)"
    )
    NUMBER_RANGE = "{number} is out of range: choose a number from 1 to 8"
    NUMBER_IDLE = "with {number}, no stone of {side} could move; it could with {fits}"
    OFF_BOARD = "{cell} is not on this board; {side}'s stones are on {stones}"
    EMPTY = "there is no stone on {cell}; {side}'s stones are on {stones}"
    OPPONENT = "the stone on {cell} is {other}'s; {side}'s stones are on {stones}"
    TWICE = "a stone moves only once in an operation, and {token} would move the one from {cell} again"
    NOT_STRAIGHT = "{token} is not a straight line: a stone moves {directions}; {instead}"
    DISTANCE = "{token} goes {distance}, but stones move exactly {number} in operation {operation}; {instead}"
    BLOCKED = "{token} jumps over {other}'s stone on {at}; {instead}"
    MARKED = "{target} is marked already; {instead}"
    OCCUPIED = "{holder} already has a stone on {target}; {instead}"
    SAME_TARGET = "two stones can't both go to {target}; {instead}"
    TOO_MANY = "operation {operation} moves two stones at most, and {token} would be the third"
    MUST_MOVE = (
        "operation {operation} is incomplete: the stone on {cell} can still move {number}, for example to {target}"
    )


def step_refusal(
    board: Board,
    stones: tuple[tuple[int, ...], tuple[int, ...]],
    marked: int,
    seat: Seat,
    operation: int,
    number: int,
    done: Sequence[Step],
    step: Step,
    to_come: Sequence[Step] = (),
) -> IllegalMove:
    """The step is between the steps `done` and those `to_come` in the same operation."""
    origin, target = step
    names: dict[str, object] = {
        "operation": operation,
        "token": str(step),
        "late": operation == 3,
        "number": number,
        "cell": origin,
        "target": target,
        "side": SIDES[seat],
        "other": SIDES[1 - seat],
        "stones": together(board.named(stones[seat])),
        "directions": board.directions,
    }
    for cell in step:
        if cell not in board.index:
            return IllegalMove(Reason.OFF_BOARD, **{**names, "cell": cell})
    for earlier in done:
        if origin in earlier:
            return IllegalMove(Reason.TWICE, **{**names, "cell": earlier.origin})
    start, end = board.index[origin], board.index[target]
    for later in to_come:
        if origin == later.target and start not in stones[seat]:
            return IllegalMove(Reason.TWICE, **{**names, "cell": later.origin})
    if start in stones[1 - seat]:
        return IllegalMove(Reason.OPPONENT, **names)
    if start not in stones[seat]:
        return IllegalMove(Reason.EMPTY, **names)

    hostile, taken = bits(stones[1 - seat]), {board.index[earlier.target] for earlier in done}
    closed = marked | hostile | bits(stones[seat]) | bits(taken)
    names["instead"] = _instead(board, origin, number, hostile, closed)
    line = board.lines.get(step)
    if line is None:
        return IllegalMove(Reason.NOT_STRAIGHT, **names)
    if line.distance != number:
        return IllegalMove(Reason.DISTANCE, **names, distance=line.distance)
    if line.between & hostile:
        in_the_way = (c for c in stones[1 - seat] if line.between >> c & 1)
        at = min(in_the_way, key=lambda cell: board.lines[origin, board.names[cell]].distance)
        return IllegalMove(Reason.BLOCKED, **names, at=board.names[at])
    if end in taken:
        return IllegalMove(Reason.SAME_TARGET, **names)
    for holder, held in zip(SIDES, stones, strict=True):
        if end in held:
            return IllegalMove(Reason.OCCUPIED, **names, holder=holder)
    return IllegalMove(Reason.MARKED, **names)


def _instead(board: Board, origin: str, number: int, hostile: int, closed: int) -> str:
    targets = board.named(board.reachable(board.index[origin], number, hostile, closed))
    if not targets:
        return f"the stone on {origin} can't move {number} now"
    return f"{origin} can go to {either(targets)}"
