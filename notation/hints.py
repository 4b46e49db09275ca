"""Hints: what the player to move can write now, as data, and as lines that nobody takes for a turn."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from textwrap import wrap

from engines.special import Special

WIDTH = 70
"""The length of the longest line of a hint."""
ON = "* ... "
"""The start of a line that continues a text too long for one line."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A paragraph of a hint, and what is listed below it."""

    text: str = ""
    choices: tuple[str, ...] = ()
    """Short texts, such as turns, that can share a line."""
    notes: tuple[str, ...] = ()
    """Sentences or phrases with a line each."""


SWAP_PASSAGE = Passage(
    "You can also take over your opponent's first stone instead of placing one:", (str(Special.SWAP),)
)
"""What a hint says where the player can swap."""
PASS_PASSAGE = Passage("You can also pass:", (str(Special.PASS),))
"""What a hint says where the player can pass."""


def swap_passage(cell: str, place: Callable[[str], str] | None = None) -> Passage:
    """Return what a hint says where the player can take over the stone on a cell; `place` is as in `taken_over`.

    >>> from engines.special import mirrored
    >>> swap_passage("c2", mirrored).text
    'You can also take over the stone on c2 instead of placing one. It moves to b3:'
    """
    moves = f". It moves to {place(cell)}" if place else ""
    return Passage(f"You can also take over the stone on {cell} instead of placing one{moves}:", (str(Special.SWAP),))


@dataclass(frozen=True, slots=True)
class Hint:
    """What the player to move can write now. The example is a legal turn, if the hint has one."""

    passages: tuple[Passage, ...]
    example: str = ""
    basics: str = ""
    """How any turn is written and what it aims for, for people who don't know the game well yet."""
    sets_up: bool = False
    """Whether the player can only set up now, and moves later."""

    @property
    def texts(self) -> frozenset[str]:
        """All that is listed as a choice or shown as the example."""
        return frozenset((self.example, *(choice for passage in self.passages for choice in passage.choices)))


def format_hint(hint: Hint | None) -> str:
    """Return the hint as lines of at most 70 columns, none of which can be read as a turn; "" for no hint.

    >>> print(format_hint(Hint((Passage("Write two squares:", ("e3f4", "e3e4")),), "e3f4")))
    Write two squares:
    * e3f4 | e3e4
    For example: e3f4
    """
    if hint is None:
        return ""
    lines: list[str] = []
    for passage in (Passage(hint.basics), *hint.passages):
        lines += wrap(passage.text, WIDTH, break_on_hyphens=False)
        lines += listed(passage.choices)
        lines += (line for note in passage.notes for line in listed([note]))
    return "\n".join([*lines, *([f"For example: {hint.example}"] if hint.example else [])])


def listed(texts: Iterable[str]) -> Iterator[str]:
    """Yield the texts in lines, breaking a text only if it is too long for a line.

    The mark at the start keeps a quoted line from being read as a turn.

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
