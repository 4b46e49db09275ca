"""What a person wrote, line by line, up to what a message may hold, and what was cut from between as boilerplate."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

MOST_LINES = 1_000
LONGEST = 30_000
"""How many lines and characters of a person's words are read: twelve pages. All of them are searched for commands,
stored, and sent on to others."""
LONGEST_CUT = 20_000
REST = "[The rest of this message is too long.]"  # replaces the words beyond those, for everybody who reads them


@dataclass(frozen=True, slots=True)
class Boilerplate:
    before: int  # the number of the person's line before which they stood
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WrittenText:
    """What a person wrote, and what was probably added by their program and their company."""

    lines: tuple[str, ...]
    cut: tuple[Boilerplate, ...] = ()
    sure: int | None = None
    """How many of the lines certainly are the person's: a line above the others may announce a quote. None: all."""
    asked: str | None = None
    """The first of the lines that stands right below a quoted question, and more likely answers that than us."""


class TextDraft:
    def __init__(self) -> None:
        self.has_words = False
        self.is_full = False
        """Whether there are more words than are read; adding more changes nothing."""
        self._lines: list[str] = []
        self._cut: list[Boilerplate] = []
        self._number = self._length = self._cut_length = 0
        self._sure: int | None = None
        self._asked: str | None = None

    @property
    def is_doubted(self) -> bool:
        return self._sure is not None

    def add(self, line: str) -> None:
        """Add a line of the person's; the words that are too many are replaced by REST."""
        words = line.rstrip()
        if self.is_full or not words:
            self._lines += [""] * (not self.is_full)
            return
        self.has_words = True
        room = LONGEST - self._length if self._number < MOST_LINES else 0
        self._number += 1
        self._length += len(words)
        if len(words) > room:
            self.is_full = True
            self._lines += [*([words[:room]] if room else []), "", REST]
        else:
            self._lines.append(words)

    def doubt(self) -> None:
        self._sure = len(self._lines)

    def answer(self, line: str) -> None:
        self._asked = self._asked or line.rstrip()

    def cut(self, lines: Sequence[str]) -> None:
        kept = tuple(_beginning(lines, LONGEST_CUT - self._cut_length))
        if any(line.strip() for line in kept):
            self._cut.append(Boilerplate(len(self._lines), kept))
            self._cut_length += sum(len(line) + 1 for line in kept)

    def written(self) -> WrittenText:
        places = _places(self._lines)
        cut = tuple(Boilerplate(places[cut.before], cut.lines) for cut in self._cut)
        sure = None if self._sure is None else places[self._sure]
        return WrittenText(trim(self._lines), cut, sure, self._asked)


def _beginning(lines: Sequence[str], most: int) -> Iterator[str]:
    """Yield the first lines, with that many characters in all, and the beginning of the next one."""
    for line in lines:
        if most <= 0:
            return
        yield line[:most]
        most -= len(line) + 1


def _places(lines: Sequence[str]) -> list[int]:
    """Return for each line, and for the end, how many of the lines before it `trim` keeps."""
    places, is_blank = [0], True
    for line in lines:
        stays = bool(line.strip()) or not is_blank
        places.append(places[-1] + stays)
        is_blank = not line.strip()
    most = len(trim(lines))
    return [min(place, most) for place in places]


def trim(lines: Sequence[str]) -> tuple[str, ...]:
    """Return the lines without blank ones at the ends, and with no two blank ones in a row."""
    trimmed: list[str] = []
    for line in lines:
        if line.strip() or (trimmed and trimmed[-1]):
            trimmed.append(line.rstrip())
    while trimmed and not trimmed[-1]:
        trimmed.pop()
    return tuple(trimmed)
