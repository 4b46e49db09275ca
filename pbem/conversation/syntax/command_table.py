"""The commands that somebody can write, by their names, aliases and placeholders: collected once, not by message."""

import re
from collections.abc import Iterable
from functools import cached_property

from pbem.conversation.command import Command

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
