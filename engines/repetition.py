"""Counting how often a position has occurred in a match."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Generic, TypeVar

Key = TypeVar("Key")


class History(Generic[Key]):
    """The positions that have occurred, each with its number of occurrences. A value: nothing changes it.

    A position is whatever the rules of the game compare: only the pieces, or also the side to move and the
    reserves. The counts are kept in a few dicts, each at least twice as large as the next, and histories
    share them. So adding an occurrence is cheap, and so is keeping the history of every position of a match.

    >>> history = History(["a", "b"]).with_("a")
    >>> history.count("a"), history.count("c")
    (2, 0)
    """

    __slots__ = ("_levels",)

    def __init__(self, keys: Iterable[Key] = ()) -> None:
        counts = Counter(keys)
        self._levels: tuple[Mapping[Key, int], ...] = (counts,) if counts else ()

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
        return sum([level.get(key, 0) for level in self._levels])

    def with_(self, key: Key) -> "History[Key]":
        """Return this history with one more occurrence of the position."""
        levels, last = self._levels, {key: 1}
        while levels and len(levels[-1]) < 2 * len(last):
            levels, last = levels[:-1], _merged(levels[-1], last)
        history: History[Key] = History.__new__(History)
        history._levels = (*levels, last)
        return history

    def _counts(self) -> dict[Key, int]:
        """Return the number of occurrences of every position."""
        counts: dict[Key, int] = {}
        for level in self._levels:
            counts = _merged(counts, level)
        return counts


def _merged(one: Mapping[Key, int], other: Mapping[Key, int]) -> dict[Key, int]:
    """Return the sum of two mappings of counts."""
    merged = {**one, **other}
    if len(merged) < len(one) + len(other):  # looking for common keys would hash every key once more
        for key in one.keys() & other.keys():
            merged[key] = one[key] + other[key]
    return merged
