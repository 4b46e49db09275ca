"""Nine Men's Morris, played on three squares of eight points each."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Self

from .source import Source

AROUND = ((-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0))
Point = tuple[int, int]
"""Which square, 1 being the inner one, and which of its points, clockwise from the upper left corner."""
POINTS = [(ring, at) for ring in (1, 2, 3) for at in range(8)]
NAMES = {
    point: f"{'abcdefg'[3 + point[0] * AROUND[point[1]][0]]}{4 + point[0] * AROUND[point[1]][1]}" for point in POINTS
}
BY_NAME = {name: point for point, name in NAMES.items()}
MILLS = [[(ring, (at + far) % 8) for far in range(3)] for ring in (1, 2, 3) for at in (0, 2, 4, 6)]
MILLS += [[(ring, at) for ring in (1, 2, 3)] for at in (1, 3, 5, 7)]


@dataclass
class Morris(Source):
    placed: int = 0
    played: int = 0

    @classmethod
    def start(cls, options: Mapping[str, str]) -> Self:
        return cls(options, {})

    def men(self, seat: int) -> int:
        return list(self.board.values()).count(seat)

    def lost(self, seat: int) -> bool:
        return self.placed > 2 * 8 and self.men(seat) + (18 - self.placed + 1 - seat) // 2 < 3

    def turns(self) -> list[str]:
        if self.played >= 200 or self.lost(0) or self.lost(1):
            return []
        return [turn for step, board in self.steps() for turn in self.closed(step, board)]

    def steps(self) -> Iterator[tuple[str, dict[Point, int]]]:
        free = [point for point in POINTS if point not in self.board]
        if self.placed < 18:
            yield from ((NAMES[to], self.board | {to: self.seat}) for to in free)
            return
        for origin in [point for point, seat in self.board.items() if seat == self.seat]:
            for to in free:
                if self.men(self.seat) == 3 or beside(origin, to):
                    board = {point: seat for point, seat in self.board.items() if point != origin} | {to: self.seat}
                    yield NAMES[origin] + NAMES[to], board

    def closed(self, step: str, board: dict[Point, int]) -> list[str]:
        """Return the turns that begin with a step: with each man that can be taken, if it closes a mill."""
        if not in_mill(board, BY_NAME[step[-2:]]):
            return [step]
        theirs = [point for point, seat in board.items() if seat != self.seat]
        loose = [point for point in theirs if not in_mill(board, point)]
        return [f"{step} {NAMES[point]}" for point in loose or theirs]

    def play(self, turn: str) -> Self:
        step, _, taken = turn.partition(" ")
        board = {point: seat for point, seat in self.board.items() if NAMES[point] not in (taken, step[:-2])}
        placed = self.placed + (len(step) == 2)
        return type(self)(self.options, board | {BY_NAME[step[-2:]]: self.seat}, 1 - self.seat, placed, self.played + 1)

    def winner(self) -> int | None:
        for seat in (0, 1):
            if self.lost(seat):
                return 1 - seat
        return None if next(self.steps(), None) else 1 - self.seat


def beside(one: Point, other: Point) -> bool:
    (ring, at), (far, to) = one, other
    return (ring == far and (at - to) % 8 in (1, 7)) or (at == to and at % 2 == 1 and abs(ring - far) == 1)


def in_mill(board: dict[Point, int], point: Point) -> bool:
    return any(point in mill and all(board.get(each) == board[point] for each in mill) for mill in MILLS)
