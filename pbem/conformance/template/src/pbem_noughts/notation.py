"""How turns of Noughts are written: `b2`, the square to mark."""

import re
from typing import Any

from pbem.gamekit import BadNotation, Hint, Notation, Passage, Position, check_length
from pbem_noughts.engine import SIDES, NoughtsPosition, Turn

_TURN = re.compile(r"[\s.!]*+(?P<cell>[A-Za-z][0-9])[\s.!]*+")


class NoughtsNotation(Notation[Turn]):
    """Reads and writes turns."""

    __slots__ = ()

    @property
    def help(self) -> str:
        """One line for players: how a turn is written, with an example."""
        return 'the square to mark: "b2"'

    def parse(self, text: str) -> Turn:
        """Return the turn that a text says, whatever the position; raise BadNotation."""
        check_length(text)
        found = _TURN.match(text)
        if found is None:
            raise BadNotation(text, 0, "a square such as b2")
        if found.end() < len(text):
            raise BadNotation(text, found.end(), "the end of the turn")
        return Turn(found["cell"].lower())

    def format(self, move: Turn, position: Position[Any]) -> str:
        """Return the canonical text: the square."""
        return move.cell

    def hint(self, position: Position[Any]) -> Hint | None:
        """Return what the player to move can write now; None when the game is over."""
        if not isinstance(position, NoughtsPosition) or position.turn is None:
            return None
        goal = "loses" if position.avoid else "wins"
        say = f"{SIDES[position.turn]} marks an empty square: write its name. A player with three in a line {goal}."
        return Hint((Passage(say),), next(position.moves()).cell)
