"""How turns of Quadrature are written: `e3f4`, the square that a man leaves and the square it goes to."""

import re
from typing import Any

from engines.core import Position
from engines.quadrature.board import INDEX, MOST, ROWS, SIDES
from engines.quadrature.position import QuadraturePosition
from engines.step import Step
from notation.core import BadNotation, Notation
from notation.hints import Hint, Passage
from notation.tokens import ARROW, check_length, read_cell, refuse_cell, skip

EXAMPLE = "e3f4"
CHOICES = 16
"""The most turns that are listed in full; if there are more, only an example is given."""

_LEAD = re.compile(r"\s*+")
_TO = re.compile(rf"\s*+(?:(?:{ARROW}|,)\s*+)?+")
_TAKES = re.compile(r"[\s,;]*+[xX\u00d7]\s*+(?=[A-Za-z])")
_AND = re.compile(r"[\s,;+]*+(?:[aA][nN][dD]\s*+)?+(?=[A-Za-z])")
_TAIL = re.compile(r"[\s,;.!]*+")


class QuadratureNotation(Notation[Step]):
    __slots__ = ()

    @property
    def help(self) -> str:
        return f'where the man stands and where it goes: "{EXAMPLE}"'

    def parse(self, text: str) -> Step:
        """Return the turn that a text says, whatever the position; raise BadNotation.

        The squares of exchanged men can follow after an x. They add no information and are ignored.

        >>> QUADRATURE.parse("E3-f4 x c4, a4.")
        Step(origin='e3', target='f4')
        """
        check_length(text)
        origin, at = _square(text, skip(_LEAD, text, 0), f"a turn such as {EXAMPLE}")
        lands = f"the square to which {origin} goes, as in {EXAMPLE}"
        target, at = _square(text, skip(_TO, text, at), lands)
        if takes := _TAKES.match(text, at):
            _, at = _square(text, takes.end(), "an exchanged square")
            while more := _AND.match(text, at):
                _, at = _square(text, more.end(), "an exchanged square")
        at = skip(_TAIL, text, at)
        if at < len(text):
            raise BadNotation(text, at, "the end of the turn, or x and the squares of exchanged men")
        return Step(origin, target)

    def format(self, move: Step, position: Position[Any]) -> str:
        return str(move)

    def hint(self, position: Position[Any]) -> Hint | None:
        assert isinstance(position, QuadraturePosition)  # noqa: S101 - the registries pair games and notations
        seat = position.turn
        if seat is None:
            return None
        out = position.sitting_out
        again = "" if out is None else f"{SIDES[out]} can't move and sits out, so {SIDES[seat]} moves again. "
        towards = ("up, towards row 11", "down, towards row 1")[seat]
        basics = (
            f"{SIDES[seat]} moves {towards}. Write where a man stands and where it goes: one square forward, "
            "diagonally forward or sideways."
        )
        turns = tuple(position.moves())
        say = f"{again}{_marker(position.markers[seat])}".strip()
        passages = [Passage(say)] if say else []
        if len(turns) <= CHOICES:
            passages.append(Passage("Here are all the legal turns:", tuple(map(str, turns))))
        if drawn := tuple(str(turn) for turn in turns if position.would_repeat(turn)):
            passages.append(
                Passage("These turns end the match in a draw: the men would stand exactly as they once did.", drawn)
            )
        return Hint(tuple(passages), str(turns[0]), basics)


def _square(text: str, at: int, expected: str) -> tuple[str, int]:
    """Return the square at this place and where the text continues; to look it up by row is half of reading a turn."""
    cell, end = read_cell(text, at, expected)
    if cell not in INDEX:
        refuse_cell(text, at, cell, ROWS)
    return cell, end


def _marker(shown: int) -> str:
    if shown == MOST:
        return "The marker shows |2|, so going sideways must square something."
    if shown:
        return "The marker shows |1|: a man may go sideways without squaring once more."
    return ""


QUADRATURE = QuadratureNotation()
