"""Counting how often a position has occurred in a match."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True, eq=False)
class History(Generic[Key]):
    """The positions that have occurred, each with its number of occurrences.

    A position is whatever the rules of the game compare: only the pieces, or also the side to move and the
    reserves. The counts are kept in a few dicts, each at least twice as large as the next, and histories
    share them. So adding an occurrence is cheap, and so is keeping the history of every position of a match.

    >>> history = History.of(["a", "b"]).with_("a")
    >>> history.count("a"), history.count("c")
    (2, 0)
    """

    levels: tuple[Mapping[Key, int], ...] = ()
    """The dicts, the largest first."""

    @classmethod
    def of(cls, keys: Iterable[Key]) -> "History[Key]":
        """Return the history of these occurrences."""
        history: History[Key] = cls()
        for key in keys:
            history = history.with_(key)
        return history

    def __eq__(self, other: object) -> bool:
        return isinstance(other, History) and self._counts() == other._counts()

    def __hash__(self) -> int:
        return hash(frozenset(self._counts().items()))

    def __len__(self) -> int:
        """Return the number of occurrences of all positions."""
        return sum(self._counts().values())

    def __repr__(self) -> str:
        return f"<History of {len(self)} positions>"

    def count(self, key: Key) -> int:
        """Return how often the position has occurred."""
        return sum([level[key] for level in self.levels if key in level])

    def most(self) -> int:
        """Return how often the position has occurred that has occurred most."""
        return max(self._counts().values(), default=0)

    def with_(self, key: Key) -> "History[Key]":
        """Return this history with one more occurrence of the position."""
        levels, last = self.levels, {key: 1}
        while levels and len(levels[-1]) < 2 * len(last):
            levels, last = levels[:-1], _merged(levels[-1], last)
        return History((*levels, last))

    def _counts(self) -> dict[Key, int]:
        counts: dict[Key, int] = {}
        for level in self.levels:
            counts = _merged(counts, level)
        return counts


def _merged(one: Mapping[Key, int], other: Mapping[Key, int]) -> dict[Key, int]:
    merged = {**one, **other}
    if len(merged) < len(one) + len(other):  # looking for common keys would hash every key once more
        for key in one.keys() & other.keys():
            merged[key] = one[key] + other[key]
    return merged
