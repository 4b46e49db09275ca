"""Breakthrough: bring a man to the far side of the board."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pbem import gamekit as kit
from pbem_classics import RULES
from pbem_classics.fields import Field, two_sides
from pbem_classics.notation import CellNotation
from pbem_classics.spiel import SpielPosition

SIDES = ("White", "Black")
FIELD = Field(
    kit.rectangle(8, 8, first_on_top=False),
    two_sides(SIDES, "WB", ("man", "men"), ("light", "dark"), is_turned=True),
)


class Reason(kit.Reason):
    """Why a turn is refused."""

    NOT_AHEAD = "a man goes one square ahead, straight or diagonally, and not from {origin} to {target}; {instead}"
    OWN_MAN = "a man of yours is on {target}; {instead}"
    NO_WAY_STRAIGHT = "men take diagonally only, and {target} is taken; {instead}"


class BreakthroughPosition(SpielPosition):
    """The state of a game. OpenSpiel's first player begins at the top, and ours at the bottom."""

    __slots__ = ()
    signs = ".bw"
    piece = "man"
    aim: ClassVar[str] = (
        "{side} goes one square ahead with a man, straight or diagonally, and takes a man of {other} diagonally "
        "only. Write the square that the man leaves and the one where it goes. Who reaches the far side first wins."
    )

    @property
    def field(self) -> Field:
        return FIELD

    def native(self, cell: str) -> str:
        return f"{cell[0]}{9 - int(cell[1])}"

    def drawn_cells(self) -> Sequence[str]:
        return [cell for _, row in reversed(self.board.rows) for cell in row]

    @classmethod
    def estimate(cls, state: Any) -> float:
        """Return a guess of the outcome for White: men, and how far they have come."""
        squares = "".join(line[1:] for line in str(state).split("\n")[:8])
        ahead = [(at // 8, 7 - at // 8, sign) for at, sign in enumerate(squares) if sign != "."]
        white, black = (sum(10 + way[seat] ** 2 for *way, sign in ahead if sign == "bw"[seat]) for seat in kit.SEATS)
        return max(-0.95, min(0.95, (white - black) / 200))

    def ended(self, winner: kit.Seat | None) -> str:
        row = 8 if winner == 0 else 1
        far = [cell for cell in self.marks() if self.owner(cell) == winner and int(cell[1]) == row]
        return (
            f"{SIDES[winner or 0]} has reached {far[0]}" if far else f"{SIDES[kit.other(winner or 0)]} has no men left"
        )

    def why(self, move: str, cells: Sequence[str]) -> kit.IllegalMove:
        origin, target = cells
        details = {"token": move, "origin": origin, "target": target, "instead": self.instead(origin)}
        if self.owner(origin) != self.turn:
            return self.nothing_on(origin, move)
        ahead, aside = int(target[1]) - int(origin[1]), abs(ord(target[0]) - ord(origin[0]))
        if ahead != (1, -1)[self.turn or 0] or aside > 1:
            return kit.IllegalMove(Reason.NOT_AHEAD, **details)
        if self.owner(target) == self.turn:
            return kit.IllegalMove(Reason.OWN_MAN, **details)
        return kit.IllegalMove(Reason.NO_WAY_STRAIGHT, **details)


def _start(_: Mapping[str, str]) -> BreakthroughPosition:
    return BreakthroughPosition("breakthrough")


BREAKTHROUGH = kit.GamePack(
    game=kit.Game(
        "breakthrough",
        "Breakthrough",
        (),
        _start,
        SIDES,
        "8x8: a man that reaches the far side wins",
        draws=False,
        difficulty=1,
    ),
    notation=CellNotation("the square that a man leaves and the one where it goes", "e2e3", most=2),
    rules=RULES,
)
