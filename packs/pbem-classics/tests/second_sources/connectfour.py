"""Connect Four."""

from collections.abc import Mapping
from typing import Self

from .source import QUEEN, Source, cell, name, plus


class ConnectFour(Source):
    @classmethod
    def start(cls, options: Mapping[str, str]) -> Self:
        return cls(options, {})

    def turns(self) -> list[str]:
        if self.winner() is not None:
            return []
        heights = [sum((x, y) in self.board for y in range(6)) for x in range(7)]
        return [name((x, height)) for x, height in enumerate(heights) if height < 6]

    def play(self, turn: str) -> Self:
        return type(self)(self.options, self.board | {cell(turn): self.seat}, 1 - self.seat)

    def winner(self) -> int | None:
        """Return who has just made four in a row."""
        mover = 1 - self.seat
        own = [at for at, seat in self.board.items() if seat == mover]
        rows = (all(plus(at, way, far) in own for far in range(4)) for at in own for way in QUEEN)
        return mover if any(rows) else None
