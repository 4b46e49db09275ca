"""The rules of Hex: a stone a turn, and the side whose stones join its two edges wins."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple, Self

from pbem import gamekit as kit

SIDES = ("Red", "Blue")
MARKS = (
    kit.Mark(".", "empty", None, ("empty", "empty")),
    kit.Mark("R", "piece", 0, ("stone", "stones")),
    kit.Mark("B", "piece", 1, ("stone", "stones"), "o"),
)
EDGES: tuple[tuple[kit.Towards, kit.Towards], ...] = (("top", "bottom"), ("left", "right"))
"""What each side joins."""

Turn = str | kit.Special
"""A turn: the cell that the player takes, or the swap."""


class Field(NamedTuple):
    """What all positions of a size share: the board, the meaning of its marks, and the neighbours of each cell."""

    board: kit.Board
    legend: kit.Legend
    near: Mapping[str, tuple[str, ...]]


@cache
def field(size: int) -> Field:
    """Return the field of that size.

    >>> field(11).near["a1"], field(11).near["b2"]
    (('b1', 'a2'), ('b1', 'c1', 'c2', 'b3', 'a3', 'a2'))
    """
    board = kit.rhombus(size, size)
    edges = tuple(board.edge(seat, towards) for seat in kit.SEATS for towards in EDGES[seat])
    return Field(board, kit.Legend(SIDES, MARKS, ("red", "blue"), edges=edges), board.neighbours())


class Reason(kit.Reason):
    """Why a turn is refused."""

    OFF_BOARD = "{token} is not on this board; its cells are a1 to {last}"
    TAKEN = "{side} has a stone on {token} already; {instead}"
    NO_SWAP = "this match is played without the swap (swap=no); {instead}"
    NO_SWAP_NOW = "only Blue can swap, and only in answer to Red's first stone; {instead}"


@dataclass(frozen=True, slots=True)
class HexPosition(kit.PlayedWhole):
    """The state of a game of Hex. `swap` is whether the match has the swap; `stones` are the cells of each side."""

    size: int
    swap: bool
    turn: kit.Seat | None = 0
    stones: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())
    outcome: kit.Outcome | None = None

    def moves(self) -> Iterator[Turn]:
        """Yield every legal turn once: the free cells, and the swap."""
        if self.turn is None:
            return
        yield from (cell for cell in field(self.size).near if self.owner(cell) is None)
        if self.can_swap:
            yield kit.Special.SWAP

    @property
    def can_swap(self) -> bool:
        """Whether the player to move can swap: Blue, instead of placing the first stone."""
        return self.swap and self.turn == 1 and not self.stones[1]

    def owner(self, cell: str) -> kit.Seat | None:
        """Return the seat whose stone is on the cell; None if there is none."""
        return next((seat for seat in kit.SEATS if cell in self.stones[seat]), None)

    def play(self, move: Turn) -> Self:
        """Return the position after the turn; raise IllegalMove."""
        seat, near = self.turn, field(self.size).near
        if seat is None:
            raise kit.GameOver(self.outcome)
        if move is kit.Special.SWAP:
            return self._swapped()
        if isinstance(move, kit.Special) or move not in near:
            raise kit.IllegalMove(Reason.OFF_BOARD, token=str(move), last=field(self.size).board.names[-1])
        owner = self.owner(move)
        if owner is not None:
            raise kit.IllegalMove(Reason.TAKEN, token=move, side=SIDES[owner], instead=self._instead(move))
        stones = kit.with_entry(self.stones, seat, self.stones[seat] | {move})
        if not self._joins(seat, stones[seat], move):
            return type(self)(self.size, self.swap, kit.other(seat), stones)
        outcome = kit.Outcome(seat, f"{SIDES[seat]} joined {kit.together(EDGES[seat])}")
        return type(self)(self.size, self.swap, None, stones, outcome)

    def _swapped(self) -> Self:
        """Return the position in which Red's first stone has become Blue's; raise IllegalMove."""
        if not self.can_swap:
            reason = Reason.NO_SWAP_NOW if self.swap else Reason.NO_SWAP
            raise kit.IllegalMove(reason, token=str(kit.Special.SWAP), instead=self._instead())
        return type(self)(self.size, self.swap, 0, kit.taken_over(self.stones, kit.mirrored))

    def _joins(self, seat: kit.Seat, own: frozenset[str], cell: str) -> bool:
        """Return whether the group of the stone on this cell joins both edges of its side."""
        _, legend, near = field(self.size)
        group, waiting = {cell}, [cell]
        while waiting:
            new = own.intersection(near[waiting.pop()]) - group
            group |= new
            waiting += new
        return all(group & edge.cells for edge in legend.edges if edge.side == seat)

    def _instead(self, cell: str = "") -> str:
        """Return in words where a stone can go: to a free neighbour of the cell, or else to any free cell."""
        free = [near for near in field(self.size).near.get(cell, ()) if self.owner(near) is None]
        return f"{kit.either(free)} is free" if free else f"{next(self.moves())} is free, for example"

    def diagram(self, last: kit.Played[Self, Turn] | None = None) -> kit.Diagram:
        """Return the board with the stones of both sides."""
        board, legend, _ = field(self.size)
        marks = {cell: mark.text for mark, cells in zip(MARKS[1:], self.stones, strict=True) for cell in cells}
        if last is None:
            return board.diagram(marks, legend)
        if isinstance(last.move, kit.Special):
            lit, told = self.stones[1], f"Blue took over the stone, now on {kit.together(self.stones[1])}"
        else:
            lit, told = frozenset({last.move}), f"a stone on {last.move}"
        return board.diagram(marks, legend, lit=lit, told=told)


def start(chosen: Mapping[str, str]) -> HexPosition:
    """Return the position before the first turn."""
    return HexPosition(int(chosen["size"]), chosen["swap"] == "yes")


GAME = kit.Game(
    "hex",
    "Hex",
    (
        kit.Option("size", ("11", "9", "13"), "how many rows and columns the board has"),
        kit.Option("swap", ("yes", "no"), "whether Blue can take over Red's first stone"),
    ),
    start,
    SIDES,
    "a rhombus of hexagons: join your two edges",
    draws=False,
    difficulty=1,
)
