"""How turns of Quadraphages and Hexaphages are written: `a7b7 i3i2 3 b7b4 i2f2`, and `----` for staying."""

import re
import textwrap
from dataclasses import dataclass
from itertools import islice
from typing import Any

from engines.core import Position
from engines.phages import PhagesPosition, Turn
from engines.phages.board import BOARDS, Board
from engines.phages.turns import MOVERS, NUMBERS, spelled
from engines.step import Step
from engines.wording import either, together
from notation.core import BadNotation
from notation.hints import WIDTH, listed

LONGEST = 300
"""No turn needs more characters, however generously it is spaced."""
CHOICES = 16
"""As many operations are listed in full; of more, only a few."""

_DASH = "-\u2010-\u2015\u2212"  # mail programs make typographic dashes of two hyphens
_CELL = "[A-Za-z][0-9]"
_STEP = re.compile(
    rf"(?P<origin>{_CELL})\s*+(?:(?:[{_DASH}]{{1,2}}+>?+|[:=>\u2192]|[tT][oO])\s*+)?+(?P<target>{_CELL})"
)
_ORIGIN = re.compile(rf"(?P<origin>{_CELL})\s*+")
_NUMBER = re.compile("[0-9]++")
_STAY = re.compile(rf"[{_DASH}]++|\.\.++|\u2026++")
_GAP = re.compile(r"(?:[\s,;\u2026]|\.(?!\.))++")


@dataclass(frozen=True, slots=True)
class PhagesNotation:
    """Reads and writes the turns of one of the two games."""

    game: str
    example: str

    @property
    def help(self) -> str:
        """One line for players: how a turn is written, with an example."""
        return f"operation 1, a number from 1 to 8, operation 3; ---- for a stone that stays: {self.example}"

    def parse(self, text: str) -> Turn:
        """The turn, part or completion that a text says, on whatever position; raises BadNotation.

        >>> QUADRAPHAGES.parse("G9-h9, c1 to b1; 3.")
        Turn(first=(Step(origin='c1', target='b1'), Step(origin='g9', target='h9')), number=3, second=None)
        """
        first, number, second = self.read(text)
        return Turn(_sorted(first), number, second if second is None else _sorted(second))

    def read(self, text: str) -> Turn:
        """As parse, but with the steps of an operation in the order in which they were typed."""
        if len(text) > LONGEST:
            raise BadNotation(text, LONGEST, f"the end of the turn: none is longer than {LONGEST} characters")
        steps: list[Step] = []
        first: tuple[Step, ...] = ()
        number: int | None = None
        said = False  # whether the present operation was written, be it by ----
        at = 0
        while at < len(text):
            if gap := _GAP.match(text, at):
                at = gap.end()
            elif step := _STEP.match(text, at):
                steps.append(self._step(text, step))
                said, at = True, step.end()
            elif stay := _STAY.match(text, at):
                said, at = True, stay.end()
            elif (digits := _NUMBER.match(text, at)) and number is None:
                number = _number(text, digits)
                first, steps, said, at = tuple(steps), [], False, digits.end()
            else:
                raise self._unread(text, at, number)
        if number is None and not said:
            raise BadNotation(text, at, f"a turn such as {self.example}")
        return Turn(first, number, tuple(steps) if said else None)

    def format(self, move: Turn, position: Position[Any]) -> str:
        """The canonical text: operations sorted by origin, two words each; no operation 1 in a first turn.

        A part ends with its number; a completion is its operation 3 alone.
        """
        words = []
        if move.first or not (move.number is None or _phages(position).opening):
            words.append(spelled(move.first))
        if move.number is not None:
            words.append(str(move.number))
        if move.second is not None:
            words.append(spelled(move.second))
        return " ".join(words)

    def is_shown(self, move: Turn) -> bool:
        """Whether a list of legal turns may hold this one: always."""
        return True

    def endings(self, position: Position[Any]) -> tuple[str, ...]:
        """What may be said behind a turn: nothing."""
        return ()

    def hint(self, position: Position[Any]) -> str:
        """What the player to move may write now, in lines of at most 70 columns; "" when the game is over."""
        here = _phages(position)
        if here.turn is None:
            return ""
        if here.part is not None:
            return self._hint_of_part(here, here.part)
        if here.number is None:
            stones = here.own_stones()
            which = together(stones) if len(stones) == MOVERS else f"two of {together(stones)}"
            say = (
                f"This is the first turn, so there is no operation 1: write a number from 1 to 8, "
                f"then move {which} by it."
            )
        else:
            say = (
                f"Operation 1 goes by {here.number}. {_reach(here, here.number)} "
                f"Then come a new number from 1 to 8 and operation 3, which goes by it."
            )
        example = self.format(next(here.moves()), here)
        return "\n".join([*textwrap.wrap(say, WIDTH, break_on_hyphens=False), f"For example: {example}"])

    def _hint_of_part(self, here: PhagesPosition, part: Turn) -> str:
        """What completes a begun turn."""
        some = list(islice(here.moves(), CHOICES + 1))
        many = len(some) > CHOICES
        lead = "some of the many ways to write it" if many else "the ways to write it"
        number = part.number or 0
        say = (
            f"The turn is begun with {self.format(part, here)}. Operation 3 is left, and goes by {number}. "
            f"{_reach(here, number)} Here are {lead}:"
        )
        texts = [self.format(move, here) for move in some[: 4 if many else CHOICES]]
        return "\n".join([*textwrap.wrap(say, WIDTH, break_on_hyphens=False), *listed(texts)])

    def _step(self, text: str, step: re.Match[str]) -> Step:
        """The step that was matched, if both its cells are on the board."""
        for name in ("origin", "target"):
            self._check_cell(text, step.start(name), step[name].lower())
        after = step.end()
        if after < len(text) and text[after] in "0123456789":
            raise BadNotation(text, after, "a space or the end after the move")
        return Step(step["origin"].lower(), step["target"].lower())

    def _check_cell(self, text: str, at: int, cell: str) -> None:
        """Refuse a cell that the board has not, and say what it has there."""
        board = self._board
        if cell in board.index:
            return
        letters, rows = board.columns, dict(board.rows)
        if cell[0] not in letters:
            raise BadNotation(text, at, f"a letter from {letters[0]} to {letters[-1]}")
        if cell[1] not in rows:
            raise BadNotation(text, at + 1, f"a row from {board.rows[0][0]} to {board.rows[-1][0]}")
        raise BadNotation(text, at, f"a cell of row {cell[1]}: {either(rows[cell[1]])}")

    def _unread(self, text: str, at: int, number: int | None) -> BadNotation:
        """Why reading stopped at a place where no word of a turn begins."""
        move = self.example.split()[0]
        if origin := _ORIGIN.match(text, at):
            self._check_cell(text, at, origin["origin"].lower())
            cell = origin["origin"].lower()
            return BadNotation(text, origin.end(), f"the cell to which {cell} goes, as in {move}")
        if number is None:
            return BadNotation(text, at, f"a move such as {move}, ---- for a stone that stays, or a number")
        if _NUMBER.match(text, at):
            return BadNotation(text, at, "no second number: a turn announces one")
        return BadNotation(text, at, f"a move such as {move}, ---- for a stone that stays, or the end")

    @property
    def _board(self) -> Board:
        return BOARDS[self.game]


