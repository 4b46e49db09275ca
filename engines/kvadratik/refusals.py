"""Why a turn of Kvadratik is refused, and what would work instead."""

from collections.abc import Iterable, Sequence

from engines import core
from engines.core import IllegalMove, Seat
from engines.kvadratik.board import (
    DISCS,
    FIRST_ROWS,
    HALF_ROWS,
    HALVES,
    INDEX,
    OWN,
    PLACED,
    SHOWN,
    SIDES,
    STEPS,
    names,
    open_squares,
    turned,
    uncovered,
    written,
)
from engines.kvadratik.turns import Bonus, Disc, Setup
from engines.step import Step
from engines.wording import either, together


class Reason(core.Reason):
    SETUP_DUE = "{side} has to set up four discs first, for example {fits}"
    SETUP_DONE = "the discs are already set up; a turn is now a move, for example {fits}"
    SETUP_ROW = (
        "the discs are set up in the first row (setup=row), so write only the sides that they show, "
        "from a to d, for example {fits}"
    )
    SETUP_HALF = (
        "the discs are set up anywhere in {side}'s half (setup=half), so write each with its square, for example {fits}"
    )
    SETUP_COUNT = "four discs are set up, not {count}, for example {fits}"
    SETUP_TWICE = "two discs can't both be set up on {cell}; {fits}, for example, is possible"
    SETUP_OUTSIDE = "{cell} is not in {side}'s half, {half}; {fits}, for example, is possible"
    SIDE_UNKNOWN = "a disc shows + or x, and {token} says neither"
    OFF_BOARD = "{cell} is not on this board, whose squares are a1 to d4"
    NO_RIGHT = (
        "{side} can't put a disc on {cell} first: none of {side}'s discs has been covered in {other}'s half since "
        "{side}'s last turn"
    )
    RIGHT_SPENT = "{token} is one disc too many: {rights} of {side}'s discs were covered in {other}'s half"
    NO_RESERVE = "{side} has no disc left in reserve for {cell}"
    NOT_FIRST_ROW = "{cell} is not in {side}'s first row, {row}; {instead}"
    NOT_EMPTY = "a disc from the reserve goes to an empty square, but {tower} is on {cell}; {instead}"
    PLACED_TWICE = "two discs from the reserve can't both go to {cell}; {instead}"
    NO_FLIPPING = "{token} turns a disc over, but discs are never flipped in this match (flip=none)"
    FLIPPED_TWICE = "the disc on {cell} is flipped twice; flip it once or not at all"
    EMPTY = "there is no disc on {cell}; {instead}"
    COVERED = "a covered disc can't be moved or flipped, and {other}'s is on top on {cell}; {instead}"
    OPPONENT = "the disc on {cell} is {other}'s; {instead}"
    NO_STEP = "the disc on {cell} shows {shown} and moves one step {way}, which {token} is not; {instead}"
    NOT_ENTERED = "{step} does not go from {side}'s half into {other}'s, so {bonus} can't follow"
    RESERVE_FIRST = (
        "{token} can't follow while {side} has discs in reserve: after entering, you put one of them down "
        "and move it; {instead}"
    )
    OTHER_DISC = "the disc just put on {cell} has to move, and {token} moves another; {instead}"
    OUTSIDE_HALF = "{token} is not a step inside {side}'s half, {half}: without a reserve, only such a step can follow"


# Setting up ----------------------------------------------------------------------------------------


def setup_refusal(seat: Seat, rule: str, setup: Setup) -> IllegalMove | None:
    names_of: dict[str, object] = {"side": SIDES[seat], "half": HALF_ROWS[seat], "fits": example_setup(seat, rule)}
    if set(setup.shown) - set(SHOWN):
        return IllegalMove(Reason.SIDE_UNKNOWN, token=setup.shown)
    if rule == "row" and setup.cells:
        first_row = sorted(names(FIRST_ROWS[seat]))
        if sorted(setup.cells) == first_row and len(setup.shown) == PLACED:
            by_cell = dict(zip(setup.cells, setup.shown, strict=True))
            names_of["fits"] = str(Setup((), "".join(by_cell[cell] for cell in first_row)))
        return IllegalMove(Reason.SETUP_ROW, **names_of)
    if rule == "half" and not setup.cells:
        if len(setup.shown) == PLACED:
            names_of["fits"] = str(Setup(tuple(names(FIRST_ROWS[seat])), setup.shown))
        return IllegalMove(Reason.SETUP_HALF, **names_of)
    if len(setup.shown) != PLACED or (setup.cells and len(setup.cells) != PLACED):
        return IllegalMove(Reason.SETUP_COUNT, **names_of, count=len(setup.cells or setup.shown))
    for number, cell in enumerate(setup.cells):
        token = f"{cell}{setup.shown[number]}"
        if cell not in INDEX:
            return IllegalMove(Reason.OFF_BOARD, cell=cell, token=token)
        if INDEX[cell] not in HALVES[seat]:
            return IllegalMove(Reason.SETUP_OUTSIDE, **names_of, cell=cell, token=token)
        if cell in setup.cells[:number]:
            return IllegalMove(Reason.SETUP_TWICE, **names_of, cell=cell, token=token)
    return None


def example_setup(seat: Seat, rule: str) -> str:
    return str(Setup(() if rule == "row" else tuple(names(FIRST_ROWS[seat])), "+x+x"))


# Parts of a turn -----------------------------------------------------------------------------------


