"""How hints are laid out: narrow enough for a mail, and in lines that nobody takes for a turn."""

from collections.abc import Iterable, Iterator

WIDTH = 70
"""No line of a hint is longer."""


def listed(texts: Iterable[str]) -> Iterator[str]:
    """The texts in lines, never broken inside; the mark in front keeps a quoted line from being read as a turn.

    >>> list(listed(["b7b4 i2i5", "b7e7 i2i5"]))
    ['* b7b4 i2i5 | b7e7 i2i5']
    """
    line = ""
    for text in texts:
        if line and len(line) + len(text) + 3 > WIDTH:
            yield line
            line = ""
        line = f"{line} | {text}" if line else f"* {text}"
    yield line