def _number(text: str, digits: re.Match[str]) -> int:
    """The number announced, if there is such a number."""
    if len(digits[0]) > 1 or int(digits[0]) not in NUMBERS:
        raise BadNotation(text, digits.start(), f"a number from {NUMBERS[0]} to {NUMBERS[-1]}")
    return int(digits[0])


def _sorted(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The steps in the order in which a Turn has them."""
    return tuple(sorted(steps)) if len(steps) > 1 else steps


def _phages(position: Position[Any]) -> PhagesPosition:
    """The position as one of these games."""
    assert isinstance(position, PhagesPosition)  # noqa: S101 - the registries pair games and notations
    return position


def _reach(here: PhagesPosition, number: int) -> str:
    """Which stones can move by a number, where to, and how many of them must, in a sentence."""
    stones = [(cell, here.targets(cell, number)) for cell in here.own_stones()]
    able = [f"{cell} can go to {either(targets)}" for cell, targets in stones if targets]
    if not able:
        return "No stone can move by that, so write ---- ----."
    if len(able) == 1:
        return f"Only {able[0]}, and must."
    most = max(len(steps) for steps in here.operations(number))
    must = "one of them must" if most == 1 else "both must" if len(able) == most else "two of them must"
    return f"{'; '.join(able)}; {must}."


QUADRAPHAGES = PhagesNotation("quadraphages", "a7b7 i3i2 3 b7b4 i2f2")
HEXAPHAGES = PhagesNotation("hexaphages", "g7h8 m5n6 6 h8n2 n6b6")
