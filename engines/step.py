"""The move of one piece from cell to cell, as four of the games have it."""

from collections.abc import Iterable
from typing import NamedTuple


class Step(NamedTuple):
    """The move of one piece: the cell it leaves and the cell it goes to.

    >>> str(Step("c1", "b1"))
    'c1b1'
    """

    origin: str
    target: str

    def __str__(self) -> str:
        return self.origin + self.target

    @property
    def spoken(self) -> str:
        return f"{self.origin} to {self.target}"


def vacated(steps: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Return the cells that pieces have left in these steps, and to which none of the steps came later.

    >>> sorted(vacated([Step("a7", "b7"), Step("b7", "b4"), Step("c4", "a7")]))
    ['b7', 'c4']
    """
    left: set[str] = set()
    for origin, target in steps:
        left = (left | {origin}) - {target}
    return frozenset(left)
