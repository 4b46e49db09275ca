"""How turns of Quadraphages and Hexaphages are written, and read from old records: `a7b7 i3i2 3 b7b4 ----`."""

import re
from dataclasses import dataclass
from itertools import islice
from string import digits
from typing import Any

from engines.core import Position, Seat
from engines.phages import PhagesPosition, Turn
from engines.phages.board import BOARDS
from engines.phages.tolerant import Correction, corrected
from engines.phages.turns import MOVERS, NUMBERS, in_order, spelled
from engines.step import Step
from engines.wording import either, together
from notation.core import BadNotation, Notation
from notation.hints import Hint, Passage
from notation.steps import steps_of
from notation.tokens import CELL, DASH, STEP, check_end_of_cell, check_length, refuse_cell, skip

BASICS = (
    "A turn has three operations: your stones go as far as your opponent's number says, you announce a number from 1 "
    "to 8, and they go that far."
)
CHOICES = 16
"""The most operations that are listed in full; if there are more, only a few are."""

_ORIGIN = re.compile(rf"(?P<origin>{CELL})\s*+")
_GAP = re.compile(r"(?:[\s,;\u2026]|\.(?!\.))*+")
_WORD = re.compile(rf"(?:{STEP}|[{DASH}]++|\.\.++|([0-9]++)){_GAP.pattern}")
_TYPED_STEP = re.compile(r"([A-Za-z][0-9])[-:]?([A-Za-z][0-9])")
_TYPED_STAY = re.compile(r"-+|\.+|\u2026+|[\u2010-\u2015]+")


@dataclass(frozen=True, slots=True)
class PhagesNotation(Notation[Turn]):
    game: str
    example: str

    @property
    def help(self) -> str:
        return f"operation 1, a number from 1 to 8, and operation 3; ---- is a stone that stays: {self.example}"

    def parse(self, text: str) -> Turn:
        """Return the turn, part or completion that a text says, whatever the position; raise BadNotation.

        >>> QUADRAPHAGES.parse("G9-h9, c1 to b1; 3.")
        Turn(first=(Step(origin='c1', target='b1'), Step(origin='g9', target='h9')), number=3, second=None)
        """
        check_length(text)
        steps: list[Step] = []
        first: tuple[Step, ...] = ()
        number: int | None = None
        said = False  # whether the present operation was written, if only as ----
        at = skip(_GAP, text, 0)
        while at < len(text):
            word = _WORD.match(text, at)
            origin, target, announced = word.groups() if word else ("", "", "")
            if word is None or (announced and number is not None):
                raise self._unread(text, at, number)
            said = not announced
            if announced:
                number = _number(text, at, announced)
                first, steps = tuple(steps), []
            elif origin:
                steps.append(self._step(text, word, origin.lower(), target.lower()))
            at = word.end()
        if number is None and not said:
            raise BadNotation(text, at, f"a turn such as {self.example}")
        return Turn(in_order(first), number, in_order(tuple(steps)) if said else None)

    def format(self, move: Turn, position: Position[Any]) -> str:
        """Return the canonical text: operations sorted by origin, two words each; no operation 1 in a first turn.

        A part ends with its number; a completion is only its operation 3.
        """
        words = []
        if move.first or not (move.number is None or _phages(position).opening):
            words.append(spelled(move.first))
        if move.number is not None:
            words.append(str(move.number))
        if move.second is not None:
            words.append(spelled(move.second))
        return " ".join(words)

    def midway(self, chosen: str, position: Position[Any]) -> Position[Any]:
        return _phages(position).stepped(tuple(Step(*step) for step in steps_of(chosen)))

    def hint(self, position: Position[Any]) -> Hint | None:
        here = _phages(position)
        if here.turn is None:
            return None
        if here.part is not None:
            return self._hint_of_part(here, here.part)
        if here.number is None:
            stones = here.own_stones()
            numbers = [number for number in NUMBERS if any(here.targets(cell, number) for cell in stones)]
            which = together(stones) if len(stones) == MOVERS else f"two of {together(stones)}"
            say = (
                f"This is the first turn, so there is no operation 1: announce a number from {numbers[0]} to "
                f"{numbers[-1]}, then go that far with {which}."
            )
        else:
            say = (
                f"Your opponent's number is {here.number}. {_reach(here, here.number)} Then announce a number, "
                "and go that far."
            )
        return Hint((Passage(say),), self.format(next(here.moves()), here), BASICS if here.number else "")

    def _hint_of_part(self, here: PhagesPosition, part: Turn) -> Hint:
        some = list(islice(here.moves(), CHOICES + 1))
        many = len(some) > CHOICES
        lead = "some of the many ways to write it" if many else "the ways to write it"
        number = part.number or 0
        say = (
            f"The turn so far is {self.format(part, here)}. What's left is operation 3, by {number}. "
            f"{_reach(here, number)} Here are {lead}:"
        )
        shown = some[: 4 if many else CHOICES]
        return Hint((Passage(say, tuple(self.format(move, here) for move in shown)),))

    def _step(self, text: str, word: re.Match[str], origin: str, target: str) -> Step:
        self._check_cell(text, word.start("origin"), origin)
        self._check_cell(text, word.start("target"), target)
        check_end_of_cell(text, word.end("target"))
        return Step(origin, target)

    def _check_cell(self, text: str, at: int, cell: str) -> None:
        board = BOARDS[self.game]
        if cell not in board.index:
            refuse_cell(text, at, cell, board.rows)

    def _unread(self, text: str, at: int, number: int | None) -> BadNotation:
        move = self.example.split()[0]
        if origin := _ORIGIN.match(text, at):
            self._check_cell(text, at, origin["origin"].lower())
            cell = origin["origin"].lower()
            return BadNotation(text, origin.end(), f"the cell to which {cell} goes, as in {move}")
        if number is None:
            return BadNotation(text, at, f"a move such as {move}, ---- for a stone that stays, or a number")
        if text[at] in digits:
            return BadNotation(text, at, "no second number: a turn announces one")
        return BadNotation(text, at, f"a move such as {move}, ---- for a stone that stays, or the end")


