"""What the mails say to the player to move in Kvadratik."""

from collections.abc import Iterator
from typing import Any

from engines.core import Position, Seat
from engines.kvadratik import Bonus, Disc, KvadratikPosition
from engines.kvadratik.board import (
    ENTERING,
    FIRST_ROWS,
    HALF_ROWS,
    MARKS,
    NAMES,
    STEPS,
    names,
    open_squares,
    uncovered,
)
from engines.wording import either, together
from notation.hints import Hint, Passage


def hint(position: Position[Any]) -> Hint | None:
    """Return what the player to move can write now; None when the game is over."""
    assert isinstance(position, KvadratikPosition)  # noqa: S101 - the registries pair games and notations
    if position.turn is None:
        return None
    passage = _of_setup(position.turn, position) if position.setting_up else _of_turn(position.turn, position)
    return Hint((passage,), str(next(position.moves())), sets_up=position.setting_up)


def _of_setup(seat: Seat, here: KvadratikPosition) -> Passage:
    """Return how the discs are set up."""
    if here.setup == "row":
        return Passage(
            f"Before your first move, set up four discs on {together(names(FIRST_ROWS[seat]))}: write setup and the "
            "side that each shows, + for orthogonal or x for diagonal steps."
        )
    return Passage(
        f"Before your first move, set up four discs anywhere in {HALF_ROWS[seat]}: write setup, and each square with "
        "the side that its disc shows, + for orthogonal or x for diagonal steps."
    )


def _of_turn(seat: Seat, here: KvadratikPosition) -> Passage:
    """Return where the discs can go, and what else the turn can have."""
    notes = tuple(_notes(seat, here))
    own = uncovered(here.towers, seat)
    if not own:
        return Passage("", (), notes)
    choices = tuple(f"{_mark(here, cell)} on {NAMES[cell]} to {_targets(here, cell)}" for cell in own)
    flips = ", before any flips" if here.flip == "any" else ""
    return Passage(f"What your uncovered discs can do{flips}:", choices, notes)


def _notes(seat: Seat, here: KvadratikPosition) -> Iterator[str]:
    """Yield what the turn can have besides the move."""
    squares, placeable = open_squares(here.towers, seat), here.placeable(seat)
    own = uncovered(here.towers, seat)
    if placeable:
        first = NAMES[squares[0]]
        number = f"up to {placeable} discs" if placeable > 1 else "a disc"
        yield f"first, for what was covered: {number} from the reserve on {either(names(squares))}"
        yield f"such a disc is written @{first}+ or @{first}x{'' if own else '; you need it to have a move'}"
    if here.flip == "any" and (own or placeable):
        yield f"before the move: ~{NAMES[(own or squares)[0]]} turns a disc over"
    if any(step in ENTERING[seat] for cell in own for table in ("B", "b") for step in STEPS[table][cell]):
        row, beyond = ("3", "2") if seat == 0 else ("2", "3")
        if here.reserves[seat] and squares:
            yield f"after a move from row {row} to row {beyond}: a new disc from the reserve"
            yield f"it moves at once: {_added(squares[0])}"
        elif not here.reserves[seat]:
            yield f"after a move from row {row} to row {beyond}: one more move, inside your half"


def _added(cell: int) -> Bonus:
    """Return a way to put a disc on that square and move it."""
    return Bonus(Disc(NAMES[cell], "+"), STEPS["B"][cell][0])


def _mark(here: KvadratikPosition, cell: int) -> str:
    return MARKS[here.towers[cell][-1]]


def _targets(here: KvadratikPosition, cell: int) -> str:
    return either(step.target for step in STEPS[here.towers[cell][-1]][cell])
