"""Sentences of newcomers -> the lines that our help would have them write, in our own words."""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from importlib import resources

from notation.games import GAMES
from pbem.conversation.core import Command
from pbem.conversation.syntax import intents
from pbem.conversation.syntax.grammar import GAME

MOST_LINES, LONGEST = 12, 200
"""How many lines a message has at most in which sentences are looked for, and how many characters of each count."""


WORDS: dict[str, list[str]] = tomllib.loads(
    resources.files("pbem.conversation.syntax").joinpath("newcomers.toml").read_text(encoding="utf-8")
)
"""The phrases by which we know what newcomers ask for, by kind."""


_QUOTED = re.compile(r'"[^"]*"|\u201c[^\u201d]*\u201d')
"""What our own messages, which machines may return, have in quotes: examples of commands."""


def any_of(kind: str) -> str:
    return "|".join(re.escape(phrase) for phrase in sorted(WORDS[kind], key=len, reverse=True))


def lines_said(commands: Mapping[str, Command], text: Iterable[str]) -> list[str]:
    """Return what the sentences ask for, each command once, those first that make somebody a player."""
    sentences = [GAMES.keyed(_QUOTED.sub(" ", line.strip()[:LONGEST])) for line in text if line.strip()]
    if len(sentences) > MOST_LINES:
        return []
    found: dict[str, str] = {}
    for sentence in sentences:
        for command, line in _asked(commands, sentence):
            found.setdefault(command, line)
    return sorted(found.values(), key=lambda line: commands[line.split()[0]].newcomer.rank or len(commands))


def _asked(commands: Mapping[str, Command], sentence: str) -> Iterator[tuple[str, str]]:
    found = [
        (command, line)
        for command in commands.values()
        if command.newcomer.said and (line := command.newcomer.said(sentence))
    ]
    asks_about_game = any(not command.changes for command, _ in found)
    begins_match = False
    for command, line in found:
        is_match = command.grammar.has(GAME) and command.changes
        if not (is_match and (asks_about_game or begins_match)):
            yield command.name, line
        begins_match |= is_match
    wish = intents.of_anybody(sentence)
    if wish is not None and wish.split()[0] in commands:
        yield wish.split()[0], wish
