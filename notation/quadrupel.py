"""How turns of Quadrupel are written: `c3e5`, `c3e5 quadrupel` to announce, and `setup 4123`."""

import re
import textwrap
from dataclasses import dataclass
from typing import Any

from engines.core import Position
from engines.quadrupel import Dots, Move, Ones, QuadrupelPosition, Turn
from engines.quadrupel.board import COLUMNS, NAMES, SIDES, START
from engines.quadrupel.turns import ANNOUNCEMENT
from engines.wording import together
from notation.core import BadNotation
from notation.hints import WIDTH

LONGEST = 300
"""No turn needs more characters, however generously it is spaced."""
EXAMPLE = "c3e5 quadrupel"

_DASH = "-\u2010-\u2015\u2212"  # mail programs make typographic dashes of two hyphens
_GAP = re.compile(r"[\s,;.]*+")
_TO = re.compile(rf"[\s,;.]*+(?:(?:[{_DASH}]{{1,2}}+>?+|[:=>\u2192]|[tT][oO](?![a-zA-Z]{{2}}))[\s,;.]*+)?+")
_SQUARE = re.compile("[A-Za-z][0-9]")
_SETUP = re.compile(rf"set[{_DASH}\s]?+up(?![a-z])\s*+[:=]?+", re.IGNORECASE)
_DIGITS = re.compile(r"[0-9](?:[\s,;]*+[0-9])*+")
_SAID_FIRST = re.compile(r"quadrup(?:el|le)s?+(?![a-z])[:!]?+", re.IGNORECASE)
_ANNOUNCED = re.compile(rf"(?:[{_DASH}\s,;.:]*+(?:quadrup(?:el|le)s?+(?![a-z])|!))++", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class QuadrupelNotation:
    """Reads and writes the turns of Quadrupel."""

    @property
    def help(self) -> str:
        """One line for players: how a turn is written, with an example."""
        return (
            "the stone's square and the one where it ends, then quadrupel (or !) to announce a figure; dots are set "
            f'up by "setup" with four digits or with two squares: "{EXAMPLE}"'
        )

    def parse(self, text: str) -> Move:
        """The turn or set-up that a text says, on whatever position; raises BadNotation.

        >>> str(QUADRUPEL.parse("C3-e3-e5!")), str(QUADRUPEL.parse("Set up: c3, d2"))
        ('c3e5 quadrupel', 'setup d2 c3')
        >>> str(QUADRUPEL.parse("Quadrupel! c3e5"))
        'c3e5 quadrupel'
        """
        if len(text) > LONGEST:
            raise BadNotation(text, LONGEST, f"the end of the turn: none is longer than {LONGEST} characters")
        at = _skip(_GAP, text, 0)
        if setup := _SETUP.match(text, at):
            return self._set_up(text, _skip(_GAP, text, setup.end()))
        first = _SAID_FIRST.match(text, at)
        squares, at = _squares(text, _skip(_GAP, text, first.end()) if first else at)
        if not squares:
            raise BadNotation(text, at, f"a turn such as {EXAMPLE}, or a set-up such as setup 4123")
        announced = _ANNOUNCED.match(text, at) or first
        end = _skip(_GAP, text, max(at, announced.end()) if announced else at)
        if len(squares) == 1:
            raise BadNotation(text, at, f"the square to which {squares[0]} goes, as in c3e5")
        if end < len(text):
            fits = "the end of the turn" if announced else "a further square of the way, quadrupel, or the end"
            raise BadNotation(text, end, fits)
        return Turn(squares[0], squares[-1], announced is not None, tuple(squares[1:-1]))

    def _set_up(self, text: str, at: int) -> Move:
        """The set-up that is written behind the word."""
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
        if (end := _skip(_GAP, text, at)) < len(text):
            raise BadNotation(text, end, "the end of the set-up")
        return move

    def format(self, move: Move, position: Position[Any]) -> str:
        """The canonical text: a turn is its origin and its end, whatever way it takes; set-ups in reading order."""
        return str(move)

    def is_shown(self, move: Move) -> bool:
        """Whether a list of legal turns may hold this one: none that announces, since that gives the figure away."""
        return not (isinstance(move, Turn) and move.announced)

    def endings(self, position: Position[Any]) -> tuple[str, ...]:
        """What may be said behind any turn, whether or not it ends in a figure."""
        here = _quadrupel(position)
        return () if here.turn is None or here.setting_up or here.auto else (ANNOUNCEMENT,)

    def hint(self, position: Position[Any]) -> str:
        """What the player to move may write now, in lines of at most 70 columns; "" when the game is over.

        The example is the first legal turn, never one that announces: nothing here depends on what figures
        could be built (ruling: no mail gives a chance away).
        """
        here = _quadrupel(position)
        if here.turn is None:
            return ""
        say = self._of_set_up(here) if here.setting_up else self._of_turn(here)
        return "\n".join([*textwrap.wrap(say, WIDTH), f"For example: {next(here.moves())}"])

    def _of_set_up(self, here: QuadrupelPosition) -> str:
        """What is to be set up."""
        squares, side = together(START[here.turn or 0]), SIDES[here.turn or 0]
        if here.variant.setup == "dots":
            return (
                f"{side} sets up: write setup and the dots of the stones on {squares} in this order, "
                f"each of 1, 2, 3 and 4 once. {here.variant.aim(here.score)}"
            )
        return (
            f"{side} sets up: write setup and the squares of two of the stones on {squares}; "
            f"these become the 1-stones. {here.variant.aim(here.score)}"
        )

    def _of_turn(self, here: QuadrupelPosition) -> str:
        """How a stone moves, and how a figure is announced."""
        announcing = (
            "The server announces a figure by itself."
            if here.auto
            else 'Behind a turn that ends in a figure write "quadrupel"; unannounced it wins nothing.'
        )
        return (
            f"A stone goes one step along its row or column, or jumps over one adjacent stone and on, "
            f"as often as it can. {here.variant.aim(here.score)} {announcing}"
        )


def _squares(text: str, at: int) -> tuple[list[str], int]:
    """The squares that are written from a place on, and where they end."""
    found: list[str] = []
    end = at
    while square := _SQUARE.match(text, at):
        name = square[0].lower()
        if name[0] not in COLUMNS:
            raise BadNotation(text, at, f"a letter from {COLUMNS[0]} to {COLUMNS[-1]}")
        if name not in NAMES:
            raise BadNotation(text, at + 1, f"a number from 1 to {len(COLUMNS)}")
        end = square.end()
        if end < len(text) and text[end].isdigit():
            raise BadNotation(text, end, "a space or the end after the square")
        found.append(name)
        at = _skip(_TO, text, end)
    return found, end


def _skip(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Where the text goes on behind what may be passed over."""
    passed = pattern.match(text, at)
    return passed.end() if passed else at


def _quadrupel(position: Position[Any]) -> QuadrupelPosition:
    """The position as one of this game."""
    assert isinstance(position, QuadrupelPosition)  # noqa: S101 - the registries pair games and notations
    return position


QUADRUPEL = QuadrupelNotation()
