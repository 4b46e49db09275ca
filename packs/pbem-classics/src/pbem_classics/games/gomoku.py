"""Gomoku: five in a row."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, ClassVar

from pbem import gamekit as kit
from pbem_classics import RULES
from pbem_classics.fields import SWAPS, Field, size_in, two_sides
from pbem_classics.notation import CellNotation
from pbem_classics.spiel import SpielPosition

SIDES = ("Black", "White")


@cache
def field(rules: str) -> Field:
    """Return the board of a game: gomoku(size=15)."""
    board = kit.rectangle(size_in(rules), size_in(rules), first_on_top=False)
    return Field(board, two_sides(SIDES, "BW", ("stone", "stones"), ("dark", "light")))


class GomokuPosition(SpielPosition):
    """The state of a game."""

    __slots__ = ()
    signs = ".bw"
    aim: ClassVar[str] = (
        "{side} puts a stone on a free square. Five stones in a row win, across, upright or slanting; more than five "
        "count, too."
    )

    @property
    def field(self) -> Field:
        return field(self.rules)

    def word(self, state: Any, actions: Sequence[int]) -> str:
        return self.board.names[actions[0]]

    @staticmethod
    def drawing(state: Any) -> str:
        return str(state).partition("\n")[2]

    def ended(self, winner: kit.Seat | None) -> str:
        if winner is None:
            return "the board is full"
        own = {cell for cell in self.marks() if self.owner(cell) == winner}
        rays = self.board.rays(kit.QUEEN)
        lines = ((cell, *ray[:4]) for cell in own for ray in rays[cell] if len(ray) > 3)
        line = next(line for line in lines if own.issuperset(line))
        return f"{SIDES[winner]} has five in a row from {min(line[0], line[-1])} to {max(line[0], line[-1])}"

    def why(self, move: str, cells: Sequence[str]) -> kit.IllegalMove:
        return self.placing(move) or super().why(move, cells)


def _start(chosen: Mapping[str, str]) -> GomokuPosition:
    return GomokuPosition(f"gomoku(size={chosen['size']})", chosen["swap"] == "yes")


GOMOKU = kit.GamePack(
    game=kit.Game(
        "gomoku",
        "Gomoku",
        (kit.Option("size", ("15", "13", "19"), "how many rows and columns the board has"), SWAPS),
        _start,
        SIDES,
        "five stones in a row win",
        difficulty=1,
    ),
    notation=CellNotation("the square for your stone", "h8", words=(kit.Special.SWAP,)),
    rules=RULES,
)
