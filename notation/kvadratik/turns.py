"""How turns of Kvadratik are written: `setup +x+x`, and `@a4+ ~b4 b4b3 @c4x c4d3` with the parts that apply."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

from engines.core import Position, Seat
from engines.kvadratik import KvadratikPosition
from engines.kvadratik.board import (
    ENTERING,
    FIRST_ROWS,
    HALF_ROWS,
    INDEX,
    MARKS,
    NAMES,
    PLACED,
    STEPS,
    names,
    open_squares,
    uncovered,
)
from engines.kvadratik.turns import Bonus, Disc, Move, Setup, Turn
from engines.step import Step
from engines.wording import either
from notation.core import BadNotation
from notation.hints import listed

LONGEST = 300
"""No turn needs more characters, however generously it is spaced."""
EXAMPLE = "~a3 b3b2 @c4x c4d3"
ROW_SETUP = "setup +x+x"
HALF_SETUP = "setup a4+ b4x c3+ d4x"

_DASH = "-\u2010-\u2015\u2212"
_CELL = "[A-Za-z][0-9]"
_SHOWN = "[+xX\u00d7]"  # some phones write the multiplication sign
_SETUP = re.compile(rf"[sS][eE][tT][{_DASH}\s]?[uU][pP]\b:?+")
_SIDE = re.compile(_SHOWN)
_DISC = re.compile(rf"(?P<cell>{_CELL})\s*+(?P<shown>{_SHOWN})")
_WORD = re.compile(
    rf"@\s*+(?P<put>{_CELL})\s*+(?P<shown>{_SHOWN})"
    rf"|~\s*+(?P<flipped>{_CELL})"
    rf"|(?P<origin>{_CELL})\s*+(?:(?:[{_DASH}]{{1,2}}+>?+|[:=>\u2192]|[tT][oO])\s*+)?+(?P<target>{_CELL})"
)
_BEGUN = re.compile(rf"(?P<sign>[@~]?)\s*+(?P<cell>{_CELL})?+\s*+")
_GAP = re.compile(r"[\s,;.]++")


class KvadratikNotation:
    """Reads and writes the turns of Kvadratik."""

    @property
    def help(self) -> str:
        """One line for players: how a turn is written, with an example."""
        return (
            f"{ROW_SETUP} to begin with; then a turn is, in this order and where they apply, "
            f"discs by right (@a4+), flips (~b4), the move, and what entering adds (c3c4): {EXAMPLE}"
        )

    def parse(self, text: str) -> Move:
        """The turn that a text says, on whatever position; raises BadNotation.

        >>> KVADRATIK.parse("~A3; b3-b2.")
        Turn(placed=(), flipped=('a3',), step=Step(origin='b3', target='b2'), bonus=None)
        >>> KVADRATIK.parse("setup c3+, a4+, b4x, d4x").cells
        ('a4', 'b4', 'c3', 'd4')
        """
        if len(text) > LONGEST:
            raise BadNotation(text, LONGEST, f"the end of the turn: none is longer than {LONGEST} characters")
        start = _gap(text, 0)
        setup = _SETUP.match(text, start)
        return _setup(text, _gap(text, setup.end())) if setup else _turn(text, start)

    def format(self, move: Move, position: Position[Any]) -> str:
        """The canonical text: discs and flips by square."""
        if isinstance(move, Turn):
            return str(move._replace(placed=tuple(sorted(move.placed)), flipped=tuple(sorted(move.flipped))))
        if len(move.cells) == len(move.shown):
            discs = sorted(zip(move.cells, move.shown, strict=True))
            return str(Setup(tuple(cell for cell, _ in discs), "".join(shown for _, shown in discs)))
        return str(move)

    def is_shown(self, move: Move) -> bool:
        """Whether a list of legal turns may hold this one: always."""
        return True

    def endings(self, position: Position[Any]) -> tuple[str, ...]:
        """What may be said behind a turn: nothing."""
        return ()

    def hint(self, position: Position[Any]) -> str:
        """What the player to move may write now, in lines of at most 70 columns; "" when the game is over."""
        assert isinstance(position, KvadratikPosition)  # noqa: S101 - the registries pair games and notations
        if position.turn is None:
            return ""
        lines = _setup_hint(position.turn, position) if position.setting_up else _turn_hint(position.turn, position)
        return "\n".join([*lines, f"For example: {next(position.moves())}"])


# Reading -------------------------------------------------------------------------------------------


def _gap(text: str, at: int) -> int:
    """Where the next word begins."""
    gap = _GAP.match(text, at)
    return gap.end() if gap else at


def _setup(text: str, at: int) -> Setup:
    """The set-up that is written from there on: four sides, or four squares each with its side."""
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
        at = _gap(text, disc.end())
    if len(discs) < PLACED:
        examples = [ROW_SETUP] if bare else [HALF_SETUP] if discs else [ROW_SETUP, HALF_SETUP]
        raise BadNotation(text, at, f"four discs, as in {either(examples)}")
    if bare:
        return Setup((), "".join(disc.shown for disc in discs))
    discs.sort()
    return Setup(tuple(disc.cell for disc in discs), "".join(disc.shown for disc in discs))


def _turn(text: str, at: int) -> Turn:
    """The turn that is written from there on."""
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
        at = _gap(text, word.end())
    if not steps:
        raise BadNotation(text, at, "the move, such as b3b2" if placed or flipped else f"a turn such as {EXAMPLE}")
    if added is not None and len(steps) == 1:
        raise BadNotation(text, at, _own_step(added))
    bonus = Bonus(added, steps[1]) if len(steps) == 2 else None
    return Turn(tuple(sorted(placed)), tuple(sorted(flipped)), steps[0], bonus)


def _step(text: str, word: re.Match[str]) -> Step:
    """The step that was matched, if both its squares are on the board."""
    after = word.end()
    step = Step(_cell(text, word, "origin"), _cell(text, word, "target"))
    if text[after : after + 1].isdigit():
        raise BadNotation(text, after, "a space or the end after the move")
    return step


def _cell(text: str, word: re.Match[str], group: str) -> str:
    """The square in that group, if there is such a square."""
    cell = word[group].lower()
    if cell not in INDEX:
        _off_board(text, word.start(group), cell)
    return cell


def _check_cell(text: str, at: int, word: re.Match[str] | None) -> None:
    """Refuse a square that the board has not, where a word begins with one."""
    if word is not None and word["cell"] and word["cell"].lower() not in INDEX:
        _off_board(text, word.start("cell"), word["cell"].lower())


def _off_board(text: str, at: int, cell: str) -> NoReturn:
    letter = cell[0] not in "abcd"
    raise BadNotation(text, at if letter else at + 1, "a letter from a to d" if letter else "a row from 1 to 4")


def _check_new(text: str, at: int, cell: str, cells: Iterable[str], why: str) -> None:
    """Refuse to do the same with a square once more."""
    if cell in cells:
        raise BadNotation(text, at, f"another square than {cell}: {why}")


def _side(shown: str) -> str:
    return "+" if shown == "+" else "x"


def _own_step(disc: Disc) -> str:
    """What must follow a disc that is put down behind the move."""
    step = STEPS["B" if disc.shown == "+" else "b"][INDEX[disc.cell]][0]
    return f"the move of the disc put on {disc.cell}, such as {step}"


def _unread(text: str, at: int, steps: list[Step]) -> NoReturn:
    """Say why reading stopped at a place where no word of a turn begins."""
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


# The hint ------------------------------------------------------------------------------------------


def _setup_hint(seat: Seat, here: KvadratikPosition) -> Iterator[str]:
    """How the discs are set up."""
    row = names(FIRST_ROWS[seat])
    if here.setup == "row":
        yield f"Your first four discs go to {row[0]}, {row[1]}, {row[2]} and {row[3]}: write the side"
        yield "that each shows, + for orthogonal or x for diagonal steps."
    else:
        yield f"Your first four discs go anywhere in {HALF_ROWS[seat]}: write each square"
        yield "and the side that its disc shows, + for orthogonal or x for diagonal"
        yield "steps."


def _turn_hint(seat: Seat, here: KvadratikPosition) -> Iterator[str]:
    """Where the discs can go, and what else the turn may have."""
    squares = open_squares(here.towers, seat)
    placeable = here.placeable(seat)
    own = uncovered(here.towers, seat)
    if own:
        yield f"Your uncovered discs as they lie{', before any flips' if here.flip == 'any' else ''}:"
        yield from listed(f"{_mark(here, cell)} on {NAMES[cell]} to {_targets(here, cell)}" for cell in own)
    if placeable:
        first = NAMES[squares[0]]
        number = f"up to {placeable} discs" if placeable > 1 else "a disc"
        yield f"* first, by right: {number} from the reserve on {either(names(squares))}"
        yield f"* by right, for example @{first}+ or @{first}x{'' if own else '; without it you have no move'}"
    if here.flip == "any" and (own or placeable):
        yield f"* before the move, flips: ~{NAMES[(own or squares)[0]]} turns a disc over"
    if any(step in ENTERING[seat] for cell in own for table in ("B", "b") for step in STEPS[table][cell]):
        row, beyond = ("3", "2") if seat == 0 else ("2", "3")
        if here.reserves[seat] and squares:
            yield f"* a move from row {row} to row {beyond} may add a disc from the reserve"
            yield f"* such a disc moves at once: {next(_added(seat, squares[0]))}"
        elif not here.reserves[seat]:
            yield f"* a move from row {row} to row {beyond} may add another inside your own half"


def _added(seat: Seat, cell: int) -> Iterator[Bonus]:
    """The ways to put a disc on that square and move it."""
    for step in STEPS["B"][cell]:
        yield Bonus(Disc(NAMES[cell], "+"), step)


def _mark(here: KvadratikPosition, cell: int) -> str:
    return MARKS[here.towers[cell][-1]]


def _targets(here: KvadratikPosition, cell: int) -> str:
    return either(step.target for step in STEPS[here.towers[cell][-1]][cell])


KVADRATIK = KvadratikNotation()
