"""Lines of Action: a man goes as far as there are men on its line; bring all of yours together."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pbem import gamekit as kit
from pbem_classics import RULES
from pbem_classics.fields import Field, groups, two_sides
from pbem_classics.notation import CellNotation
from pbem_classics.spiel import SpielPosition

SIDES = ("Black", "White")
FIELD = Field(kit.rectangle(8, 8, first_on_top=False), two_sides(SIDES, "BW", ("man", "men"), ("dark", "light")))
RAYS = FIELD.board.rays(kit.QUEEN)
NEAR = FIELD.board.neighbours(kit.QUEEN)
OPPOSITE = [kit.QUEEN.index((-right, -down)) for right, down in kit.QUEEN]
"""For each of the eight lines that leave a square, the one that leaves it the other way."""


class Reason(kit.Reason):
    """Why a turn is refused."""

    NOT_STRAIGHT = "a man goes in a straight line, and not from {origin} to {target}; {instead}"
    NOT_SO_FAR = "on that line there are {men} men, so a man goes {men} squares there, to {right}; {instead}"
    TOO_FAR = "on that line there are {men} men, so a man would go {men} squares, which leads off the board; {instead}"
    OWN_MAN = "a man of yours is on {target}; {instead}"
    JUMPS = "a man can't jump over men of the other side, and one is on {at}; {instead}"


class LinesPosition(SpielPosition):
    """The state of a game."""

    __slots__ = ()
    signs = ".xo"
    piece = "man"
    aim: ClassVar[str] = (
        "{side} moves a man in a straight line, as many squares as there are men of both sides on that line. It can "
        "jump over men of {side}, and takes a man of {other} where it lands. Who has all men in one group wins."
    )

    @property
    def field(self) -> Field:
        return FIELD

    @classmethod
    def estimate(cls, state: Any) -> float:
        """Return a guess of the outcome for Black: how close to each other the men of each side are."""
        squares = [(at // 10, at % 10, sign) for at, sign in enumerate(str(state)[:80]) if sign in "xo"]
        black, white = (_scattered([(row, column) for row, column, sign in squares if sign == own]) for own in "xo")
        return max(-0.95, min(0.95, (white - black) / 4))

    def ended(self, winner: kit.Seat | None) -> str:
        if winner is None:
            return "the same position came up again"
        own = {cell for cell in self.marks() if self.owner(cell) == winner}
        return (
            f"all men of {SIDES[winner]} are connected"
            if len(groups(own, NEAR)) == 1
            else f"{SIDES[1 - winner]} can't move"
        )

    def why(self, move: str, cells: Sequence[str]) -> kit.IllegalMove:
        origin, target = cells
        if self.owner(origin) != self.turn:
            return self.nothing_on(origin, move)
        details = {"token": move, "origin": origin, "target": target, "instead": self.instead(origin)}
        way = next((way for way, ray in enumerate(RAYS[origin]) if target in ray), None)
        if way is None:
            return kit.IllegalMove(Reason.NOT_STRAIGHT, **details)
        ahead, marks = RAYS[origin][way], self.marks()
        men = 1 + sum(cell in marks for cell in (*ahead, *RAYS[origin][OPPOSITE[way]]))
        if men > len(ahead):
            return kit.IllegalMove(Reason.TOO_FAR, men=men, **details)
        if target != ahead[men - 1]:
            return kit.IllegalMove(Reason.NOT_SO_FAR, men=men, right=ahead[men - 1], **details)
        if self.owner(target) == self.turn:
            return kit.IllegalMove(Reason.OWN_MAN, **details)
        at = next(cell for cell in ahead if self.owner(cell) not in (None, self.turn))
        return kit.IllegalMove(Reason.JUMPS, at=at, **details)


def _scattered(men: list[tuple[int, int]]) -> float:
    """Return how far men are on average from their centre."""
    row, column = (sum(each) / len(men) for each in zip(*men, strict=True))
    return float(sum(max(abs(r - row), abs(c - column)) for r, c in men) / len(men))


def _start(_: Mapping[str, str]) -> LinesPosition:
    return LinesPosition("lines_of_action")


LOA = kit.GamePack(
    game=kit.Game("loa", "Lines of Action", (), _start, SIDES, "8x8: bring all your men together in one group"),
    notation=CellNotation("the square that a man leaves and the one where it goes", "b1b3", most=2),
    rules=RULES,
)
