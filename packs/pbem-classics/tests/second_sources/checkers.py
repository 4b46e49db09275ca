"""English draughts; a piece is a seat, and whether it is a king."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Self

from .source import Cell, Source, cells, name, plus

Piece = tuple[int, bool]
Pieces = dict[Cell, Piece]


@dataclass
class Checkers(Source):
    idle: int = 0

    @classmethod
    def start(cls, options: Mapping[str, str]) -> Self:
        dark = [(x, y) for x in range(8) for y in range(8) if (x + y) % 2 == 0]
        return cls(options, {(x, y): (int(y > 4), False) for x, y in dark if y not in (3, 4)})

    def turns(self) -> list[str]:
        if self.idle >= 40:
            return []
        own = [at for at, (seat, _) in self.board.items() if seat == self.seat]
        jumps = [name(at) + way for at in own for way in self.jumps(self.board, at)]
        return jumps or [
            name(at) + name(plus(at, way)) for at in own for way in ways(self.board[at]) if self.free(plus(at, way))
        ]

    def free(self, at: Cell) -> bool:
        return min(at) >= 0 and max(at) < 8 and at not in self.board

    def jumps(self, board: Pieces, at: Cell) -> Iterator[str]:
        """Yield where a piece lands, as far as it can jump."""
        piece = board[at]
        for way in ways(piece):
            over, to = plus(at, way), plus(at, way, 2)
            if board.get(over, (self.seat, False))[0] == self.seat or to in board or min(to) < 0 or max(to) > 7:
                continue
            after = {each: what for each, what in board.items() if each not in (at, over)} | {to: piece}
            further = [] if not piece[1] and to[1] == (7, 0)[self.seat] else list(self.jumps(after, to))
            yield from (name(to) + more for more in further or [""])

    def play(self, turn: str) -> Self:
        path = cells(turn)
        board = {**self.board}
        piece = board.pop(path[0])
        takes = abs(path[0][0] - path[1][0]) == 2
        for (x, y), (to, row) in pairwise(path):
            board.pop(((x + to) // 2, (y + row) // 2), None)
        board[path[-1]] = (self.seat, piece[1] or path[-1][1] == (7, 0)[self.seat])
        return type(self)(self.options, board, 1 - self.seat, 0 if takes else self.idle + 1)

    def winner(self) -> int | None:
        return None if self.idle >= 40 else 1 - self.seat


def ways(piece: Piece) -> list[Cell]:
    seat, is_king = piece
    return [(x, y) for x in (-1, 1) for y in ((-1, 1) if is_king else ((1, -1)[seat],))]
