"""What an arbiter makes of a turn of Quadraphages or Hexaphages that was written down with slips."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from engines.core import Seat
from engines.phages import PhagesPosition, Reason, Turn
from engines.phages.board import BOARDS, MOVERS, SIDES, Board, Step, bits
from engines.phages.refusals import step_refusal
from engines.wording import either


class Fault(NamedTuple):
    """A slip in a turn: the word where it is, what is wrong there, and how it was taken."""

    token: str
    why: str


def arbitrate(
    position: PhagesPosition, seat: Seat, first: Sequence[Step], number: int, second: Sequence[Step]
) -> tuple[PhagesPosition, tuple[Fault, ...]]:
    """The position after a turn as it was meant, and every slip in it; the steps come as they were typed.

    The three records, tolerant replay: the stone meant is the unmoved one that can legally reach the written
    target, else the one that stands on the target already. Where that still leaves a choice it is the one
    on the written origin, else the first unmoved in reading order. The written origin and the cell where the
    stone really stood are marked, and it goes to the target.
    """
    faults: list[Fault] = []
    if position.turn is None:
        over = Reason.GAME_OVER.value.format(outcome=position.outcome.reason if position.outcome else "")
        faults.append(Fault(str(number), f"{over}; the turn is played all the same"))
    here = replace(position, turn=seat, outcome=None, part=None)
    if here.number is not None:
        here = _operated(here, 1, here.number, first, faults)
    elif first:
        why = "the first turn of the game has no operation 1; it is left out"
        faults.append(Fault(str(first[0]), why))
    if not here.can_move(number) and number not in here.numbers():
        fits = either(map(str, here.numbers()))
        why = Reason.NUMBER_IDLE.value.format(number=number, side=SIDES[seat], fits=fits)
        faults.append(Fault(str(number), why))
    here = _operated(here, 3, number, second, faults)
    last = Turn(tuple(sorted(first)), number, tuple(sorted(second)))
    after = replace(here, turn=1 if seat == 0 else 0, number=number, last=last)
    return after if second else after.settled(), tuple(faults)


def _operated(
    here: PhagesPosition, operation: int, number: int, steps: Sequence[Step], faults: list[Fault]
) -> PhagesPosition:
    """The position after an operation as it was meant; its slips are added to the faults."""
    board = BOARDS[here.game]
    seat: Seat = 1 if here.turn == 1 else 0
    hostile = bits(here.stones[1 - seat])
    marks, waiting = list(here.marks), list(here.stones[seat])
    done: list[Step] = []
    for step in steps:
        landed = [board.index[earlier.target] for earlier in done]
        closed = marks[0] | marks[1] | hostile | bits(waiting) | bits(landed)
        target = board.index.get(step.target)
        able = [
            cell for cell in waiting if target is not None and target in board.reachable(cell, number, hostile, closed)
        ]
        origin = board.index.get(step.origin)
        cell = origin if origin in able else _meant(waiting, able, origin, target)
        if cell is None or cell != origin or origin not in able:
            marked = marks[0] | marks[1]
            refusal = step_refusal(board, here.stones, marked, seat, operation, number, done, step)
            faults.append(Fault(str(step), f"{refusal}; {_taken(board, step, cell)}"))
        if cell is None or target is None:
            continue
        waiting.remove(cell)
        left = bits({cell, cell if origin is None else origin})
        marks[seat] |= left
        marks[1 - seat] &= ~left
        done.append(Step(board.names[cell], step.target))
    landed = [board.index[earlier.target] for earlier in done]
    _find_idle(board, operation, number, waiting, landed, hostile, marks, faults)
    own = tuple(sorted(waiting + landed))
    stones = (here.stones[0], own) if seat else (own, here.stones[1])
    return replace(here, stones=stones, marks=(marks[0], marks[1]))


def _meant(waiting: list[int], able: list[int], origin: int | None, target: int | None) -> int | None:
    """The stone meant by a step that is not legal as it is written; None where there is none."""
    if target is None:
        return None
    for cells in (able, [target], [origin], sorted(waiting)):
        for cell in cells:
            if cell in waiting:
                return cell
    return None


def _taken(board: Board, step: Step, cell: int | None) -> str:
    """How a slip was taken, in words."""
    if cell is None:
        return "it is left out"
    if board.names[cell] == step.origin:
        return "it is played all the same"
    if board.names[cell] == step.target:
        return f"the stone on {step.target} stays there"
    return f"{board.names[cell]}{step.target} is meant"


def _find_idle(
    board: Board,
    operation: int,
    number: int,
    waiting: list[int],
    landed: list[int],
    hostile: int,
    marks: list[int],
    faults: list[Fault],
) -> None:
    """Add a fault for each stone that stays in an operation though it could move."""
    closed = marks[0] | marks[1] | hostile | bits(waiting) | bits(landed)
    owed = MOVERS - len(landed)
    for cell in board.by_name(waiting):
        targets = board.named(board.reachable(cell, number, hostile, closed))
        if targets and owed > 0:
            owed -= 1
            name = board.names[cell]
            why = Reason.MUST_MOVE.value.format(cell=name, number=number, operation=operation, target=targets[0])
            faults.append(Fault("----", f"{why}; it stays"))
