"""Checkers, or English draughts: jump over men, and crown yours on the far side."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pbem import gamekit as kit
from pbem_classics import RULES
from pbem_classics.fields import Field
from pbem_classics.notation import CellNotation
from pbem_classics.spiel import CELL, SpielPosition

SIDES = ("Black", "White")
BOARD = kit.rectangle(8, 8, first_on_top=False)
RAYS = BOARD.rays(kit.DIAGONAL)
NEAR = BOARD.neighbours(kit.DIAGONAL)
FIELD = Field(
    BOARD,
    kit.Legend(
        SIDES,
        (
            kit.Mark(".", "empty", None, ("empty", "empty")),
            kit.Mark("b", "piece", 0, ("man", "men")),
            kit.Mark("w", "piece", 1, ("man", "men")),
            kit.Mark("B", "piece", 0, ("king", "kings"), "K"),
            kit.Mark("W", "piece", 1, ("king", "kings"), "K"),
        ),
        ("dark", "light"),
        areas=(BOARD.dark,),
        area_names=("the dark squares",),
        is_turned=True,
    ),
)
KINGS = {"o": "b", "+": "w", "8": "B", "*": "W"}
"""OpenSpiel's signs."""


class Reason(kit.Reason):
    """Why a turn is refused."""

    MUST_JUMP = "who can jump must do so; {instead}"
    GOES_ON = "the jump goes on from {target}; {instead}"
    NO_WAY = "a man goes one square ahead diagonally, a king also back, and not from {origin} to {target}; {instead}"
    NOT_FREE = "{target} is taken; {instead}"


class CheckersPosition(SpielPosition):
    """The state of a game. A turn names all squares where a piece lands."""

    __slots__ = ()
    signs = ".o+"
    piece = "man"
    in_steps = True
    aim: ClassVar[str] = (
        "{side} goes one square ahead diagonally, or jumps over a piece of {other} and takes it: write the squares "
        "where the piece stands and lands. Who can jump must, as often as the piece can."
    )

    @property
    def field(self) -> Field:
        return FIELD

    def word(self, state: Any, actions: Sequence[int]) -> str:
        steps = [CELL.findall(state.action_to_string(action)) for action in actions]
        return "".join((steps[0][0], *(target for _, target in steps)))

    def drawn(self) -> dict[str, str]:
        signs = "".join(line[1:] for line in str(self.here).splitlines()[:8])
        return {cell: KINGS[sign] for cell, sign in zip(BOARD.names, signs, strict=True) if sign in KINGS}

    @classmethod
    def estimate(cls, state: Any) -> float:
        """Return a guess of the outcome for Black: men and kings, and how far men have come."""
        worth = 0.0
        for row, line in enumerate(str(state).splitlines()[:8]):
            for sign in line[1:]:
                worth += {"o": 1 + (7 - row) / 30, "+": -1 - row / 30, "8": 1.6, "*": -1.6}.get(sign, 0)
        return max(-0.95, min(0.95, worth / 8))

    def ended(self, winner: kit.Seat | None) -> str:
        if winner is None:
            return "40 turns in a row took nothing"
        has_pieces = any(self.owner(cell) == 1 - winner for cell in self.marks())
        return f"{SIDES[1 - winner]} can't move" if has_pieces else f"{SIDES[1 - winner]} has no men left"

    def why(self, move: str, cells: Sequence[str]) -> kit.IllegalMove:
        origin, *_, target = cells
        legal = list(self.legal())
        details = {"token": move, "origin": origin, "target": target, "instead": self.instead(origin)}
        if self.owner(origin) != self.turn:
            return self.nothing_on(origin, move)
        if any(text.startswith(move) for text in legal):
            return kit.IllegalMove(Reason.GOES_ON, **details)
        if self.owner(target) is not None:
            return kit.IllegalMove(Reason.NOT_FREE, **details)
        if len(cells) == 2 and target in NEAR[origin] and any(_jumps(text) for text in legal):
            return self.refused(Reason.MUST_JUMP, token=move, instead=f"you can play {kit.either(legal)}")
        return kit.IllegalMove(Reason.NO_WAY, **details)


def _jumps(text: str) -> bool:
    origin, target = re.findall(r"[a-h][1-8]", text)[:2]
    return target not in NEAR[origin]


def _start(_: Mapping[str, str]) -> CheckersPosition:
    return CheckersPosition("checkers")


CHECKERS = kit.GamePack(
    game=kit.Game("checkers", "Checkers", (), _start, SIDES, "8x8 draughts: jump over men, and crown yours"),
    notation=CellNotation("the squares where a piece stands and lands", "c3d4", most=13),
    rules=RULES,
)
