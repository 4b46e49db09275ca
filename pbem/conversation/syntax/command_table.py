"""The commands that somebody can write, with what a reader of lines asks of all of them: found once, not by message."""

import re
from collections.abc import Iterable
from functools import cached_property

from pbem.conversation.command import Command
from pbem.conversation.syntax.arguments import LAST_PAGE, PAGE, Given
from pbem.conversation.syntax.sentence_entities import CELL

PLACEHOLDER = re.compile(r"[A-Z]{2,}")  # a word of a usage line that stands for one of the player's


class Commands(dict[str, Command]):
    """Commands by name, in the order in which help lists them."""

    def __init__(self, commands: Iterable[Command]) -> None:
        super().__init__((command.name, command) for command in commands)

    def named(self, verb: str) -> Command | None:
        return self.get(self._names.get(verb.lower(), ""))

    @cached_property
    def verbs(self) -> frozenset[str]:
        return frozenset(self._names)

    @cached_property
    def move(self) -> Command:
        return next(command for command in self.values() if command.plays)

    @cached_property
    def joining(self) -> Command:
        return next(command for command in self.values() if command.newcomer_rank == 1)

    def placeholder_in(self, text: str) -> str | None:
        """Return the first word of a text that stands for one of the player's in a usage line."""
        return next((word for word in PLACEHOLDER.findall(text) if word in self._placeholders), None)

    @cached_property
    def _placeholders(self) -> frozenset[str]:
        return frozenset(word for command in self.values() for word in PLACEHOLDER.findall(command.grammar.usage))

    @cached_property
    def _names(self) -> dict[str, str]:
        found = {name: name for name in self}
        for name, command in self.items():
            for alias in command.aliases:
                found.setdefault(alias, name)
        return found


RECORD_ROW = re.compile(r"\d{1,3}\.?\s{2,}")
CONNECTIVES = frozenset({"or", "can", "must", "but", "because"})
"""Words that appear in sentences about squares, but in no turn."""
SHORTEST = 4  # how many characters a word of letters and figures has that stands in no text but as a turn


def cells(text: str) -> int:
    """Return how many cells a text names.

    >>> cells("1 c1b1 g9h9"), cells("[1]")
    (4, 0)
    """
    return len(CELL.findall(text))


def is_short_word(text: str) -> bool:
    """Return whether a text is one word that other texts have as well: a number, a square, or a word like "pass".

    >>> is_short_word("8"), is_short_word("h8"), is_short_word("pass"), is_short_word("e3f4"), is_short_word("1 a7b7")
    (True, True, True, False, False)
    """
    return len(text.split()) == 1 and (len(text) < SHORTEST or text.isalpha())


def is_board_or_record(words: str) -> bool:
    """Return whether a line is a row of one of our boards or records, quoted without marks.

    >>> [is_board_or_record(row) for row in ("x o . O x x . . x  3", "1.  ....  ....  1  c1b1  g9h9", "5 c1b1 g9h9")]
    [True, True, False]
    """
    first = words.split(maxsplit=1)[0] if words.strip() else "."
    return (len(first) == 1 and not first.isdigit()) or RECORD_ROW.match(words) is not None


def is_sentence(words: str) -> bool:
    """Return whether a text that starts like a turn is more likely prose ("3 cheers for you", "a1 is a fine square").

    >>> is_sentence("c1b1 g9h9 9"), is_sentence("c1 b1 is what I feared")
    (False, True)
    """
    if not CONNECTIVES.isdisjoint(words.lower().split()):
        return True
    return sum(word.strip(".,!?").isalpha() and len(word) > 1 for word in words.split()) > 1


SIZE = 25  # how many lines a page has


def following(command: str, given: Given, *, more: bool) -> str | None:
    """Return how to ask for the page after the one that a line asks for, if there is one.

    >>> from pbem.conversation.syntax.arguments import GAME, opt, words
    >>> following("seeks", words(opt(GAME), opt(PAGE)).read("quadrature"), more=True)
    'seeks quadrature 2'
    """
    others = (word for piece, words in given.kept.items() if piece is not PAGE for word in words)
    return page_after(" ".join((command, *others)), given.get(PAGE, 1), more=more)


def page_after(line: str, page: int, *, more: bool) -> str | None:
    return f"{line} {page + 1}" if more and page < LAST_PAGE else None
