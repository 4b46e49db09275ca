"""Playing a turn of Quadraphages or Hexaphages that was written down with slips, as an arbiter would."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from engines.bitboard import bits
from engines.core import GameOver, Seat
from engines.phages.board import BOARDS, SIDES, Board
from engines.phages.position import PhagesPosition
from engines.phages.refusals import Reason, step_refusal
from engines.phages.turns import MOVERS
from engines.seats import other, with_entry
from engines.step import Step
from engines.wording import either


class Correction(NamedTuple):
    """A slip in a turn: the word that has it, what is wrong there, and how it was taken."""

    token: str
    why: str


def corrected(
    position: PhagesPosition, seat: Seat, first: Sequence[Step], number: int, second: Sequence[Step]
) -> tuple[PhagesPosition, tuple[Correction, ...]]:
    """Return the position after a turn as it was meant, and every slip in it; the steps come as they were typed.

    Ruling, tolerant replay of the three records: the stone meant is the unmoved one that can legally reach the
    written target, or else the one already on the target. If several fit, it is the one on the written origin,
    or else the first unmoved stone in reading order. It goes to the target, and marks both the written origin
    and the cell where it really stood.
    """
    slips: list[Correction] = []
    if position.turn is None:
        over = GameOver(position.outcome)
        slips.append(Correction(str(number), f"{over}; the turn is played all the same"))
    here = replace(position, turn=seat, outcome=None, part=None)
    if here.number is not None:
        here = _operated(here, seat, 1, here.number, first, slips)
    elif first:
        why = "the first turn of the game has no operation 1; it is left out"
        slips.append(Correction(str(first[0]), why))
    if not here.can_move(number) and number not in here.numbers():
        fits = either(map(str, here.numbers()))
        why = Reason.NUMBER_IDLE.value.format(number=number, side=SIDES[seat], fits=fits)
        slips.append(Correction(str(number), why))
    here = _operated(here, seat, 3, number, second, slips)
    after = replace(here, turn=other(seat), number=number)
    return after if second else after.settled(), tuple(slips)


def _operated(
    here: PhagesPosition, seat: Seat, operation: int, number: int, steps: Sequence[Step], slips: list[Correction]
) -> PhagesPosition:
    """Return the position after an operation as it was meant, and add what is wrong with it to the slips."""
    board = BOARDS[here.game]
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
            slips.append(Correction(str(step), f"{refusal}; {_taken(board, step, cell)}"))
        if cell is None or target is None:
            continue
        waiting.remove(cell)
        left = bits({cell, cell if origin is None else origin})
        marks[seat] |= left
        marks[1 - seat] &= ~left
        done.append(Step(board.names[cell], step.target))
    landed = [board.index[earlier.target] for earlier in done]
    _find_idle(board, operation, number, waiting, landed, hostile, marks, slips)
    own = tuple(sorted(waiting + landed))
    return replace(here, stones=with_entry(here.stones, seat, own), marks=(marks[0], marks[1]))


def _meant(waiting: list[int], able: list[int], origin: int | None, target: int | None) -> int | None:
    """Return the stone meant by a step that isn't legal as written; None if there is none."""
    if target is None:
        return None
    for cells in (able, [target], [origin], sorted(waiting)):
        for cell in cells:
            if cell in waiting:
                return cell
    return None


def _taken(board: Board, step: Step, cell: int | None) -> str:
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
    slips: list[Correction],
) -> None:
    closed = marks[0] | marks[1] | hostile | bits(waiting) | bits(landed)
    owed = MOVERS - len(landed)
    for cell in board.by_name(waiting):
        targets = board.named(board.reachable(cell, number, hostile, closed))
        if targets and owed > 0:
            owed -= 1
            name = board.names[cell]
            why = Reason.MUST_MOVE.value.format(cell=name, number=number, operation=operation, target=targets[0])
            slips.append(Correction("----", f"{why}; it stays"))
