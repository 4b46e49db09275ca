"""Othello from the rules of the World Othello Federation."""

from collections.abc import Mapping
from typing import Self

from .source import QUEEN, Cell, Source, cell, name, plus

SQUARES = [(x, y) for x in range(8) for y in range(8)]


class Othello(Source):
    @classmethod
    def start(cls, options: Mapping[str, str]) -> Self:
        return cls(options, {(3, 3): 1, (4, 4): 1, (3, 4): 0, (4, 3): 0})

    def turned(self, at: Cell, seat: int) -> list[Cell]:
        if at in self.board:
            return []
        found = []
        for way in QUEEN:
            line = []
            here = plus(at, way)
            while self.board.get(here) == 1 - seat:
                line.append(here)
                here = plus(here, way)
            found += line if self.board.get(here) == seat else []
        return found

    def can(self, seat: int) -> list[str]:
        return [name(at) for at in SQUARES if self.turned(at, seat)]

    def turns(self) -> list[str]:
        return self.can(self.seat)

    def play(self, turn: str) -> Self:
        at = cell(turn)
        board = self.board | dict.fromkeys([at, *self.turned(at, self.seat)], self.seat)
        after = type(self)(self.options, board, 1 - self.seat)
        return after if after.turns() else type(self)(self.options, board, self.seat)

    def winner(self) -> int | None:
        black, white = (list(self.board.values()).count(seat) for seat in (0, 1))
        return None if black == white else int(white > black)
