"""How turns of Noughts are written: `b2`, the square to mark."""

import re
from typing import Any

from pbem import gamekit as kit
from pbem_noughts.engine import SIDES, NoughtsPosition, Turn

_GAP = re.compile(r"[\s.!]*+")


class NoughtsNotation(kit.Notation[Turn]):
    """Reads and writes turns."""

    __slots__ = ()

    @property
    def help(self) -> str:
        """One line for players: how a turn is written, with an example."""
        return 'the square to mark: "b2"'

    def parse(self, text: str) -> Turn:
        """Return the turn that a text says, whatever the position; raise BadNotation."""
        kit.check_length(text)
        cell, at = kit.read_cell(text, kit.skip(_GAP, text, 0), "a square such as b2")
        at = kit.skip(_GAP, text, at)
        if at < len(text):
            raise kit.BadNotation(text, at, "the end of the turn")
        return Turn(cell)

    def format(self, move: Turn, position: kit.Position[Any]) -> str:
        """Return the canonical text: the square."""
        return move.cell

    def hint(self, position: kit.Position[Any]) -> kit.Hint | None:
        """Return what the player to move can write now; None when the game is over."""
        if not isinstance(position, NoughtsPosition) or position.turn is None:
            return None
        goal = "loses" if position.avoid else "wins"
        say = f"{SIDES[position.turn]} marks an empty square: write its name. A player with three in a line {goal}."
        return kit.Hint((kit.Passage(say),), next(position.moves()).cell)
