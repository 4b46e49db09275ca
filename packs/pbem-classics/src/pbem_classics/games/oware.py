"""Oware: sow seeds around the board, and capture twos and threes."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from pbem import gamekit as kit
from pbem_classics import RULES
from pbem_classics.fields import Field
from pbem_classics.notation import CellNotation
from pbem_classics.spiel import SpielPosition, Told, Turn

SIDES = ("South", "North")
ROWS = ("a1", "b1", "c1", "d1", "e1", "f1"), ("a2", "b2", "c2", "d2", "e2", "f2")
"""The houses of each side, from its left to its right."""
SEEDS = 48
BOARD = kit.Board.of(
    "square",
    {name: (2 * at, 1) for at, name in enumerate(ROWS[0])}
    | {name: (10 - 2 * at, 0) for at, name in enumerate(ROWS[1])},
)
LEGEND = kit.Legend(
    SIDES,
    (
        kit.Mark(".", "empty", None, ("empty", "empty")),
        *(
            kit.Mark(str(seeds), "piece", None, (f"house of {seeds}", f"houses of {seeds}"), str(seeds))
            for seeds in range(1, SEEDS + 1)
        ),
    ),
)
FIELD = Field(BOARD, LEGEND)


class OwareReason(kit.Reason):
    """Why a turn is refused."""

    NOT_YOURS = "{token} is a house of {other}; {instead}"
    EMPTY = "there are no seeds in {token}; {instead}"
    STARVES = "{other} has no seeds, so your turn must reach {other}'s row, and from {token} it doesn't; {instead}"


class OwarePosition(SpielPosition):
    """The state of a game. What a side has captured stands beside the board."""

    __slots__ = ()
    signs = ".xo"
    aim: ClassVar[str] = (
        "{side} empties a house of its own row and sows the seeds one by one to the right and around the board. "
        "Where the last one makes two or three in a house of {other}, {side} captures them. Write the house that you "
        "empty."
    )

    @property
    def field(self) -> Field:
        return FIELD

    @classmethod
    def estimate(cls, state: Any) -> float:
        """Return a guess of the outcome for South: what each side has captured, and how many seeds it holds."""
        south, north = _captured(state)
        seeds = _seeds(state)
        held = sum(seeds[cell] for cell in ROWS[0]) - sum(seeds[cell] for cell in ROWS[1])
        return max(-0.95, min(0.95, (south - north + held / 8) / 24))

    def word(self, state: Any, actions: Sequence[int]) -> str:
        return ROWS[state.current_player()][actions[0]]

    def drawn(self) -> dict[str, str]:
        return {cell: str(seeds) for cell, seeds in _seeds(self.here).items() if seeds}

    def ended(self, winner: kit.Seat | None) -> str:
        south, north = _captured(self.here)
        return f"South has {south} seeds and North {north}"

    def why(self, move: str, cells: Sequence[str]) -> kit.IllegalMove:
        seat = self.turn or 0
        if move not in ROWS[seat]:
            return self.refused(OwareReason.NOT_YOURS, token=move, other=SIDES[1 - seat])
        reason = OwareReason.STARVES if move in self.marks() else OwareReason.EMPTY
        return self.refused(reason, token=move, other=SIDES[1 - seat])

    def remarks(self) -> Sequence[tuple[str, str]]:
        south, north = _captured(self.here)
        return ((f"South {south}, North {north}", f"South has captured {south} seeds, North {north}."),)

    def told(self, before: Self, move: Turn) -> Told:
        """Return the houses that the turn has changed."""
        was, now = before.marks(), self.marks()
        won = sum(_captured(self.here)) - sum(_captured(before.here))
        changed = [cell for cell in BOARD.names if was.get(cell) != now.get(cell)]
        captured = f", capturing {won}" if won and self.turn is not None else ""
        return changed, (), f"{was[str(move)]} from {move}{captured}"


def _captured(state: Any) -> tuple[int, int]:
    north, south = re.findall(r"score = (\d+)", str(state))
    return int(south), int(north)


def _seeds(state: Any) -> dict[str, int]:
    rows = [list(map(int, line.split())) for line in str(state).splitlines() if re.fullmatch(r"[\d ]+", line)]
    return dict(zip((*reversed(ROWS[1]), *ROWS[0]), (*rows[0], *rows[1]), strict=True))


def _start(_: Mapping[str, str]) -> OwarePosition:
    return OwarePosition("oware")


OWARE = kit.GamePack(
    game=kit.Game("oware", "Oware", (), _start, SIDES, "12 houses: sow seeds, and capture twos and threes"),
    notation=CellNotation("the house that you empty", "c1"),
    rules=RULES,
)
