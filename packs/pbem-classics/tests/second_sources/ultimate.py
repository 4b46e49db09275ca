"""Ultimate Tic-tac-toe."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from .source import Cell, Source, cell, name

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def small(at: Cell) -> int:
    return at[1] // 3 * 3 + at[0] // 3


def within(at: Cell) -> int:
    return at[1] % 3 * 3 + at[0] % 3


def has_line(marked: set[int]) -> bool:
    return any(marked.issuperset(line) for line in LINES)


@dataclass
class Ultimate(Source):
    last: Cell | None = None

    @classmethod
    def start(cls, options: Mapping[str, str]) -> Self:
        return cls(options, {})

    def won(self, seat: int) -> set[int]:
        own = [at for at, each in self.board.items() if each == seat]
        return {board for board in range(9) if has_line({within(at) for at in own if small(at) == board})}

    def over(self) -> set[int]:
        full = {board for board in range(9) if sum(small(at) == board for at in self.board) == 9}
        return full | self.won(0) | self.won(1)

    def turns(self) -> list[str]:
        over = self.over()
        if self.winner() is not None:
            return []
        sent = None if self.last is None or within(self.last) in over else within(self.last)
        free = [(x, y) for x in range(9) for y in range(9) if (x, y) not in self.board]
        return [name(at) for at in free if small(at) not in over and sent in (None, small(at))]

    def play(self, turn: str) -> Self:
        return type(self)(self.options, self.board | {cell(turn): self.seat}, 1 - self.seat, cell(turn))

    def winner(self) -> int | None:
        return next((seat for seat in (0, 1) if has_line(self.won(seat))), None)
