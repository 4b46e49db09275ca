"""All legal turns of a position as one tree of choices, with what each choice changes on the board.

A page on which a turn is put together needs nothing else, and no server. A choice is a piece of the turn's text (a
square, a number, a word) with everything that then follows by itself. Nothing here knows the games.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from typing import Any

from engines.core import Position
from notation.core import Notation
from notation.steps import MANY, PIECE, cells_of

_PIECES = re.compile(rf"\s*(?:{PIECE.pattern})")
_Turn = tuple[tuple[str, ...], Position[Any]]
"""The pieces of a turn, each with the space before it, and the position after the turn."""


@dataclass(frozen=True, slots=True)
class Branch:
    """A choice: the text that it adds, the cell that it names first, and the marks that it changes on the board.

    Where the turn is whole, the board is that after the turn; more can follow even then.
    """

    text: str
    cell: str | None
    changes: tuple[tuple[str, str], ...]
    """Cells with their new marks."""
    is_whole: bool
    branches: tuple["Branch", ...] = ()


def turn_tree(notation: Notation[Any], position: Position[Any], most: int = MANY) -> Branch | None:
    """Return what all legal turns begin with, and the choices after that; None if there are no turns, or too many.

    Turns that lists keep back (Notation.is_shown) aren't in it.

    >>> from notation.games import GAMES
    >>> game = GAMES["quadraphages"]
    >>> root = turn_tree(game.notation, game.game.position({"first": "x"}))
    >>> [branch.text for branch in root.branches][4:]
    ['5 a7', '6 a7', '7 a7h7 i3b3', '8 a7i7 i3a3']
    >>> [(branch.text, branch.changes) for branch in root.branches[0].branches][:2]
    [('a6 i3', (('a6', 'X'), ('a7', 'x'))), ('b7 i3', (('a7', 'x'), ('b7', 'X')))]
    """
    turns = tuple(islice(_turns(notation, position), most + 1))
    if not 0 < len(turns) <= most:
        return None
    return _grown(notation, position, turns, 0, _marks(position))


def _grown(
    notation: Notation[Any], position: Position[Any], turns: Sequence[_Turn], start: int, before: Mapping[str, str]
) -> Branch:
    """Return what these turns have in common from the piece `start` on, and what can follow."""
    first, _ = turns[0]
    alike = takewhile(lambda pieces: len(set(pieces)) == 1, zip(*(pieces for pieces, _ in turns), strict=False))
    end = sum(1 for _ in alike)
    whole = next((after for pieces, after in turns if len(pieces) == end), None)
    chosen = "".join(first[:end])
    board = _marks(notation.midway(chosen, position) if whole is None else whole) if chosen else before
    following: dict[str, list[_Turn]] = {}
    for turn in turns:
        if len(turn[0]) > end:
            following.setdefault(turn[0][end], []).append(turn)
    return Branch(
        "".join(first[start:end]),
        next(iter(cells_of(first[start])), None) if start < end else None,
        tuple((cell, mark) for cell, mark in board.items() if before[cell] != mark),
        whole is not None,
        tuple(_grown(notation, position, each, end, board) for each in following.values()),
    )


def _turns(notation: Notation[Any], position: Position[Any]) -> Iterator[_Turn]:
    """Yield the legal turns, except those that lists keep back."""
    are_in_parts = False
    for part in position.parts():
        are_in_parts = True
        text, between = notation.format(part, position), position.play(part)
        for move in between.moves():
            if notation.is_shown(move):
                yield _pieces(f"{text} {notation.format(move, between)}"), between.play(move)
    if not are_in_parts:
        for move in position.moves():
            if notation.is_shown(move):
                yield _pieces(notation.format(move, position)), position.play(move)


def _pieces(text: str) -> tuple[str, ...]:
    return tuple(_PIECES.findall(text))


def _marks(position: Position[Any]) -> dict[str, str]:
    """Return the mark of each cell."""
    return {cell: mark for _, cells in position.diagram().rows for cell, mark in cells}
