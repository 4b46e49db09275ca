"""A toy game with swap and pass, for tests: sides fill a row of six cells, and who has more when both pass wins."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Self

from engines import core
from engines.board import rectangle
from engines.core import Game, IllegalMove, Outcome, Played, PlayedWhole, Position, Seat
from engines.diagram import Diagram, Legend, Mark
from engines.seats import other, with_entry
from engines.special import Special, taken_over
from notation.core import BadNotation, Notation
from notation.hints import PASS_PASSAGE, SWAP_PASSAGE, Hint, Passage
from notation.tokens import read_special

BOARD = rectangle(6, 1)
SIDES = ("Red", "Yellow")
LEGEND = Legend(
    SIDES,
    (
        Mark(".", "empty", None, ("empty", "empty")),
        Mark("R", "piece", 0, ("stone", "stones")),
        Mark("Y", "piece", 1, ("stone", "stones")),
    ),
    tones=("red", "yellow"),
)
Turn = str | Special


class Reason(core.Reason):
    """Why a turn is refused."""

    OVER = "the game is over"
    TAKEN = "{token} is not free"
    NO_SWAP = "you can swap only in the second turn of the match"


@dataclass(frozen=True, slots=True)
class Row(PlayedWhole):
    """The state of a game: each side's cells, and whether the last turn was a pass."""

    stones: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())
    turn: Seat | None = 0
    passed: bool = False
    outcome: Outcome | None = None

    @property
    def may_swap(self) -> bool:
        """Whether this is the second turn, and the first placed a stone."""
        return self.turn == 1 and len(self.stones[0]) == 1 and not self.stones[1]

    def moves(self) -> Iterator[Turn]:
        """Yield every legal turn once."""
        if self.turn is not None:
            yield from sorted(set(BOARD.names) - self.stones[0] - self.stones[1])
            yield Special.PASS
            yield from [Special.SWAP] * self.may_swap

    def play(self, move: Turn) -> Self:
        """Return the position after the turn; raise IllegalMove."""
        if self.turn is None:
            raise IllegalMove(Reason.OVER)
        if move is Special.SWAP and not self.may_swap:
            raise IllegalMove(Reason.NO_SWAP, token=str(move))
        if move not in list(self.moves()):
            raise IllegalMove(Reason.TAKEN, token=move)
        stones = self.stones
        if move is Special.SWAP:
            stones = taken_over(stones)
        elif isinstance(move, str):
            stones = with_entry(stones, self.turn, stones[self.turn] | {move})
        passes = move is Special.PASS
        return self._after(stones, passes=passes, over=passes and self.passed)

    def _after(self, stones: tuple[frozenset[str], frozenset[str]], *, passes: bool, over: bool) -> Self:
        assert self.turn is not None
        first, second = map(len, stones)
        if not over and first + second < len(BOARD.names):
            return type(self)(stones, other(self.turn), passes)
        winner: Seat | None = None if first == second else 0 if first > second else 1
        return type(self)(stones, None, passes, Outcome(winner, f"{max(first, second)} to {min(first, second)}"))

    def diagram(self, last: Played[Self, Turn] | None = None) -> Diagram:
        """Return the board."""
        marks = {cell: mark for mark, cells in zip("RY", self.stones, strict=True) for cell in cells}
        told = "" if last is None else str(last.move)
        return BOARD.diagram(marks, LEGEND, told=told)


class RowNotation(Notation[Turn]):
    """Reads and writes the turns of the toy."""

    __slots__ = ()

    @property
    def help(self) -> str:
        """How a turn is written."""
        return 'a free cell: "b1"'

    def parse(self, text: str) -> Turn:
        """Return the turn that a text says."""
        special = read_special(text, Special.PASS, Special.SWAP)
        if special is not None:
            return special
        cell = text.strip(" .!").lower()
        if cell not in BOARD.names:
            raise BadNotation(text, 0, "a cell from a1 to f1, pass or swap")
        return cell

    def format(self, move: Turn, position: Position[Any]) -> str:
        """Return the canonical text."""
        return str(move)

    def hint(self, position: Position[Any]) -> Hint | None:
        """Return what the player to move can write now."""
        if not isinstance(position, Row) or position.turn is None:
            return None
        more = (PASS_PASSAGE, *([SWAP_PASSAGE] if position.may_swap else []))
        return Hint((Passage("Write a free cell."), *more), str(next(position.moves())))


def _start(chosen: Mapping[str, str]) -> Row:
    return Row()


ROW = Game("row", "Row", (), _start, SIDES, "fill a row, or pass")
NOTATION = RowNotation()
