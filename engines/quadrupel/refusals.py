"""Why a turn of Quadrupel is refused, and what would work instead.

No refusal depends on which figures stand or could be formed, except that of a turn that announces one itself:
in strict mode nothing tells players of a chance that they haven't seen.
"""

from engines import core
from engines.core import IllegalMove, Seat
from engines.quadrupel.board import INDEX, JUMPS, NAMES, SIDES, START, named, reach
from engines.quadrupel.turns import Dots, Move, Ones, Turn
from engines.quadrupel.variant import SetUp, Stones, squares_of
from engines.wording import either, together


class Reason(core.Reason):
    NOTHING_TO_SET_UP = "nothing is set up in this variant; a turn moves a stone, for example {fits}"
    SET_UP_ALREADY = "the stones are already set up; a turn now moves one of them, for example {fits}"
    SET_UP_FIRST = "{side} has to set up the stones first, for example with {fits}"
    DOTS_WANTED = "the set-up says how many dots each of the stones on {stones} has, for example {fits}"
    ONES_WANTED = "the set-up says on which two of {stones} the 1-stones stand, for example {fits}"
    DOTS_AMISS = "{token} does not use each of 1, 2, 3 and 4 once, as {fits} does"
    ONE_TWICE = "{token} is there twice, but the 1-stones stand on two of {stones}"
    ONE_ELSEWHERE = "{token} is not one of {side}'s start squares; the 1-stones stand on two of {stones}"
    ONES_AMISS = "the 1-stones stand on two of {stones}, not on {number}"
    OFF_BOARD = "{square} is not on this board, which goes from a1 to f6"
    EMPTY = "there is no stone on {origin}; {side}'s stones are on {stones}"
    OPPONENT = "the stone on {origin} is {other}'s; {side}'s stones are on {stones}"
    NO_WAY = "{origin}{target} ends where it starts; {instead}"
    OCCUPIED = "{holder} already has a stone on {square}; {instead}"
    DIAGONAL_STEP = "{origin} and {target} only touch at a corner, but a step goes along a row or column; {instead}"
    NOTHING_TO_JUMP = "from {start} to {square} it would jump over {over}, but there is no stone; {instead}"
    NO_JUMP = (
        "from {start} to {square} is not a jump over one adjacent stone, but a path of several parts "
        "consists of such jumps; {instead}"
    )
    OUT_OF_REACH = "no step and no jumps over adjacent stones lead from {origin} to {target}; {instead}"
    BACK_AND_FORTH = (
        "the stone on {origin} has gone back and forth between {target} and {origin} twice, "
        "so it may not go to {target} now; {instead}"
    )
    NO_SWAP = "stones can only be swapped by White in answer to Black's first move, and not with swap=off; move a stone"
    NO_FIGURE = "{origin}{target} does not end in {goal}; without the announcement it can be played"


def turn_refusal(stones: tuple[Stones, Stones], seat: Seat, turn: Turn, barred: tuple[int, int] | None) -> IllegalMove:
    """`barred` is the move that would go back and forth once too often."""
    held = tuple(map(squares_of, stones))
    names: dict[str, object] = {
        "token": turn.origin + turn.target,
        "origin": turn.origin,
        "target": turn.target,
        "side": SIDES[seat],
        "other": SIDES[1 - seat],
        "stones": together(named(held[seat])),
    }
    for square in (turn.origin, *turn.via, turn.target):
        if square not in INDEX:
            return IllegalMove(Reason.OFF_BOARD, **names, square=square)
    origin, target = INDEX[turn.origin], INDEX[turn.target]
    if held[1 - seat] >> origin & 1:
        return IllegalMove(Reason.OPPONENT, **names)
    if not held[seat] >> origin & 1:
        return IllegalMove(Reason.EMPTY, **names)

    occupied = held[0] | held[1]
    open_to_it = reach(origin, occupied)
    if barred is not None and barred[0] == origin:
        open_to_it &= ~(1 << barred[1])
    names["instead"] = _instead(turn.origin, open_to_it)
    if turn.via and (refusal := _path_refusal(held, origin, turn, names)):
        return refusal
    if origin == target:
        return IllegalMove(Reason.NO_WAY, **names)
    for side, squares in zip(SIDES, held, strict=True):
        if squares >> target & 1:
            return IllegalMove(Reason.OCCUPIED, **names, square=turn.target, holder=side)
    if (origin, target) == barred:
        return IllegalMove(Reason.BACK_AND_FORTH, **names)
    over = _between(origin, target)
    if over is not None and not occupied >> over & 1:
        ends = {"start": turn.origin, "square": turn.target, "over": NAMES[over]}
        return IllegalMove(Reason.NOTHING_TO_JUMP, **names, **ends)
    if _touch_at_a_corner(turn.origin, turn.target):
        return IllegalMove(Reason.DIAGONAL_STEP, **names)
    return IllegalMove(Reason.OUT_OF_REACH, **names)