def _number(text: str, at: int, announced: str) -> int:
    if len(announced) > 1 or int(announced) not in NUMBERS:
        raise BadNotation(text, at, f"a number from {NUMBERS[0]} to {NUMBERS[-1]}")
    return int(announced)


def _phages(position: Position[Any]) -> PhagesPosition:
    assert isinstance(position, PhagesPosition)  # noqa: S101 - the registries pair games and notations
    return position


def _reach(here: PhagesPosition, number: int) -> str:
    """Return in a sentence which stones can move by a number, where to, and how many of them must."""
    stones = [(cell, here.targets(cell, number)) for cell in here.own_stones()]
    able = [(cell, either(targets)) for cell, targets in stones if targets]
    if not able:
        return "No stone can go that far, so write ---- ----."
    if len(able) == 1:
        ((cell, targets),) = able
        return f"Only {cell} moves: to {targets}."
    most = max(len(steps) for steps in here.operations(number))
    must = "one of them must" if most == 1 else "both must" if len(able) == most else "two of them must"
    return f"{'; '.join(f'{cell} can go to {targets}' for cell, targets in able)}; {must}."


# Old records --------------------------------------------------------------------------------------


def play_tolerantly(position: Position[Any], seat: Seat, text: str) -> tuple[PhagesPosition, tuple[Correction, ...]]:
    """Return the position after a turn of an old record as it was meant, and every slip in it.

    Raise BadNotation if there is no number, because then nobody can tell the operations apart.
    """
    assert isinstance(position, PhagesPosition)  # noqa: S101 - the registries pair games and readers
    slips: list[Correction] = []
    before: list[Step] = []
    steps = before
    number: int | None = None
    for word in text.split():
        if step := _TYPED_STEP.fullmatch(word):
            steps.append(Step(step[1].lower(), step[2].lower()))
        elif word in map(str, NUMBERS) and number is None:
            number, steps = int(word), []
        elif not _TYPED_STAY.fullmatch(word):
            slips.append(Correction(word, f"{word} says nothing; it is left out"))
    if number is None:
        raise BadNotation(text, len(text), f"a number from {NUMBERS[0]} to {NUMBERS[-1]} somewhere")
    after, more = corrected(position, seat, before, number, steps)
    return after, (*slips, *more)


QUADRAPHAGES = PhagesNotation("quadraphages", "a7b7 i3i2 3 b7b4 i2f2")
HEXAPHAGES = PhagesNotation("hexaphages", "g7h8 m5n6 6 h8n2 n6b6")
