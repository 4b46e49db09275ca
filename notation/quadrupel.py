"""How turns of Quadrupel are written: `c3e5`, `c3e5 quadrupel` to announce, and `setup 4123`."""

import re
from typing import Any

from engines.core import Position
from engines.quadrupel import Dots, Move, Ones, QuadrupelPosition, Turn
from engines.quadrupel.board import NAMES, ROWS, SIDES, START
from engines.quadrupel.turns import ANNOUNCEMENT
from engines.special import Special
from engines.wording import together
from notation.core import BadNotation, Notation
from notation.hints import Hint, Passage
from notation.tokens import ARROW, CELL, DASH, check_end_of_cell, check_length, read_special, refuse_cell, skip

EXAMPLE = "c3e5 quadrupel"
BASICS = (
    "A stone goes one step along its row or column, or jumps over a stone beside it. It can jump again from where it "
    "lands."
)

SWAPPING = "You can also take Black's stones instead of moving one; Black gets yours, and moves:"

_GAP = re.compile(r"[\s,;.]*+")
_TO = re.compile(rf"[\s,;.]*+(?:{ARROW}[\s,;.]*+)?+")
_SQUARE = re.compile(CELL)
_SETUP = re.compile(rf"set[{DASH}\s]?+up(?![a-z])\s*+[:=]?+", re.IGNORECASE)
_DIGITS = re.compile(r"[0-9](?:[\s,;]*+[0-9])*+")
_SAID_FIRST = re.compile(r"quadrup(?:el|le)s?+(?![a-z])[:!]?+", re.IGNORECASE)
_ANNOUNCED = re.compile(rf"(?:[{DASH}\s,;.:]*+(?:quadrup(?:el|le)s?+(?![a-z])|!))++", re.IGNORECASE)


class QuadrupelNotation(Notation[Move]):
    __slots__ = ()

    @property
    def help(self) -> str:
        return (
            "the stone's square and the one where it ends, then quadrupel (or !) to announce a figure; dots are set "
            f'up by "setup" with four digits or with two squares: "{EXAMPLE}"'
        )

    def parse(self, text: str) -> Move:
        """Return the turn or set-up that a text says, whatever the position; raise BadNotation.

        >>> str(QUADRUPEL.parse("C3-e3-e5!")), str(QUADRUPEL.parse("Set up: c3, d2"))
        ('c3e5 quadrupel', 'setup d2 c3')
        >>> str(QUADRUPEL.parse("Quadrupel! c3e5"))
        'c3e5 quadrupel'
        """
        check_length(text)
        if read_special(text, Special.SWAP):
            return Special.SWAP
        at = skip(_GAP, text, 0)
        if setup := _SETUP.match(text, at):
            return _set_up(text, skip(_GAP, text, setup.end()))
        first = _SAID_FIRST.match(text, at)
        squares, at = _squares(text, skip(_GAP, text, first.end()) if first else at)
        if not squares:
            raise BadNotation(text, at, f"a turn such as {EXAMPLE}, or a set-up such as setup 4123")
        announced = _ANNOUNCED.match(text, at) or first
        end = skip(_GAP, text, max(at, announced.end()) if announced else at)
        if len(squares) == 1:
            raise BadNotation(text, at, f"the square to which {squares[0]} goes, as in c3e5")
        if end < len(text):
            fits = "the end of the turn" if announced else "a further square of the way, quadrupel, or the end"
            raise BadNotation(text, end, fits)
        return Turn(squares[0], squares[-1], announced is not None, tuple(squares[1:-1]))

    def format(self, move: Move, position: Position[Any]) -> str:
        """A turn is its two ends, whatever its way; set-ups are in reading order."""
        return str(move)

    def is_shown(self, move: Move) -> bool:
        """None that announces is shown, as it would reveal the figure."""
        return not (isinstance(move, Turn) and move.announced)

    def endings(self, position: Position[Any]) -> tuple[str, ...]:
        """An announcement can follow any turn, whether or not it ends in a figure."""
        here = _quadrupel(position)
        return () if here.turn is None or here.setting_up or here.auto else (ANNOUNCEMENT,)

    def midway(self, chosen: str, position: Position[Any]) -> Position[Any]:
        here = _quadrupel(position)
        word, _, rest = chosen.partition(" ")
        if word != "setup":
            return here
        if here.variant.setup == "ones":
            return here.dotted(dict.fromkeys(rest.split(), 1))
        return here.dotted(dict(zip(START[here.turn or 0], map(int, rest), strict=False)))

    def hint(self, position: Position[Any]) -> Hint | None:
        """The example is the first legal turn, never one that announces.

        Nothing here depends on which figures could be formed (ruling: no mail reveals a chance).
        """
        here = _quadrupel(position)
        if here.turn is None:
            return None
        say = _set_up_hint(here) if here.setting_up else _turn_hint(here)
        passages = (Passage(say), Passage(SWAPPING, (str(Special.SWAP),))) if here.swaps_now else (Passage(say),)
        return Hint(
            passages,
            str(next(move for move in here.moves() if not isinstance(move, Special))),
            "" if here.setting_up else BASICS,
            here.setting_up,
        )


