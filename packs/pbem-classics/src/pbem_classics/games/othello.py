"""Othello: turn the discs between yours and the new one; most discs win."""

from collections.abc import Sequence
from itertools import product
from typing import Any, ClassVar, Self

from pbem import gamekit as kit
from pbem_classics import RULES
from pbem_classics.fields import Field, two_sides
from pbem_classics.notation import CellNotation
from pbem_classics.spiel import SpielPosition, Told, Turn

SIDES = ("Black", "White")
FIELD = Field(kit.rectangle(8, 8), two_sides(SIDES, "BW", ("disc", "discs"), ("dark", "light")))
PASS = 64
PLACES = tuple(product(range(8), repeat=2))
WORTH = ((30, -8, 4, 3), (-8, -12, -1, -1), (4, -1, 1, 0), (3, -1, 0, 1))
"""What a disc is worth by how far it is from the next edges."""


class Reason(kit.Reason):
    """Why a turn is refused."""

    TURNS_NOTHING = (
        "a disc on {token} turns nothing: from there to another disc of yours there must be a straight line of discs"
        " of {other}; {instead}"
    )


class OthelloPosition(SpielPosition):
    """The state of a game. Who can't move is passed over."""

    __slots__ = ()
    signs = "-xo"
    piece = "disc"
    aim: ClassVar[str] = (
        "{side} puts a disc on an empty square, so that discs of {other} are in a straight line between it and "
        "another of {side}'s. All of these turn over. Most discs win."
    )

    @property
    def field(self) -> Field:
        return FIELD

    @staticmethod
    def apply(state: Any, action: int) -> None:
        """Place the disc; whoever can't move is passed over."""
        state.apply_action(action)
        if state.legal_actions() == [PASS]:
            state.apply_action(PASS)

    @staticmethod
    def drawing(state: Any) -> str:
        return str(state).partition("\n")[2]

    def count(self, seat: kit.Seat) -> int:
        """Return how many discs a side has."""
        return list(self.marks().values()).count(FIELD.legend.marks[1 + seat].text)

    @classmethod
    def estimate(cls, state: Any) -> float:
        """Return a guess of the outcome for Black: corners, the squares beside them, and how many turns there are."""
        drawn = cls.drawing(state).replace(" ", "")
        squares = [sign for sign in drawn if sign in cls.signs]
        worth = sum(
            ((sign == "x") - (sign == "o")) * WORTH[min(row, 7 - row)][min(column, 7 - column)]
            for (row, column), sign in zip(PLACES, squares, strict=False)
        )
        turns = len(state.legal_actions()) * (1 if state.current_player() == 0 else -1)
        return max(-0.95, min(0.95, (worth + 2 * turns) / 150))

    def ended(self, winner: kit.Seat | None) -> str:
        black, white = (self.count(seat) for seat in kit.SEATS)
        return f"Black has {black} discs and White {white}"

    def why(self, move: str, cells: Sequence[str]) -> kit.IllegalMove:
        other = SIDES[kit.other(self.turn or 0)]
        return self.placing(move) or self.refused(Reason.TURNS_NOTHING, token=move, other=other)

    def remarks(self) -> Sequence[tuple[str, str]]:
        black, white = (self.count(seat) for seat in kit.SEATS)
        return ((f"B {black}, W {white}", f"Black has {black} discs, White has {white}."),)

    def told(self, before: Self, move: Turn) -> Told:
        turned = [cell for cell, mark in before.marks().items() if self.marks()[cell] != mark]
        passed = "" if self.turn != before.turn else f"; {SIDES[kit.other(self.turn or 0)]} can't move"
        return (str(move),), (), f"a disc on {move}, turning {kit.together(turned)}{passed}"


OTHELLO = kit.GamePack(
    game=kit.Game(
        "othello",
        "Othello",
        (),
        lambda _: OthelloPosition("othello"),
        SIDES,
        "8x8: turn discs by enclosing them; most discs win",
        difficulty=1,
    ),
    notation=CellNotation("the square for your disc", "d3"),
    rules=RULES,
)
