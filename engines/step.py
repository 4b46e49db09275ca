"""The move of one piece from cell to cell, as four of the games have it."""

from typing import NamedTuple


class Step(NamedTuple):
    """The move of one piece: the cell it leaves and the cell it goes to.

    >>> str(Step("c1", "b1"))
    'c1b1'
    """

    origin: str
    target: str

    def __str__(self) -> str:
        """Return the step as players write it."""
        return self.origin + self.target
