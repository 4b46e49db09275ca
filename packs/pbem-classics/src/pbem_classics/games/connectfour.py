"""Connect Four: discs fall, and four in a row win."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pbem import gamekit as kit
from pbem_classics import RULES
from pbem_classics.fields import Field, two_sides
from pbem_classics.notation import CellNotation
from pbem_classics.spiel import SpielPosition

SIDES = ("Red", "Yellow")
FIELD = Field(kit.rectangle(7, 6, first_on_top=False), two_sides(SIDES, "RY", ("disc", "discs"), ("red", "yellow")))
LINES = [(cell, *ray[:3]) for cell, rays in FIELD.board.rays(kit.QUEEN).items() for ray in rays if len(ray) > 2]


class Reason(kit.Reason):
    """Why a turn is refused."""

    FALLS = "a disc doesn't stay on {token}, but falls to {lowest}"


class ConnectFourPosition(SpielPosition):
    """The state of a game. A turn is the square to which a disc falls."""

    __slots__ = ()
    signs = ".xo"
    simulations = 10
    piece = "disc"
    aim: ClassVar[str] = (
        "{side} drops a disc into a column, where it falls as far as it can: write the square where it comes to "
        "rest. Four discs in a row win, also upright or slanting."
    )

    @property
    def field(self) -> Field:
        return FIELD

    def word(self, state: Any, actions: Sequence[int]) -> str:
        rows = str(state).split()
        return f"{'abcdefg'[actions[0]]}{7 - sum(row[actions[0]] == '.' for row in rows)}"

    def ended(self, winner: kit.Seat | None) -> str:
        if winner is None:
            return "the board is full"
        line = next(line for line in LINES if all(self.owner(cell) == winner for cell in line))
        return f"{SIDES[winner]} has four in a row on {kit.together(sorted(line))}"

    def why(self, move: str, cells: Sequence[str]) -> kit.IllegalMove:
        lowest = next((text for text in self.legal() if text[0] == move[0]), "")
        instead = {"instead": f"a disc in this column falls to {lowest}"} if lowest else {}
        return self.placing(move, **instead) or kit.IllegalMove(Reason.FALLS, token=move, lowest=lowest)


def _start(_: Mapping[str, str]) -> ConnectFourPosition:
    return ConnectFourPosition("connect_four")


CONNECTFOUR = kit.GamePack(
    game=kit.Game(
        "connectfour",
        "Connect Four",
        (),
        _start,
        SIDES,
        "7x6: discs fall into columns; four in a row win",
        difficulty=1,
    ),
    notation=CellNotation("the square to which your disc falls", "d1"),
    rules=RULES,
)
