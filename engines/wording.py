"""Lists inside sentences."""

from collections.abc import Iterable


def either(words: Iterable[str]) -> str:
    """Return the words as a choice.

    >>> either(["b1"]), either(["b1", "c2", "c4"])
    ('b1', 'b1, c2 or c4')
    """
    return _joined(words, "or")


def together(words: Iterable[str]) -> str:
    """Return the words as a list; "" for none.

    >>> together(["b1", "c2", "c4"])
    'b1, c2 and c4'
    """
    return _joined(words, "and")


def _joined(words: Iterable[str], before_last: str) -> str:
    *first, last = list(words) or [""]
    return f"{', '.join(first)} {before_last} {last}" if first else last
