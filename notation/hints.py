"""How hints are laid out: narrow enough for a mail, and in lines that nobody takes for a turn."""

from collections.abc import Iterable, Iterator
from textwrap import wrap

WIDTH = 70
"""No line of a hint is longer."""
ON = "* ... "
"""What a line begins with that goes on with a text too long for one."""


def listed(texts: Iterable[str]) -> Iterator[str]:
    """The texts in lines, broken inside only where one is too long for a line.

    The mark in front keeps a quoted line from being read as a turn.

    >>> list(listed(["b7b4 i2i5", "b7e7 i2i5"]))
    ['* b7b4 i2i5 | b7e7 i2i5']
    >>> [line[:12] for line in listed(["b7b4 i2i5 / " * 6])]
    ['* b7b4 i2i5 ', '* ... i2i5 /']
    """
    line = ""
    for text in texts:
        if len(text) > WIDTH - len("* "):
            yield from [line] * bool(line)
            yield from wrap(text, WIDTH, initial_indent="* ", subsequent_indent=ON, break_on_hyphens=False)
            line = ""
            continue
        if line and len(line) + len(text) + 3 > WIDTH:
            yield line
            line = ""
        line = f"{line} | {text}" if line else f"* {text}"
    yield from [line] * bool(line)
