"""Turns of Quadraphages and Hexaphages, and how players write their operations."""

from collections.abc import Iterable
from typing import NamedTuple

from engines.step import Step

NUMBERS = range(1, 9)
MOVERS = 2
"""How many stones an operation moves if they can move: in Quadraphages all, in Hexaphages (ruling) two of three."""


class Turn(NamedTuple):
    """A turn: the steps of operation 1, the number, and the steps of operation 3, each sorted by origin.

    Stones that stay are left out. In a part, whose operation 3 is still to come, `second` is None. In a
    completion, which is the operation 3 of an earlier part, `number` is None and `first` is empty.
    """

    first: tuple[Step, ...]
    number: int | None
    second: tuple[Step, ...] | None

    @property
    def cells(self) -> frozenset[str]:
        return frozenset(cell for step in (*self.first, *(self.second or ())) for cell in step)

    @property
    def spoken(self) -> str:
        """The turn in words.

        >>> Turn((Step("c1", "b1"), Step("g9", "h9")), 3, ()).spoken
        'c1 to b1, g9 to h9, number 3, no stone moves'
        """
        if self.number is None:
            return ", ".join(step.spoken for step in self.second or ())
        second = [] if self.second is None else [step.spoken for step in self.second] or ["no stone moves"]
        return ", ".join([*(step.spoken for step in self.first), f"number {self.number}", *second])


def in_order(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    return tuple(sorted(steps)) if len(steps) > 1 else steps


def spelled(steps: Iterable[Step]) -> str:
    """Return an operation as players write it: sorted by origin, with `----` for stones that stay.

    >>> spelled([Step("g9", "h9"), Step("c1", "b1")]), spelled([])
    ('c1b1 g9h9', '---- ----')
    """
    words = [origin + target for origin, target in sorted(steps)]
    return " ".join(words + ["----"] * (MOVERS - len(words)))