def placing_refusal(towers: Sequence[str], seat: Seat, disc: Disc, rights: int, done: Sequence[Disc]) -> IllegalMove:
    if len(done) >= rights:
        details = {"cell": disc.cell, "token": f"@{disc}", "side": SIDES[seat], "other": SIDES[1 - seat]}
        return IllegalMove(Reason.RIGHT_SPENT if done else Reason.NO_RIGHT, **details, rights=rights)
    return _reserve_refusal(towers, seat, disc, [earlier.cell for earlier in done])


def _reserve_refusal(towers: Sequence[str], seat: Seat, disc: Disc, done: Sequence[str] = ()) -> IllegalMove:
    cell, open_now = INDEX.get(disc.cell), names(open_squares(towers, seat))
    row = names(FIRST_ROWS[seat])
    details: dict[str, object] = {
        "cell": disc.cell,
        "token": f"@{disc}",
        "side": SIDES[seat],
        "row": f"{row[0]} to {row[-1]}",
        "instead": f"{either(open_now)} would do" if open_now else "no square of that row is empty now",
    }
    if cell is None:
        return IllegalMove(Reason.OFF_BOARD, **details)
    if disc.shown not in SHOWN:
        return IllegalMove(Reason.SIDE_UNKNOWN, **details)
    if cell not in FIRST_ROWS[seat]:
        return IllegalMove(Reason.NOT_FIRST_ROW, **details)
    if disc.cell in done:
        return IllegalMove(Reason.PLACED_TWICE, **details)
    if towers[cell]:
        return IllegalMove(Reason.NOT_EMPTY, **details, tower=written(towers[cell]))
    return IllegalMove(Reason.NO_RESERVE, **details)


def flip_refusal(towers: Sequence[str], seat: Seat, cell: str, done: Iterable[str], *, allowed: bool) -> IllegalMove:
    token = f"~{cell}"
    if not allowed:
        return IllegalMove(Reason.NO_FLIPPING, token=token)
    if cell in done:
        return IllegalMove(Reason.FLIPPED_TWICE, token=token, cell=cell)
    return _not_own(towers, seat, cell, token)


def step_refusal(towers: Sequence[str], seat: Seat, step: Step, flippable: Iterable[str] = ()) -> IllegalMove:
    """Discs on `flippable` squares could still have been flipped before the step."""
    token = str(step)
    cell = INDEX.get(step.origin)
    if step.target not in INDEX:
        return IllegalMove(Reason.OFF_BOARD, token=token, cell=step.target)
    if cell is None or towers[cell][-1:] not in OWN[seat]:
        return _not_own(towers, seat, step.origin, token)
    disc = towers[cell][-1]
    instead = f"{step.origin} can go to {either(s.target for s in STEPS[disc][cell])}"
    if step.origin in flippable and step in STEPS[turned(disc)][cell]:
        instead += f", or {token} if ~{step.origin} flips it first"
    shown = "+" if disc.isupper() else "x"
    way = "along its row or column" if shown == "+" else "diagonally"
    return IllegalMove(Reason.NO_STEP, token=token, cell=step.origin, shown=shown, way=way, instead=instead)


def _not_own(towers: Sequence[str], seat: Seat, cell: str, token: str) -> IllegalMove:
    own = names(uncovered(towers, seat))
    details: dict[str, object] = {
        "token": token,
        "cell": cell,
        "other": SIDES[1 - seat],
        "instead": f"{SIDES[seat]}'s uncovered discs are on {together(own)}"
        if own
        else f"{SIDES[seat]} has no uncovered disc",
    }
    if cell not in INDEX:
        return IllegalMove(Reason.OFF_BOARD, **details)
    tower = towers[INDEX[cell]]
    if not tower:
        return IllegalMove(Reason.EMPTY, **details)
    return IllegalMove(Reason.COVERED if OWN[seat] & set(tower) else Reason.OPPONENT, **details)


def bonus_refusal(
    towers: Sequence[str], seat: Seat, reserve: int, step: Step, bonus: Bonus, *, entered: bool
) -> IllegalMove:
    """The board is the one after the step."""
    details: dict[str, object] = {
        "token": str(bonus).split()[0],
        "step": step,
        "bonus": bonus,
        "side": SIDES[seat],
        "other": SIDES[1 - seat],
        "half": HALF_ROWS[seat],
    }
    if not entered:
        return IllegalMove(Reason.NOT_ENTERED, **details)
    if bonus.disc is not None:
        cell = INDEX.get(bonus.disc.cell)
        if not reserve or bonus.disc.shown not in SHOWN or cell not in open_squares(towers, seat):
            return _reserve_refusal(towers, seat, bonus.disc)
        put = list(towers)
        put[cell] = DISCS[seat][bonus.disc.shown]
        if bonus.step.origin != bonus.disc.cell:
            ways = either(map(str, STEPS[put[cell]][cell]))
            details |= {"token": str(bonus.step), "cell": bonus.disc.cell, "instead": f"{ways} would do"}
            return IllegalMove(Reason.OTHER_DISC, **details)
        return step_refusal(put, seat, bonus.step)
    if reserve:
        squares = names(open_squares(towers, seat))
        instead = f"it can go to {either(squares)}" if squares else "no square of the first row is empty now"
        return IllegalMove(Reason.RESERVE_FIRST, **details, instead=instead)
    origin, target = (INDEX.get(cell) for cell in bonus.step)
    if origin is not None and target is not None and not {origin, target} <= HALVES[seat]:
        return IllegalMove(Reason.OUTSIDE_HALF, **details)
    return step_refusal(towers, seat, bonus.step)
