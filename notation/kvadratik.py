"""How turns of Kvadratik are written: `setup +x+x`, and `@a4+ ~b4 b4b3 @c4x c4d3` with the parts that apply."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

from engines.core import Position, Seat
from engines.kvadratik import Bonus, Disc, KvadratikPosition, Move, Setup, Turn
from engines.kvadratik.board import (
    ENTERING,
    FIRST_ROWS,
    HALF_ROWS,
    INDEX,
    MARKS,
    NAMES,
    PLACED,
    ROWS,
    STEPS,
    names,
    open_squares,
    uncovered,
)
from engines.step import Step
from engines.wording import either, together
from notation.core import BadNotation, Notation
from notation.hints import Hint, Passage
from notation.tokens import CELL, DASH, STEP, check_end_of_cell, check_length, refuse_cell, skip

EXAMPLE = "~a3 b3b2 @c4x c4d3"
ROW_SETUP = "setup +x+x"
HALF_SETUP = "setup a4+ b4x c3+ d4x"
BASICS = (
    "Write where a disc stands and where it goes. A disc that shows + goes one square along its row or column, and one "
    "that shows x goes one square diagonally."
)

_SHOWN = "[+xX\u00d7]"  # some phones write the multiplication sign
_SETUP = re.compile(rf"[sS][eE][tT][{DASH}\s]?[uU][pP]\b:?+")
_SIDE = re.compile(_SHOWN)
_DISC = re.compile(rf"(?P<cell>{CELL})\s*+(?P<shown>{_SHOWN})")
_WORD = re.compile(rf"@\s*+(?P<put>{CELL})\s*+(?P<shown>{_SHOWN})|~\s*+(?P<flipped>{CELL})|{STEP}")
_BEGUN = re.compile(rf"(?P<sign>[@~]?)\s*+(?P<cell>{CELL})?+\s*+")
_GAP = re.compile(r"[\s,;.]*+")


class KvadratikNotation(Notation[Move]):
    __slots__ = ()

    @property
    def help(self) -> str:
        return (
            f"first the set-up, {ROW_SETUP}; then turns, with what applies in this order: "
            f"new discs (@a4+), flips (~b4), the move, and what entering adds (c3c4): {EXAMPLE}"
        )

    def parse(self, text: str) -> Move:
        """Return the turn that a text says, whatever the position; raise BadNotation.

        >>> KVADRATIK.parse("~A3; b3-b2.")
        Turn(placed=(), flipped=('a3',), step=Step(origin='b3', target='b2'), bonus=None)
        >>> KVADRATIK.parse("setup c3+, a4+, b4x, d4x").cells
        ('a4', 'b4', 'c3', 'd4')
        """
        check_length(text)
        start = skip(_GAP, text, 0)
        setup = _SETUP.match(text, start)
        return _setup(text, skip(_GAP, text, setup.end())) if setup else _turn(text, start)

    def format(self, move: Move, position: Position[Any]) -> str:
        """Return the canonical text: discs and flips sorted by square."""
        if isinstance(move, Setup) and len(move.cells) == len(move.shown):
            discs = sorted(zip(move.cells, move.shown, strict=True))
            return str(Setup(tuple(cell for cell, _ in discs), "".join(shown for _, shown in discs)))
        return str(move)

    def listed(self, position: Position[Any]) -> Iterator[Move]:
        assert isinstance(position, KvadratikPosition)  # noqa: S101 - the registries pair games and notations
        return position.distinct_moves()

    def midway(self, chosen: str, position: Position[Any]) -> Position[Any]:
        assert isinstance(position, KvadratikPosition)  # noqa: S101 - the registries pair games and notations
        if setup := _SETUP.match(chosen):
            rest = chosen[setup.end() :].strip()
            bare = zip(names(FIRST_ROWS[position.turn or 0]), rest, strict=False)
            discs = [Disc(*each) for each in bare] if _SIDE.match(rest) else []
            return position.drafted(discs or [Disc(each["cell"], each["shown"]) for each in _DISC.finditer(rest)])
        words = [word for each in chosen.split() if (word := _WORD.fullmatch(each))]
        return position.drafted(
            Disc(word["put"], word["shown"]) if word["put"] else word["flipped"] or Step(word["origin"], word["target"])
            for word in words
        )

    def hint(self, position: Position[Any]) -> Hint | None:
        assert isinstance(position, KvadratikPosition)  # noqa: S101 - the registries pair games and notations
        if position.turn is None:
            return None
        passage = _of_setup(position.turn, position) if position.setting_up else _of_turn(position.turn, position)
        basics = "" if position.setting_up else BASICS
        return Hint((passage,), str(next(position.moves())), basics, position.setting_up)


# Reading -------------------------------------------------------------------------------------------


def _setup(text: str, at: int) -> Setup:
    """Return the set-up that is written from this place on: four sides, or four squares each with its side."""
    discs: list[Disc] = []
    bare = _SIDE.match(text, at) is not None
    pattern = _SIDE if bare else _DISC
    while at < len(text):
        disc = pattern.match(text, at)
        if disc is None:
            _check_cell(text, at, _BEGUN.match(text, at))
            example = f"the side that a disc shows, + or x, as in {ROW_SETUP}"
            squares = f"a square and the side that its disc shows, as in {HALF_SETUP}"
            raise BadNotation(text, at, example if bare else squares if discs else f"{ROW_SETUP} or {HALF_SETUP}")
        if len(discs) == PLACED:
            raise BadNotation(text, at, "the end: four discs are set up")
        if not bare:
            _check_cell(text, at, disc)
        discs.append(Disc("" if bare else disc["cell"].lower(), _side(disc[0][-1])))
        at = skip(_GAP, text, disc.end())
    if len(discs) < PLACED:
        examples = [ROW_SETUP] if bare else [HALF_SETUP] if discs else [ROW_SETUP, HALF_SETUP]
        raise BadNotation(text, at, f"four discs, as in {either(examples)}")
    if bare:
        return Setup((), "".join(disc.shown for disc in discs))
    discs.sort()
    return Setup(tuple(disc.cell for disc in discs), "".join(disc.shown for disc in discs))


def _turn(text: str, at: int) -> Turn:
    placed: list[Disc] = []
    flipped: list[str] = []
    steps: list[Step] = []
    added: Disc | None = None
    while at < len(text):
        word = _WORD.match(text, at)
        if word is None or len(steps) == 2:
            _unread(text, at, steps)
        put, flip, origin = word["put"], word["flipped"], word["origin"]
        if origin:
            steps.append(_step(text, word))
        elif put:
            disc = Disc(_cell(text, word, "put"), _side(word["shown"]))
            if not steps:
                _check_new(text, at, disc.cell, [other.cell for other in placed], "one disc is put there")
                placed.append(disc)
            elif added is None:
                added = disc
            else:
                raise BadNotation(text, at, _own_step(added))
        elif flip:
            if steps:
                raise BadNotation(text, at, f"no flip behind {steps[0]}: flips come before the move")
            _check_new(text, at, _cell(text, word, "flipped"), flipped, "its disc is flipped once")
            flipped.append(flip.lower())
        at = skip(_GAP, text, word.end())
    if not steps:
        raise BadNotation(text, at, "the move, such as b3b2" if placed or flipped else f"a turn such as {EXAMPLE}")
    if added is not None and len(steps) == 1:
        raise BadNotation(text, at, _own_step(added))
    bonus = Bonus(added, steps[1]) if len(steps) == 2 else None
    return Turn(tuple(sorted(placed)), tuple(sorted(flipped)), steps[0], bonus)


def _step(text: str, word: re.Match[str]) -> Step:
    step = Step(_cell(text, word, "origin"), _cell(text, word, "target"))
    check_end_of_cell(text, word.end())
    return step


def _cell(text: str, word: re.Match[str], group: str) -> str:
    cell = word[group].lower()
    if cell not in INDEX:
        refuse_cell(text, word.start(group), cell, ROWS)
    return cell


def _check_cell(text: str, at: int, word: re.Match[str] | None) -> None:
    if word is not None and word["cell"] and word["cell"].lower() not in INDEX:
        refuse_cell(text, word.start("cell"), word["cell"].lower(), ROWS)


def _check_new(text: str, at: int, cell: str, cells: Iterable[str], why: str) -> None:
    if cell in cells:
        raise BadNotation(text, at, f"another square than {cell}: {why}")


def _side(shown: str) -> str:
    return "+" if shown == "+" else "x"


def _own_step(disc: Disc) -> str:
    step = STEPS["B" if disc.shown == "+" else "b"][INDEX[disc.cell]][0]
    return f"the move of the disc put on {disc.cell}, such as {step}"


def _unread(text: str, at: int, steps: list[Step]) -> NoReturn:
    if len(steps) == 2:
        raise BadNotation(text, at, f"the end: nothing follows {steps[1]}")
    begun = _BEGUN.match(text, at)
    _check_cell(text, at, begun)
    if begun is not None and begun["cell"]:
        cell = begun["cell"].lower()
        if begun["sign"] == "@":
            raise BadNotation(text, begun.end(), f"the side that the disc on {cell} shows, as in @{cell}+ or @{cell}x")
        raise BadNotation(text, begun.end(), f"the square to which {cell} goes, as in b3b2")
    if begun is not None and begun["sign"]:
        raise BadNotation(text, begun.end(), "a square, as in @a4+" if begun["sign"] == "@" else "a square, as in ~a4")
    first = "a move such as b3b2, a flip such as ~b4, a disc such as @a4+"
    raise BadNotation(text, at, "the end, or what entering adds: @c4x c4d3 or c3c4" if steps else first)


# Hints ---------------------------------------------------------------------------------------------


def _of_setup(seat: Seat, here: KvadratikPosition) -> Passage:
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
    notes = tuple(_notes(seat, here))
    own = uncovered(here.towers, seat)
    if not own:
        return Passage("", (), notes)
    targets = {cell: either(step.target for step in STEPS[here.towers[cell][-1]][cell]) for cell in own}
    choices = tuple(f"{_mark(here, cell)} on {NAMES[cell]} to {targets[cell]}" for cell in own)
    flips = ", before any flips" if here.flip == "any" else ""
    return Passage(f"What your uncovered discs can do{flips}:", choices, notes)


def _notes(seat: Seat, here: KvadratikPosition) -> Iterator[str]:
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
    return Bonus(Disc(NAMES[cell], "+"), STEPS["B"][cell][0])


def _mark(here: KvadratikPosition, cell: int) -> str:
    return MARKS[here.towers[cell][-1]]


KVADRATIK = KvadratikNotation()
