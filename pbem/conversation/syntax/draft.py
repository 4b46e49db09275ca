"""The commands and words of a message as far as it has been read, line by line."""

from collections.abc import Sequence
from dataclasses import dataclass

from pbem.conversation.core import Line
from pbem.conversation.syntax.courtesies import is_greeting
from pbem.conversation.syntax.line import ADDRESSED
from pbem.mail.reading.text.written import trim

MOST_COMMANDS = 20
MOST_READ = 500
"""How many lines are tried as commands. Below them, only lines that begin with #NUMBER count, as beyond the limit."""


@dataclass(frozen=True, slots=True)
class Prose:
    lines: tuple[str, ...]
    under: tuple[int, ...] = ()
    """The numbers of the commands, from 0, to which they belong by their place: the one right above them; below a blank
    line, all that stand together above it; none above the first command."""


class MessageDraft:
    def __init__(self, head: Sequence[Line]) -> None:
        self.commands: list[Line] = [*head]
        self.words: list[Prose] = []
        self.beyond: list[str] = []
        self.overlooked: list[str] = []
        self.separators: list[str] = []
        self.below: list[str] = []
        self.unread: list[str] = []
        """Lines that begin with a match's number and can't be read."""
        self.stray: Line | None = None
        """The first turn of one short word that stands among other words."""
        self.read = self.searched = 0
        self._block = [*range(len(head))]
        self._is_apart = True
        self._lines: list[str] = []
        self._under: tuple[int, ...] = ()

    @property
    def is_below_words(self) -> bool:
        return bool(self.commands) and (bool(self._lines) or any(block.under for block in self.words))

    @property
    def is_full(self) -> bool:
        return len(self.commands) + len(self.unread) >= MOST_COMMANDS or self.read >= MOST_READ

    def keeps(self, text: str) -> bool:
        """Return whether the line belongs to the last command, whatever it says: a player's line names no match."""
        last = self.commands[-1].command if self.commands else None
        return last is not None and last.grammar.takes_below and (last.of_admin or not ADDRESSED.match(text))

    @property
    def has_words(self) -> bool:
        return bool(self._lines) or bool(self.words)

    @property
    def greets(self) -> bool:
        return not self.words and len(lines := list(filter(None, self._lines))) == 1 and is_greeting(lines[0])

    def add_blank(self) -> None:
        self._is_apart = True
        if self._lines:
            self._lines.append("")

    def add_words(self, line: str) -> None:
        if not self._lines:
            self._under = tuple(self._block if self._is_apart else self._block[-1:])
        self._lines.append(line)

    def add_commands(self, lines: Sequence[Line]) -> None:
        if self._lines or self._is_apart:
            self._block = []
        self.close()
        self._block += range(len(self.commands), len(self.commands) + len(lines))
        self._is_apart = False
        self.commands += lines

    def close(self) -> None:
        if self._lines:
            self.words.append(Prose(trim(self._lines), self._under))
        self._lines = []
