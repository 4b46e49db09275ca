"""Lines of a message -> commands and prose. Nothing is executed here.

A message has perhaps a greeting, then commands, one per line, then prose. The subject of a new message counts as a
line before the first if it is a command. Everything that is neither a command nor a turn is prose.

Guesses are never commands; if a message has no command, a guess from its first line is suggested.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pbem.commands.core import Command, Line
from pbem.commands.refusals import not_a_command
from pbem.commands.syntax.line import GameOf, LineReader
from pbem.commands.syntax.rognlie import IGNORED, Translation, Translator
from pbem.reading.message import bare_subject
from pbem.reading.text.normalize import to_ascii
from pbem.reading.text.reply_text import trim

TAG = re.compile(r"\[pbem #(\d{1,9})(?:, [a-z ]{1,20})?\]")
LONGEST_LINE = 1_000
MOST_COMMANDS = 20


@dataclass(frozen=True, slots=True)
class ParsedMessage:
    """The content of a message: commands, then prose for the opponent."""

    commands: tuple[Line, ...]
    prose: tuple[str, ...]
    """If there is no command: the text below the first line."""
    first: str
    """The first line that isn't empty, for the reply to a message without commands."""
    guess: Line | None = None
    """The command that the first line most resembles, if there is none."""
    subject: str = ""
    """The subject, for the reply."""


def tagged_match(subject: str) -> int | None:
    """Return the match in the subject of a reply.

    >>> tagged_match("Re: [pbem #42, your turn] Quadraphages: alice - bob")
    42
    >>> tagged_match("Re: [pbem #42] Quadraphages: alice - bob")
    42
    """
    tag = TAG.search(subject)
    return int(tag[1]) if tag else None


class Reader:
    """Reads the lines of one message."""

    def __init__(
        self, commands: Mapping[str, Command], game_of: GameOf, match: int | None, own: str | None = None
    ) -> None:
        self._commands = commands
        self._line = LineReader(commands, game_of, match)
        self._translator = Translator(own, self._line.verbs, frozenset(self._line.naming()), self._line.is_turn)

    def read(self, subject: str, lines: Sequence[str]) -> ParsedMessage:
        """Return the commands and the prose of the message."""
        head = self._subject(subject)
        found: list[Line] = [*head]
        before: list[str] = []
        after: list[str] = []
        for raw in lines:
            line = raw.strip()[:LONGEST_LINE]
            if not line or line.lower().strip(".:!") in IGNORED:
                (before if not found else after).append("")
                continue
            translated = self._translator.translate(to_ascii(line))
            prose = raw if translated[0].text == to_ascii(line) else translated[0].text
            if after and any(after):
                after.append(prose)
                continue
            read = self._lines(translated, opening=not found and not any(before)) if len(found) < MOST_COMMANDS else ()
            if found and (
                not read or (read[0].malformed and not translated[0].refusal and read[0].command.name != "move")
            ):
                read = self._misspelt(translated[0].text) if not read else ()
            if not read:
                (after if found else before).append(prose)
            elif not (found == head and [each.text for each in read] == [each.text for each in head]):
                found.extend(_as_written(each, line) for each in read)  # unless the subject has it already
        bare = bare_subject(subject)
        told = " ".join(line.text for line in head) or self._translator.translate(to_ascii(bare))[0].text
        told = bare if told == to_ascii(bare) else told
        return self._reading(subject, self._translator.without_password(told), found, before, after)

    def _reading(
        self, subject: str, told: str, found: list[Line], before: list[str], after: list[str]
    ) -> ParsedMessage:
        """Put together the content of the message."""
        if found:
            return ParsedMessage(
                tuple(found[:MOST_COMMANDS]), trim([*before, "", *after]), _first(before), subject=told
            )
        fresh = to_ascii(subject) if subject == bare_subject(subject) else ""
        first = _first(before) or self._translator.translate(fresh)[0].text.strip()
        others = sum(bool(line.strip()) for line in before) > 1
        if not others and (only := self._line.looking(to_ascii(first))):
            return ParsedMessage((only,), (), first, subject=told)
        rest = trim(before[before.index(next(line for line in before if line.strip())) + 1 :]) if others else ()
        return ParsedMessage(
            (), rest, self._translator.without_password(first), self._line.guess(to_ascii(first)), told
        )

    def _subject(self, subject: str) -> list[Line]:
        """Return the subject as commands; none if anything is wrong with it."""
        bare = to_ascii(bare_subject(subject))
        lines = self._lines(self._translator.translate(bare), opening=True) if bare else ()
        fit = all(not line.malformed and (not line.command.of_match or line.match is not None) for line in lines)
        return [*lines] if fit else []

    def _lines(self, translated: Sequence[Translation], *, opening: bool) -> tuple[Line, ...]:
        """Return the lines as commands; none for prose."""
        lines = [self._line.line(each.text, opening=opening) or self._without_counterpart(each) for each in translated]
        if any(line is None for line in lines):
            return ()
        return tuple(
            replace(line, malformed=True, refusal=each.refusal) if each.refusal else line
            for line, each in zip(lines, translated, strict=True)
            if line is not None
        )

    def _without_counterpart(self, translated: Translation) -> Line | None:
        """Return one of Rognlie's commands that has no counterpart here: it is refused, and isn't prose."""
        return Line(self._commands["help"], "", None, translated.text, malformed=True) if translated.refusal else None

    def _misspelt(self, text: str) -> tuple[Line, ...]:
        """Return the line right below a command as a refused one if it certainly is a misspelt command."""
        line = self._line.guess(text)
        if line is None or not self._line.is_sure(line):
            return ()
        return (replace(line, text=text, malformed=True, refusal=not_a_command(text, line)),)


def _as_written(line: Line, written: str) -> Line:
    """Return the line with its original characters, for showing it or passing it on."""
    plain = to_ascii(written)
    if plain == written or line.text != plain:
        return line
    words = written[len(written) - len(line.words) :] if line.command.name == "say" and line.words else line.words
    return replace(line, words=words, text=written)


def _first(lines: Sequence[str]) -> str:
    """Return the first line that isn't empty."""
    return next((line.strip() for line in lines if line.strip()), "")[:LONGEST_LINE]