# Reading -------------------------------------------------------------------------------------------


def _set_up(text: str, at: int) -> Move:
    if digits := _DIGITS.match(text, at):
        dots: list[int] = []
        for place in range(at, digits.end()):
            if text[place].isdigit():
                if text[place] not in "1234" or len(dots) == len(START[0]):
                    raise BadNotation(text, place, "four digits from 1 to 4, as in setup 4123")
                dots.append(int(text[place]))
        if len(dots) < len(START[0]):
            raise BadNotation(text, digits.end(), "four digits from 1 to 4, as in setup 4123")
        at = digits.end()
        move: Move = Dots(tuple(dots))
    else:
        squares, at = _squares(text, at)
        if len(squares) != 2:
            what = "four digits (setup 4123) or two squares (setup d2 c3)"
            raise BadNotation(text, at, what if not squares else "two squares, as in setup d2 c3")
        move = Ones(tuple(sorted(squares, key=NAMES.index)))
    if (end := skip(_GAP, text, at)) < len(text):
        raise BadNotation(text, end, "the end of the set-up")
    return move


def _squares(text: str, at: int) -> tuple[list[str], int]:
    found: list[str] = []
    end = at
    while square := _SQUARE.match(text, at):
        name = square[0].lower()
        if name not in NAMES:
            refuse_cell(text, at, name, ROWS)
        end = square.end()
        check_end_of_cell(text, end, "square")
        found.append(name)
        at = skip(_TO, text, end)
    return found, end


def _quadrupel(position: Position[Any]) -> QuadrupelPosition:
    assert isinstance(position, QuadrupelPosition)  # noqa: S101 - the registries pair games and notations
    return position


# The hint ------------------------------------------------------------------------------------------


def _set_up_hint(here: QuadrupelPosition) -> str:
    squares, side = together(START[here.turn or 0]), SIDES[here.turn or 0]
    if here.variant.setup == "dots":
        return (
            f"Before the first move, {side} sets up: write setup and the dots of the stones on {squares} in this "
            f"order, each of 1, 2, 3 and 4 once. {here.variant.aim(here.score)}"
        )
    return (
        f"Before the first move, {side} sets up: write setup and the squares of two of the stones on {squares}; "
        f"these become the 1-stones. {here.variant.aim(here.score)}"
    )


def _turn_hint(here: QuadrupelPosition) -> str:
    announcing = (
        "The server announces figures for you."
        if here.auto
        else 'When your turn completes a figure, add "quadrupel": unannounced, it doesn\'t win.'
    )
    return f"{here.variant.aim(here.score)} {announcing}"


QUADRUPEL = QuadrupelNotation()
