"""How turns of Hex are written: `f6`, the cell for the stone, or `swap`."""

import re
from typing import Any

from pbem import gamekit as kit
from pbem_classics.hex.engine import EDGES, SIDES, HexPosition, Turn

_GAP = re.compile(r"[\s.!]*+")


class HexNotation(kit.Notation[Turn]):
    """Reads and writes the turns of Hex."""

    __slots__ = ()

    @property
    def help(self) -> str:
        """One line for players: how a turn is written, with an example."""
        return 'the cell for your stone, or swap (as the second turn of the match): "f6"'

    def parse(self, text: str) -> Turn:
        """Return the turn that a text says, whatever the position; raise BadNotation.

        >>> HexNotation().parse(" F6. "), HexNotation().parse("Swap!")
        ('f6', <Special.SWAP: 'swap'>)
        """
        kit.check_length(text)
        if special := kit.read_special(text, kit.Special.SWAP):
            return special
        cell, at = kit.read_cell(text, kit.skip(_GAP, text, 0), "a cell such as f6, or swap")
        at = kit.skip(_GAP, text, at)
        if at < len(text):
            raise kit.BadNotation(text, at, "the end of the turn: it has one cell")
        return cell

    def format(self, move: Turn, position: kit.Position[Any]) -> str:
        """Return the canonical text: the cell, or `swap`."""
        return str(move)

    def hint(self, position: kit.Position[Any]) -> kit.Hint | None:
        """Return what the player to move can write now; None when the game is over."""
        seat = position.turn
        if not isinstance(position, HexPosition) or seat is None:
            return None
        basics = f"{SIDES[seat]} joins {kit.together(EDGES[seat])}. Write the free cell where your stone goes."
        swaps = position.stones[0] if position.can_swap else ()
        passages = tuple(kit.swap_passage(cell, kit.mirrored) for cell in swaps)
        return kit.Hint(passages, str(next(position.moves())), basics)
