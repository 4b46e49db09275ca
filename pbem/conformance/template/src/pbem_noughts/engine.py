"""The rules of Noughts: nine squares, and three marks in a line win; or, with goal=avoid, lose."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Self

from pbem import gamekit
from pbem.gamekit import (
    Diagram,
    Game,
    GameOver,
    IllegalMove,
    Legend,
    Mark,
    Option,
    Outcome,
    Played,
    PlayedWhole,
    Seat,
    either,
    last_move,
    other,
    together,
    with_entry,
)

SIDES = ("X", "O")
COLUMNS = ("a", "b", "c")
ROWS = tuple((row, tuple(f"{column}{row}" for column in COLUMNS)) for row in ("1", "2", "3"))
NAMES = tuple(cell for _, cells in ROWS for cell in cells)
LINES = (
    *(cells for _, cells in ROWS),
    *zip(*(cells for _, cells in ROWS), strict=True),
    ("a1", "b2", "c3"),
    ("a3", "b2", "c1"),
)
LEGEND = Legend(
    SIDES,
    (
        Mark(".", "empty", None, ("empty", "empty")),
        Mark("X", "piece", 0, ("cross", "crosses"), "x"),
        Mark("O", "piece", 1, ("ring", "rings"), "o"),
    ),
)


class Turn(NamedTuple):
    """A turn: the square that the player marks."""

    cell: str


class Reason(gamekit.Reason):
    """Why a turn is refused."""

    OFF_BOARD = "{token} is not on this board; its squares are a1 to c3"
    TAKEN = "{side} has {token} already; {free} would do"


@dataclass(frozen=True, slots=True)
class NoughtsPosition(PlayedWhole):
    """The state of a game. `marks` holds each side's squares, sorted."""

    avoid: bool
    turn: Seat | None = 0
    marks: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    outcome: Outcome | None = None

    def moves(self) -> Iterator[Turn]:
        """Yield every legal turn once."""
        return map(Turn, self._free()) if self.turn is not None else iter(())

    def _free(self) -> list[str]:
        return [cell for cell in NAMES if cell not in (*self.marks[0], *self.marks[1])]

    def play(self, move: Turn) -> Self:
        """Return the position after the turn; raise IllegalMove."""
        seat = self.turn
        if seat is None:
            raise GameOver(self.outcome)
        if move.cell not in NAMES:
            raise IllegalMove(Reason.OFF_BOARD, token=move.cell)
        for side, cells in zip(SIDES, self.marks, strict=True):
            if move.cell in cells:
                raise IllegalMove(Reason.TAKEN, token=move.cell, side=side, free=either(self._free()))
        own = tuple(sorted((*self.marks[seat], move.cell)))
        after = type(self)(self.avoid, other(seat), with_entry(self.marks, seat, own))
        outcome = self._ended(seat, own, after)
        return after if outcome is None else type(self)(self.avoid, None, after.marks, outcome)

    def _ended(self, seat: Seat, own: tuple[str, ...], after: Self) -> Outcome | None:
        """Return how a turn ends the game; None if it doesn't."""
        for line in LINES:
            if set(line) <= set(own):
                return Outcome(other(seat) if self.avoid else seat, f"{SIDES[seat]} has a line on {together(line)}")
        return None if after._free() else Outcome(None, "the board is full")

    def diagram(self, last: Played[Self, Turn] | None = None) -> Diagram:
        """Return the board with crosses X and rings O."""
        shown = {cell: side for side, cells in zip(SIDES, self.marks, strict=True) for cell in cells}
        rows = tuple((label, tuple((cell, shown.get(cell, ".")) for cell in cells)) for label, cells in ROWS)
        lit = frozenset(() if last is None else last.move)
        told = "" if last is None else last_move(f"a mark on {last.move.cell}")
        return Diagram("square", COLUMNS, rows, lit, legend=LEGEND, told=told)


def _start(chosen: Mapping[str, str]) -> NoughtsPosition:
    return NoughtsPosition(chosen["goal"] == "avoid")


GAME = Game(
    "noughts",
    "Noughts",
    (Option("goal", ("line", "avoid"), "whether a line wins or loses"),),
    _start,
    SIDES,
    "3x3: three in a row win",
)
