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

    __slots__ = ("_before", "_known", "_last")

    def __init__(self, keys: Iterable[Key] = ()) -> None:
        counts = Counter(keys)
        self._known: tuple[Mapping[Key, int], ...] | None = (counts,) if counts else ()
        self._before: History[Key] | None = None
        self._last: Key | None = None

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
        known, times = self._known, 0
        for level in self._levels() if known is None else known:
            if key in level:
                times += level[key]
        return times

    def with_(self, key: Key) -> "History[Key]":
        """Return this history with one more occurrence of the position.

        It is counted when the new history is first asked, as many of those that a search makes never are.
        """
        history: History[Key] = History.__new__(History)
        history._known, history._before, history._last = None, self, key
        return history

    def _levels(self) -> tuple[Mapping[Key, int], ...]:
        """Return the dicts, the largest first."""
        waiting, here = [], self
        while (known := here._known) is None:
            before = here._before
            if before is not None:  # else another thread has just found the levels of this one
                waiting.append(here)
                here = before
        levels = known
        for here in reversed(waiting):
            levels = here._found(levels)  # noqa: SLF001 - the same class
        return levels

    def _found(self, levels: tuple[Mapping[Key, int], ...]) -> tuple[Mapping[Key, int], ...]:
        """Return the levels of this history, found from those of the one before it, and remember them."""
        last: Mapping[Key, int] = {self._last: 1}  # type: ignore[dict-item]  # a history with one before it has it
        while levels and len(levels[-1]) < 2 * len(last):
            levels, last = levels[:-1], _merged(levels[-1], last)
        self._known = (*levels, last)
        self._before = None
        return self._known

    def _counts(self) -> dict[Key, int]:
        """Return the number of occurrences of every position."""
        counts: dict[Key, int] = {}
        for level in self._levels():
            counts = _merged(counts, level)
        return counts


def _merged(one: Mapping[Key, int], other: Mapping[Key, int]) -> dict[Key, int]:
    """Return the sum of two mappings of counts."""
    merged = {**one, **other}
    if len(merged) < len(one) + len(other):  # looking for common keys would hash every key once more
        for key in one.keys() & other.keys():
            merged[key] = one[key] + other[key]
    return merged