def goes_by_jumps(origin: int, turn: Turn, occupied: int) -> bool:
    others, here = occupied & ~(1 << origin), origin
    for name in (*turn.via, turn.target):
        target = INDEX.get(name, -1)
        if not any(jump.target == target and others & jump.over and not others & jump.landing for jump in JUMPS[here]):
            return False
        here = target
    return True


def _path_refusal(held: tuple[int, ...], origin: int, turn: Turn, names: dict[str, object]) -> IllegalMove | None:
    others = (held[0] | held[1]) & ~(1 << origin)
    here = origin
    for name in (*turn.via, turn.target):
        square = INDEX[name]
        for side, squares in zip(SIDES, held, strict=True):
            if squares & ~(1 << origin) & 1 << square:
                return IllegalMove(Reason.OCCUPIED, **names, square=name, holder=side)
        over = _between(here, square)
        if over is None:
            return IllegalMove(Reason.NO_JUMP, **names, start=NAMES[here], square=name)
        if not others >> over & 1:
            return IllegalMove(Reason.NOTHING_TO_JUMP, **names, start=NAMES[here], square=name, over=NAMES[over])
        here = square
    return None


def set_up_refusal(seat: Seat, wanted: SetUp, move: Move) -> IllegalMove | None:
    """`wanted` is what the players set up in the variant."""
    squares = START[seat]
    names: dict[str, object] = {"side": SIDES[seat], "fits": example(seat, wanted)}
    if wanted == "dots":
        names["stones"] = together(squares)
        if not isinstance(move, Dots):
            return IllegalMove(Reason.DOTS_WANTED, **names)
        if sorted(move.dots) != [1, 2, 3, 4]:
            return IllegalMove(Reason.DOTS_AMISS, **names, token="".join(map(str, move.dots)))
        return None
    names["stones"] = either(squares)
    if not isinstance(move, Ones):
        return IllegalMove(Reason.ONES_WANTED, **names)
    for number, square in enumerate(move.squares):
        if square not in squares:
            return IllegalMove(Reason.ONE_ELSEWHERE, **names, token=square)
        if square in move.squares[:number]:
            return IllegalMove(Reason.ONE_TWICE, **names, token=square)
    if len(move.squares) != 2:
        return IllegalMove(Reason.ONES_AMISS, **names, number=len(move.squares))
    return None


def example(seat: Seat, wanted: SetUp) -> Move:
    return Dots((4, 1, 2, 3)) if wanted == "dots" else Ones(START[seat][:2])


def _between(origin: int, target: int) -> int | None:
    for jump in JUMPS[origin]:
        if jump.target == target:
            return jump.over.bit_length() - 1
    return None


def _touch_at_a_corner(origin: str, target: str) -> bool:
    return abs(ord(origin[0]) - ord(target[0])) == 1 == abs(int(origin[1]) - int(target[1]))


def _instead(origin: str, targets: int) -> str:
    if not targets:
        return f"the stone on {origin} can't go anywhere now"
    return f"{origin} can go to {either(named(targets))}"
