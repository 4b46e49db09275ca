"""What each second source is: a state that lists its turns, plays one, and says who has won."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

LETTERS = "abcdefghijklmnopqrstuvwxyz"
Cell = tuple[int, int]
"""A column and a row, counted from 0."""
ROOK = ((1, 0), (-1, 0), (0, 1), (0, -1))
QUEEN = (*ROOK, (1, 1), (1, -1), (-1, 1), (-1, -1))


def name(cell: Cell) -> str:
    return f"{LETTERS[cell[0]]}{cell[1] + 1}"


def cell(text: str) -> Cell:
    return LETTERS.index(text[0]), int(text[1:]) - 1


def cells(text: str) -> list[Cell]:
    """Return the cells in a text such as a1b12."""
    found: list[Cell] = []
    for at, sign in enumerate(text):
        if sign.isalpha():
            end = at + 1
            while text[end : end + 1].isdigit():
                end += 1
            found.append(cell(text[at:end]))
    return found


def plus(one: Cell, other: Cell, times: int = 1) -> Cell:
    return one[0] + times * other[0], one[1] + times * other[1]


@dataclass
class Source:
    """A state: the pieces of seats 0 and 1 by cell, and who is to move."""

    options: Mapping[str, str]
    board: dict[Cell, Any]
    seat: int = 0

    def turns(self) -> list[str]:
        """Return every legal turn; nothing at the end."""
        raise NotImplementedError

    def play(self, turn: str) -> Self:
        raise NotImplementedError

    def winner(self) -> int | None:
        """Return who has won, of a match that is over; None for a draw."""
        raise NotImplementedError

    def after(self) -> dict[str, Self]:
        return {turn: self.play(turn) for turn in self.turns()}
