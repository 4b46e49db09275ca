"""Lines of Action from Sackson's rules, with a draw where a position comes up again."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from .source import QUEEN, Cell, Source, cells, name, plus


@dataclass
class Lines(Source):
    seen: frozenset[frozenset[tuple[Cell, int]]] = frozenset()
    again: bool = False

    @classmethod
    def start(cls, options: Mapping[str, str]) -> Self:
        board = {(x, y): 0 for x in range(1, 7) for y in (0, 7)} | {(x, y): 1 for x in (0, 7) for y in range(1, 7)}
        return cls(options, board, seen=frozenset({frozenset(board.items())}))

    def turns(self) -> list[str]:
        return [] if self.again or any(map(self.connected, (0, 1))) else list(self.steps())

    def steps(self) -> list[str]:
        found = []
        for at in [each for each, seat in self.board.items() if seat == self.seat]:
            for way in QUEEN:
                far = sum(plus(at, way, times) in self.board for times in range(-7, 8))
                to = plus(at, way, far)
                over = [self.board.get(plus(at, way, times)) for times in range(1, far)]
                on_board = 0 <= to[0] < 8 and 0 <= to[1] < 8
                if on_board and self.board.get(to) != self.seat and 1 - self.seat not in over:
                    found.append(name(at) + name(to))
        return found

    def play(self, turn: str) -> Self:
        origin, target = cells(turn)
        board = {at: seat for at, seat in self.board.items() if at != origin} | {target: self.seat}
        now = frozenset(board.items())
        return type(self)(self.options, board, 1 - self.seat, self.seen | {now}, now in self.seen)

    def connected(self, seat: int) -> bool:
        own = {at for at, each in self.board.items() if each == seat}
        group: set[Cell] = set()
        more = {next(iter(own))}
        while more:
            group |= more
            more = {plus(at, way) for at in more for way in QUEEN} & own - group
        return group == own

    def winner(self) -> int | None:
        if self.again:
            return None
        mover = 1 - self.seat
        return next((seat for seat in (mover, self.seat) if self.connected(seat)), mover)
