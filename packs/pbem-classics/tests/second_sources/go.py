"""Go by the rules of Tromp and Taylor, without suicide."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Self

from .source import ROOK, Cell, Source, plus

LETTERS = "abcdefghj"
POINTS = [(x, y) for x in range(9) for y in range(9)]


@dataclass
class Go(Source):
    seen: frozenset[frozenset[tuple[Cell, int]]] = frozenset({frozenset()})
    passes: int = 0

    @classmethod
    def start(cls, options: Mapping[str, str]) -> Self:
        return cls(options, {})

    def turns(self) -> list[str]:
        if self.passes == 2:
            return []
        free = [at for at in POINTS if at not in self.board]
        return ["pass", *(f"{LETTERS[x]}{y + 1}" for x, y in free if self.placed((x, y)) is not None)]

    def placed(self, at: Cell) -> dict[Cell, int] | None:
        """Return the board after a stone; None if the rules forbid it."""
        board = self.board | {at: self.seat}
        for way in ROOK:
            if board.get(plus(at, way)) == 1 - self.seat:
                chain, around = spread(board, plus(at, way))
                if not any(board.get(each, None) is None for each in around):
                    board = {each: seat for each, seat in board.items() if each not in chain}
        _, around = spread(board, at)
        if all(each in board for each in around) or frozenset(board.items()) in self.seen:
            return None
        return board

    def play(self, turn: str) -> Self:
        if turn == "pass":
            return type(self)(self.options, self.board, 1 - self.seat, self.seen, self.passes + 1)
        board = self.placed((LETTERS.index(turn[0]), int(turn[1:]) - 1))
        assert board is not None
        return type(self)(self.options, board, 1 - self.seat, self.seen | {frozenset(board.items())})

    def winner(self) -> int | None:
        points = [0.0, 7.5]
        for at in POINTS:
            if at in self.board:
                points[self.board[at]] += 1
            else:
                owners = {self.board[each] for each in spread(self.board, at)[1]}
                if len(owners) == 1:
                    points[owners.pop()] += 1
        return int(points[1] > points[0])


def spread(board: dict[Cell, int], start: Cell) -> tuple[set[Cell], set[Cell]]:
    """Return the points of the same kind that are connected with one, and those around them."""
    group, around, more = {start}, set[Cell](), [start]
    while more:
        at = more.pop()
        for way in ROOK:
            near = plus(at, way)
            if min(near) < 0 or max(near) > 8 or near in group:
                continue
            if board.get(near) == board.get(start):
                group.add(near)
                more.append(near)
            else:
                around.add(near)
    return group, around
