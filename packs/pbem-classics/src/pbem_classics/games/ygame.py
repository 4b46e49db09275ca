"""Y: join the three sides of a triangle."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import ClassVar

from pbem import gamekit as kit
from pbem_classics import RULES
from pbem_classics.fields import SWAPS, Field, size_in, two_sides
from pbem_classics.notation import CellNotation
from pbem_classics.spiel import SpielPosition

SIDES = ("Black", "White")


@cache
def field(rules: str) -> Field:
    """Return the board of a game: y(board_size=11)."""
    return Field(kit.triangle(size_in(rules)), two_sides(SIDES, "BW", ("stone", "stones"), ("dark", "light")))


class YPosition(SpielPosition):
    """The state of a game. OpenSpiel's triangle stands on its tip, and ours has it on top."""

    __slots__ = ()
    signs = ".O@"
    simulations = 15
    aim: ClassVar[str] = (
        "{side} puts a stone on a free cell. A chain of stones that joins all three sides of the triangle wins; a "
        "corner belongs to two sides."
    )

    @property
    def field(self) -> Field:
        return field(self.rules)

    def native(self, cell: str) -> str:
        return f"{cell[0]}{size_in(self.rules) + 1 - int(cell[1:])}"

    def drawn_cells(self) -> Sequence[str]:
        return [cell for _, row in reversed(self.board.rows) for cell in row]

    def ended(self, winner: kit.Seat | None) -> str:
        return f"{SIDES[winner or 0]} joined the three sides"

    def why(self, move: str, cells: Sequence[str]) -> kit.IllegalMove:
        return self.placing(move) or super().why(move, cells)


def _start(chosen: Mapping[str, str]) -> YPosition:
    return YPosition(f"y(board_size={chosen['size']})", chosen["swap"] == "yes")


YGAME = kit.GamePack(
    game=kit.Game(
        "ygame",
        "Game of Y",
        (kit.Option("size", ("11", "9", "13"), "how many cells each side of the board has"), SWAPS),
        _start,
        SIDES,
        "a triangle of hexagons: join its three sides",
        draws=False,
        difficulty=1,
    ),
    notation=CellNotation("the cell for your stone", "e7", words=(kit.Special.SWAP,)),
    rules=RULES,
)
