"""The commands and words of a message as far as it has been read, line by line."""

from dataclasses import dataclass, field

from pbem.conversation.command import Line
from pbem.conversation.syntax.courtesies import is_greeting
from pbem.conversation.syntax.line import ADDRESSED
from pbem.mail.reading.text.kept_and_cut_lines import trim

MOST_COMMANDS = 20
MOST_READ = 500
"""How many lines are tried as commands. Below them, only lines that begin with #NUMBER count, as beyond the limit."""


@dataclass(frozen=True, slots=True)
class Prose:
    lines: tuple[str, ...]
    under: tuple[Line, ...] = ()
    """The commands to which they belong by their place: the one right above them; below a blank line, all that stand
    together above it; none above the first command."""


@dataclass
class MessageDraft:
    question: str  # the line that stands right below a quoted question
    turn: str | None  # the line that is the turn in the match that the message is about: no other one can be
    is_played: bool  # whether the message has a legal turn: what may be a sentence is one
    subject: str = ""  # the command in the subject, which may be repeated below
    commands: list[Line] = field(default_factory=list)
    beyond: list[str] = field(default_factory=list)
    overlooked: list[str] = field(default_factory=list)
    stray: Line | None = None  # the first turn of one short word that stands among other words
    read: int = 0
    blocks: list[tuple[list[str], tuple[Line, ...]]] = field(default_factory=list)
    """The words, block by block, with the commands to which each belongs."""
    is_open: bool = False  # whether the line above belongs to the last block
    together: list[Line] = field(default_factory=list)
    """The commands that stand together above the present line."""
    is_apart: bool = True  # whether a blank line stands below them

    @property
    def words(self) -> tuple[Prose, ...]:
        return tuple(Prose(trim(lines), under) for lines, under in self.blocks)

    @property
    def is_below_words(self) -> bool:
        return bool(self.commands) and (self.is_open or any(under for _, under in self.blocks))

    @property
    def greets(self) -> bool:
        written = [line for lines, _ in self.blocks for line in lines if line]
        return self.is_open and len(self.blocks) == len(written) == 1 and is_greeting(written[0])

    def keeps(self, text: str) -> bool:
        """Return whether the line belongs to the last command, whatever it says: a player's line names no match."""
        last = self.commands[-1].command if self.commands else None
        return last is not None and last.grammar.takes_below and (last.of_admin or not ADDRESSED.match(text))

    def add_blank(self) -> None:
        self.is_apart = True
        if self.is_open:
            self.blocks[-1][0].append("")

    def add_words(self, line: str) -> None:
        if not self.is_open:
            self.blocks.append(([], tuple(self.together if self.is_apart else self.together[-1:])))
        self.is_open = True
        self.blocks[-1][0].append(line)

    def add_command(self, line: Line) -> None:
        if self.is_open or self.is_apart:
            self.together = []
        self.together.append(line)
        self.commands.append(line)
        self.is_open = self.is_apart = False
