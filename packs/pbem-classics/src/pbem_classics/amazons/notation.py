"""How turns of Amazons are written: `d1d7 g7`, the step of an amazon and the square of her arrow."""

import re
from typing import Any

from pbem import gamekit as kit
from pbem_classics.amazons.engine import BOARD, SIDES, AmazonsPosition, Turn, reached

_TO = re.compile(rf"\s*+(?:{kit.ARROW}\s*+)?+")
_SHOOTS = re.compile(rf"[\s,;/(xX]*+(?:[aA]rrow\s*+)?+(?:{kit.ARROW}\s*+)?+")
_TAIL = re.compile(r"[\s,;.!)]*+")


class AmazonsNotation(kit.Notation[Turn]):
    """Reads and writes the turns of Amazons."""

    __slots__ = ()

    @property
    def help(self) -> str:
        """One line for players: how a turn is written, with an example."""
        return 'where an amazon stands, where she goes, and where she shoots: "d1d7 g7"'

    def parse(self, text: str) -> Turn:
        """Return the turn, part or completion that a text says, whatever the position; raise BadNotation.

        >>> str(AmazonsNotation().parse("D1-d7 (g7)")), AmazonsNotation().parse("g7")
        ('d1d7 g7', Turn(step=None, arrow='g7'))
        """
        kit.check_length(text)
        squares: list[str] = []
        at = kit.skip(_SHOOTS, text, 0)
        for then in (_TO, _SHOOTS, _TAIL):
            if not squares or kit.skip(_TAIL, text, at) < len(text):
                square, at = kit.read_cell(text, at, "a turn such as d1d7 g7", BOARD.rows)
                squares, at = [*squares, square], kit.skip(then, text, at)
        if kit.skip(_TAIL, text, at) < len(text):
            raise kit.BadNotation(text, at, "the end of the turn")
        if len(squares) == 1:
            return Turn(None, squares[0])
        return Turn(kit.Step(squares[0], squares[1]), squares[2] if squares[2:] else None)

    def format(self, move: Turn, position: kit.Position[Any]) -> str:
        """Return the canonical text: the step and the arrow, or one of them."""
        return str(move)

    def midway(self, chosen: str, position: kit.Position[Any]) -> kit.Position[Any]:
        """Return the position with the amazon where her chosen step brings her."""
        turn = next((Turn(kit.Step(*step), None) for step in kit.steps_of(chosen)), None)
        return position.play(turn) if turn in position.parts() else position  # g10h1 may become g10h10

    def hint(self, position: kit.Position[Any]) -> kit.Hint | None:
        """Return what the player to move can write now; None when the game is over."""
        if not isinstance(position, AmazonsPosition) or position.turn is None:
            return None
        example = str(next(position.moves()))
        if position.begun is not None:
            say = f"The amazon has gone from {position.begun.spoken}. What's left is the square of her arrow."
            return kit.Hint((kit.Passage(say),), example)
        basics = (
            f"{SIDES[position.turn]} moves an amazon as a queen goes in chess. Then she shoots an arrow that goes the "
            "same way. Write where she stands and goes, and the square of the arrow; you can also send that later."
        )
        stuck = [square for square in position.amazons[position.turn] if not any(reached(square, position.taken))]
        passages = (kit.Passage(f"There is no way from {kit.together(stuck)}."),) if stuck else ()
        return kit.Hint(passages, example, basics)
