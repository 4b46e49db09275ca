"""Clobber: take a neighbour each turn; who can't, loses."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import ClassVar

from pbem import gamekit as kit
from pbem_classics import RULES
from pbem_classics.fields import Field, two_sides
from pbem_classics.notation import CellNotation
from pbem_classics.spiel import SpielPosition

SIDES = ("White", "Black")
SIZES = {"6x5": (6, 5), "8x8": (8, 8), "10x10": (10, 10)}


@cache
def field(rules: str) -> Field:
    """Return the board of a game: clobber(rows=5,columns=6)."""
    rows, columns = (int(each.partition("=")[2]) for each in rules.rstrip(")").split(","))
    board = kit.rectangle(columns, rows, first_on_top=False)
    return Field(board, two_sides(SIDES, "WB", ("stone", "stones"), ("light", "dark")))


class Reason(kit.Reason):
    """Why a turn is refused."""

    NOT_BESIDE = "a stone goes to a square beside it, not from {origin} to {target}; {instead}"
    NOTHING_TO_TAKE = "a stone must take one of {other}'s, and there is none on {target}; {instead}"


class ClobberPosition(SpielPosition):
    """The state of a game."""

    __slots__ = ()
    signs = ".ox"
    simulations = 12
    aim: ClassVar[str] = (
        "{side} takes a stone of {other} that is beside one of {side}'s, not diagonally: write the square that your "
        "stone leaves and the one where it takes. Who can't do that any more loses."
    )

    @property
    def field(self) -> Field:
        return field(self.rules)

    def ended(self, winner: kit.Seat | None) -> str:
        return f"{SIDES[1 - (winner or 0)]} can take nothing"

    def why(self, move: str, cells: Sequence[str]) -> kit.IllegalMove:
        origin, target = cells
        if self.owner(origin) != self.turn:
            return self.nothing_on(origin, move)
        beside = target in self.board.neighbours()[origin]
        reason = Reason.NOTHING_TO_TAKE if beside else Reason.NOT_BESIDE
        other = SIDES[1 - (self.turn or 0)]
        instead = self.instead(origin)
        return kit.IllegalMove(reason, token=move, origin=origin, target=target, other=other, instead=instead)


def _start(chosen: Mapping[str, str]) -> ClobberPosition:
    columns, rows = SIZES[chosen["size"]]
    return ClobberPosition(f"clobber(rows={rows},columns={columns})")


CLOBBER = kit.GamePack(
    game=kit.Game(
        "clobber",
        "Clobber",
        (kit.Option("size", tuple(SIZES), "how many columns and rows the board has"),),
        _start,
        SIDES,
        "take a neighbour each turn; who can't, loses",
        draws=False,
        difficulty=1,
    ),
    notation=CellNotation("the square that a stone leaves and the one where it takes", "a1a2", most=2),
    rules=RULES,
)
