"""How turns of Noughts and Crosses are written: `b2`, the square to mark."""

import re
from typing import Any

from engines.core import Position
from notation.core import BadNotation, Notation
from notation.hints import Hint, Passage
from notation.tokens import CELL, check_end_of_cell, check_length, refuse_cell, skip
from tests.example.engine import NAMES, ROWS, SIDES, NoughtsPosition, Turn

_GAP = re.compile(r"[\s.!]*+")
_CELL = re.compile(CELL)


class NoughtsNotation(Notation[Turn]):
    """Reads and writes the turns of Noughts and Crosses."""

    __slots__ = ()

    @property
    def help(self) -> str:
        """One line for players: how a turn is written, with an example."""
        return 'the square to mark: "b2"'

    def parse(self, text: str) -> Turn:
        """Return the turn that a text says, whatever the position; raise BadNotation."""
        check_length(text)
        at = skip(_GAP, text, 0)
        found = _CELL.match(text, at)
        if found is None:
            raise BadNotation(text, at, "a square such as b2")
        cell = found[0].lower()
        check_end_of_cell(text, found.end(), "square")
        if cell not in NAMES:
            refuse_cell(text, at, cell, ROWS)
        end = skip(_GAP, text, found.end())
        if end < len(text):
            raise BadNotation(text, end, "the end of the turn")
        return Turn(cell)

    def format(self, move: Turn, position: Position[Any]) -> str:
        """Return the canonical text: the square."""
        return move.cell

    def hint(self, position: Position[Any]) -> Hint | None:
        """Return what the player to move can write now; None when the game is over."""
        assert isinstance(position, NoughtsPosition)
        if position.turn is None:
            return None
        goal = "loses" if position.avoid else "wins"
        say = f"{SIDES[position.turn]} marks an empty square: write its name. A player with three in a line {goal}."
        return Hint((Passage(say),), next(position.moves()).cell)


NOUGHTS = NoughtsNotation()
