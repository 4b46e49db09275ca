"""Noughts once more, plainly and with nothing from the engine: it has the same turns."""

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

    @property
    def winner(self) -> int | None:
        """The seat that has won, if nobody can move; None for a draw."""
        if not self.has_line():
            return None
        last = (len(self.marked) - 1) % 2
        return 1 - last if self.options["goal"] == "avoid" else last

    def after(self) -> dict[str, "State"]:
        """Return each legal turn, as it is written, and the state after it; nothing at the end."""
        free = [] if self.has_line() else [cell for cell in CELLS if cell not in self.marked]
        return {cell: replace(self, marked=(*self.marked, cell)) for cell in free}
