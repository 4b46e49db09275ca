"""Breakthrough from Dan Troyka's rules."""

from collections.abc import Mapping
from typing import Self

from .source import Source, cells, name, plus


class Breakthrough(Source):
    @classmethod
    def start(cls, options: Mapping[str, str]) -> Self:
        return cls(options, {(x, y): int(y > 3) for x in range(8) for y in (0, 1, 6, 7)})

    def turns(self) -> list[str]:
        if self.winner() is not None:
            return []
        found = []
        for at in [each for each, seat in self.board.items() if seat == self.seat]:
            for aside in (-1, 0, 1):
                to = plus(at, (aside, 1 - 2 * self.seat))
                free = to not in self.board
                if 0 <= to[0] < 8 and (free or (aside and self.board[to] != self.seat)):
                    found.append(name(at) + name(to))
        return found

    def play(self, turn: str) -> Self:
        origin, target = cells(turn)
        board = {at: seat for at, seat in self.board.items() if at != origin} | {target: self.seat}
        return type(self)(self.options, board, 1 - self.seat)

    def winner(self) -> int | None:
        for seat, row in ((0, 7), (1, 0)):
            if 1 - seat not in self.board.values() or any(self.board.get((x, row)) == seat for x in range(8)):
                return seat
        return None
