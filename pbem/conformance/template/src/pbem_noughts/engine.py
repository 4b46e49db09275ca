"""The rules of Noughts: nine squares, and three marks in a line win; or, with goal=avoid, lose."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple, Self

from pbem import gamekit as kit

SIDES = ("X", "O")
BOARD = kit.rectangle(3, 3)
LINES = (
    *(cells for _, cells in BOARD.rows),
    *zip(*(cells for _, cells in BOARD.rows), strict=True),
    ("a1", "b2", "c3"),
    ("a3", "b2", "c1"),
)
LEGEND = kit.Legend(
    SIDES,
    (
        kit.Mark(".", "empty", None, ("empty", "empty")),
        kit.Mark("X", "piece", 0, ("cross", "crosses"), "x"),
        kit.Mark("O", "piece", 1, ("ring", "rings"), "o"),
    ),
)


class Turn(NamedTuple):
    """A turn: the square that the player marks."""

    cell: str


class Reason(kit.Reason):
    """Why a turn is refused."""

    OFF_BOARD = "{token} is not on this board; its squares are a1 to c3"
    TAKEN = "{side} has {token} already; {free} would do"


@dataclass(frozen=True, slots=True)
class NoughtsPosition(kit.PlayedWhole):
    """The state of a game. `marks` holds each side's squares, sorted."""

    avoid: bool
    turn: kit.Seat | None = 0
    marks: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())
    outcome: kit.Outcome | None = None

    def moves(self) -> Iterator[Turn]:
        """Yield every legal turn once."""
        return map(Turn, self._free()) if self.turn is not None else iter(())

    def _free(self) -> list[str]:
        return [cell for cell in BOARD.names if cell not in (*self.marks[0], *self.marks[1])]

    def play(self, move: Turn) -> Self:
        """Return the position after the turn; raise IllegalMove."""
        seat = self.turn
        if seat is None:
            raise kit.GameOver(self.outcome)
        if move.cell not in BOARD.names:
            raise kit.IllegalMove(Reason.OFF_BOARD, token=move.cell)
        for side, cells in zip(SIDES, self.marks, strict=True):
            if move.cell in cells:
                raise kit.IllegalMove(Reason.TAKEN, token=move.cell, side=side, free=kit.either(self._free()))
        own = tuple(sorted((*self.marks[seat], move.cell)))
        after = type(self)(self.avoid, kit.other(seat), kit.with_entry(self.marks, seat, own))
        outcome = self._ended(seat, own, after)
        return after if outcome is None else type(self)(self.avoid, None, after.marks, outcome)

    def _ended(self, seat: kit.Seat, own: tuple[str, ...], after: Self) -> kit.Outcome | None:
        """Return how a turn ends the game; None if it doesn't."""
        for line in LINES:
            if set(line) <= set(own):
                winner = kit.other(seat) if self.avoid else seat
                return kit.Outcome(winner, f"{SIDES[seat]} has a line on {kit.together(line)}")
        return None if after._free() else kit.Outcome(None, "the board is full")

    def diagram(self, last: kit.Played[Self, Turn] | None = None) -> kit.Diagram:
        """Return the board with crosses X and rings O."""
        shown = {cell: side for side, cells in zip(SIDES, self.marks, strict=True) for cell in cells}
        if last is None:
            return BOARD.diagram(shown, LEGEND)
        return BOARD.diagram(shown, LEGEND, lit=last.move, told=f"a mark on {last.move.cell}")


def _start(chosen: Mapping[str, str]) -> NoughtsPosition:
    return NoughtsPosition(chosen["goal"] == "avoid")


GAME = kit.Game(
    "noughts",
    "Noughts",
    (kit.Option("goal", ("line", "avoid"), "whether a line wins or loses"),),
    _start,
    SIDES,
    "3x3: three in a row win",
)
