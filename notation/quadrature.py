"""How turns of Quadrature are written: `e3f4`, from which square to which."""

import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from engines.core import Position
from engines.quadrature.board import PLACES, SIDES
from engines.quadrature.position import MOST, QuadraturePosition
from engines.step import Step
from notation.core import BadNotation
from notation.hints import WIDTH

EXAMPLE = "e3f4"
LONGEST = 300
"""No turn needs more characters, however generously it is spaced."""
CHOICES = 16
"""As many turns are listed in full; of more, only an example is given."""

_CELL = re.compile("([A-Za-z])([0-9]++)")
_DASH = "-\u2010-\u2015\u2212"  # mail programs make typographic dashes of two hyphens
_LEAD = re.compile(r"\s*+")
_TO = re.compile(rf"\s*+(?:(?:[{_DASH}]{{1,2}}+>?+|[:=>\u2192,]|[tT][oO](?![A-Za-z]{{2}}))\s*+)?+")
_TAKES = re.compile(r"[\s,;]*+[xX\u00d7]\s*+(?=[A-Za-z])")
_AND = re.compile(r"[\s,;+]*+(?:[aA][nN][dD]\s*+)?+(?=[A-Za-z])")
_TAIL = re.compile(r"[\s,;.!]*+")


@dataclass(frozen=True, slots=True)
class QuadratureNotation:
    """Reads and writes the turns of Quadrature."""

    @property
    def help(self) -> str:
        """One line for players: how a turn is written, with an example."""
        return f'the square that a man leaves and the square to which it goes: "{EXAMPLE}"'

    def parse(self, text: str) -> Step:
        """The turn that a text says, on whatever position; raises BadNotation.

        The squares of exchanged men may follow behind an x; they say nothing new, and are left aside.

        >>> QUADRATURE.parse("E3-f4 x c4, a4.")
        Step(origin='e3', target='f4')
        """
        if len(text) > LONGEST:
            raise BadNotation(text, LONGEST, f"the end of the turn: none is longer than {LONGEST} characters")
        origin, at = _cell(text, _skip(_LEAD, text, 0), f"a turn such as {EXAMPLE}")
        lands = f"the square to which {origin} goes, as in {EXAMPLE}"
        target, at = _cell(text, _skip(_TO, text, at), lands)
        if takes := _TAKES.match(text, at):
            _, at = _cell(text, takes.end(), "an exchanged square")
            while more := _AND.match(text, at):
                _, at = _cell(text, more.end(), "an exchanged square")
        at = _skip(_TAIL, text, at)
        if at < len(text):
            raise BadNotation(text, at, "the end of the turn, or x and the squares of exchanged men")
        return Step(origin, target)

    def format(self, move: Step, position: Position[Any]) -> str:
        """The canonical text: the two squares."""
        return str(move)

    def is_shown(self, move: Step) -> bool:
        """Whether a list of legal turns may hold this one: always."""
        return True

    def endings(self, position: Position[Any]) -> tuple[str, ...]:
        """What may be said behind a turn: nothing."""
        return ()

    def hint(self, position: Position[Any]) -> str:
        """What the player to move may write now, in lines of at most 70 columns; "" when the game is over."""
        assert isinstance(position, QuadraturePosition)  # noqa: S101 - the registries pair games and notations
        seat = position.turn
        if seat is None:
            return ""
        out = position.sitting_out
        again = "" if out is None else f"{SIDES[out]} cannot go anywhere and sits out, so {SIDES[seat]} goes again. "
        towards = ("up, towards row 11", "down, towards row 1")[seat]
        say = (
            f"{again}{SIDES[seat]} goes {towards}: write the square that a man leaves and the square to which "
            f"it goes, one square forward, diagonally forward or sideways. {_marker(position.markers[seat])}"
        )
        turns = tuple(position.moves())
        lines = textwrap.wrap(say, WIDTH, break_on_hyphens=False)
        if len(turns) <= CHOICES:
            lines += ["These are all the legal turns:", *_listed(turns)]
        if drawn := [turn for turn in turns if position.would_repeat(turn)]:
            lines += ["A draw at once, as the men would stand as once before:", *_listed(drawn)]
        return "\n".join([*lines, f"For example: {turns[0]}"])


def _marker(shown: int) -> str:
    """What the marker means for the turn to come, in a sentence; "" where it means nothing."""
    if shown == MOST:
        return "The marker shows |2|, so going sideways must square something."
    if shown:
        return "The marker shows |1|: once more a man may go sideways and square nothing."
    return ""


def _listed(turns: Iterable[Step]) -> list[str]:
    """The turns in lines that nobody takes for a turn when they come back in an answer."""
    lines = textwrap.wrap(" | ".join(map(str, turns)), WIDTH - 2)
    return [f"* {line.strip(' |')}" for line in lines]


def _skip(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Where the text goes on behind what the pattern finds here."""
    found = pattern.match(text, at)
    return found.end() if found else at


def _cell(text: str, at: int, expected: str) -> tuple[str, int]:
    """The square that stands here and where the text goes on; raises BadNotation."""
    found = _CELL.match(text, at)
    if found is None:
        raise BadNotation(text, at, expected)
    cell = found[0].lower()
    if cell in PLACES:
        return cell, found.end()
    if cell[0] > "k":
        raise BadNotation(text, at, "a letter from a to k")
    raise BadNotation(text, at + 1, "a row from 1 to 11")


QUADRATURE = QuadratureNotation()
