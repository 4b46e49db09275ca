"""Havannah: a ring, a bridge between two corners, or a fork between three sides."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from string import ascii_lowercase
from typing import ClassVar

from pbem import gamekit as kit
from pbem_classics import RULES
from pbem_classics.fields import SWAPS, Field, groups, size_in, two_sides
from pbem_classics.notation import CellNotation
from pbem_classics.spiel import SpielPosition

SIDES = ("White", "Black")


@cache
def field(rules: str) -> Field:
    """Return the board of a game: havannah(board_size=8)."""
    return Field(_hexagon(size_in(rules)), two_sides(SIDES, "WB", ("stone", "stones"), ("light", "dark")))


def _hexagon(side: int) -> kit.Board:
    """Return a hexagon whose columns slant, as Havannah has them: a1 is its upper left corner."""
    places = {}
    for row in range(2 * side - 1):
        for column in range(max(0, row - side + 1), min(side + row, 2 * side - 1)):
            places[f"{ascii_lowercase[column]}{row + 1}"] = (2 * column - row + side - 1, row)
    return kit.Board.of("hex", places)


@cache
def outline(side: int) -> tuple[frozenset[str], tuple[frozenset[str], ...]]:
    """Return the corners of a board, and its six sides without them."""
    board = _hexagon(side)
    near = board.neighbours()
    corners = frozenset(cell for cell in board.names if len(near[cell]) == 3)
    rest = {cell for cell in board.names if len(near[cell]) == 4}
    return corners, tuple(groups(rest, near))


class HavannahPosition(SpielPosition):
    """The state of a game."""

    __slots__ = ()
    signs = ".O@"
    simulations = 10
    aim: ClassVar[str] = (
        "{side} puts a stone on a free cell. A chain of stones wins that is a ring, or joins two corners, or three "
        "sides of the board; corners belong to no side."
    )

    @property
    def field(self) -> Field:
        return field(self.rules)

    def ended(self, winner: kit.Seat | None) -> str:
        if winner is None:
            return "the board is full"
        corners, sides = outline(size_in(self.rules))
        own = {cell for cell in self.marks() if self.owner(cell) == winner}
        return f"{SIDES[winner]} has {next(_shapes(groups(own, self.board.neighbours()), corners, sides), 'a ring')}"

    def why(self, move: str, cells: Sequence[str]) -> kit.IllegalMove:
        return self.placing(move) or super().why(move, cells)


def _shapes(
    chains: Sequence[frozenset[str]], corners: frozenset[str], sides: Sequence[frozenset[str]]
) -> Iterator[str]:
    for chain in chains:
        if len(both := sorted(chain & corners)) > 1:
            yield f"a bridge between {kit.together(both)}"
        if sum(bool(chain & side) for side in sides) > 2:
            yield "a fork between three sides"


def _start(chosen: Mapping[str, str]) -> HavannahPosition:
    return HavannahPosition(f"havannah(board_size={chosen['size']})", chosen["swap"] == "yes")


HAVANNAH = kit.GamePack(
    game=kit.Game(
        "havannah",
        "Havannah",
        (kit.Option("size", ("6", "8", "10"), "how many cells each side of the board has"), SWAPS),
        _start,
        SIDES,
        "a hexagon: make a ring, a bridge or a fork",
    ),
    notation=CellNotation("the cell for your stone", "f6", words=(kit.Special.SWAP,)),
    rules=RULES,
)
