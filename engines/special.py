"""Turns that are a word: passing, and taking over the first player's stone (the swap, or pie, rule).

A game that has them adds the members of Special to its moves: `moves` yields one where it is legal, and `play` handles
it. Seats are fixed in a match, so players can't exchange sides. Instead the stone changes hands. There are two usual
forms, and a game says which it has by the function that it gives to `taken_over`:

- The stone changes its colour where it stands. This is fair if both sides have the same goal, as in a race for a line.
- The stone also moves to the mirrored cell. This is needed if sides own edges of the board, as in Hex: the stone is
  then worth for one side what it was worth for the other.

Passing needs a field of the position where two passes end the game: whether the last turn was a pass.
"""

from collections.abc import Callable, Iterable
from enum import Enum
from string import ascii_lowercase


class Special(Enum):
    """A turn that is a word."""

    PASS = "pass"  # noqa: S105 - no password
    SWAP = "swap"

    def __str__(self) -> str:
        return self.value


def taken_over(
    stones: tuple[Iterable[str], Iterable[str]], place: Callable[[str], str] | None = None
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the stones of both sides after the second player has taken over those of the first.

    `place` maps each cell of a stone to the one where it then stands, which by default is the same.

    >>> taken_over(({"c2"}, ()), mirrored)
    (frozenset(), frozenset({'b3'}))
    """
    return frozenset(), frozenset(place(cell) if place else cell for cell in stones[0]).union(stones[1])


def mirrored(cell: str) -> str:
    """Return the cell with its column and its row exchanged, as the diagonal from a1 mirrors it.

    >>> mirrored("k2"), mirrored("b11")
    ('b11', 'k2')
    """
    return f"{ascii_lowercase[int(cell[1:]) - 1]}{ascii_lowercase.index(cell[0]) + 1}"
