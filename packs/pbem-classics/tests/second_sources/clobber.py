"""Clobber."""

from collections.abc import Mapping
from typing import Self

from .source import ROOK, Source, cells, name, plus


class Clobber(Source):
    @classmethod
    def start(cls, options: Mapping[str, str]) -> Self:
        columns, rows = map(int, options["size"].split("x"))
        return cls(options, {(x, y): (x + y) % 2 for x in range(columns) for y in range(rows)})

    def turns(self) -> list[str]:
        pairs = ((at, plus(at, way)) for at, seat in self.board.items() if seat == self.seat for way in ROOK)
        return [name(at) + name(to) for at, to in pairs if self.board.get(to) == 1 - self.seat]

    def play(self, turn: str) -> Self:
        origin, target = cells(turn)
        board = {at: seat for at, seat in self.board.items() if at != origin} | {target: self.seat}
        return type(self)(self.options, board, 1 - self.seat)

    def winner(self) -> int | None:
        return 1 - self.seat
