"""Noughts once more, plainly and with nothing from the engine: it counts as many turns."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

CELLS = [column + row for row in "123" for column in "abc"]
LINES = ["a1b1c1", "a2b2c2", "a3b3c3", "a1a2a3", "b1b2b3", "c1c2c3", "a1b2c3", "a3b2c1"]


@dataclass(frozen=True)
class State:
    """The squares in the order in which they were marked."""

    options: Mapping[str, str]
    marked: tuple[str, ...] = ()

    def has_line(self) -> bool:
        """Return whether the side that moved last has a line."""
        own = self.marked[len(self.marked) % 2 == 0 :: 2]
        return any(sum(cell in line for cell in own) == 3 for line in LINES)

    def played(self, text: str) -> "State":
        """Return the state after a turn."""
        return replace(self, marked=(*self.marked, text))

    def count(self, depth: int) -> int:
        """Return the number of lines of play of that length."""
        if depth == 0:
            return 1
        free = [] if self.has_line() else [cell for cell in CELLS if cell not in self.marked]
        return sum(self.played(cell).count(depth - 1) for cell in free)
