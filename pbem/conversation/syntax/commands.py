"""The commands that somebody can write, with what a reader of lines asks of all of them: found once, not by message."""

import re
from collections.abc import Iterable
from functools import cached_property

from pbem.conversation.core import Command

PLACEHOLDER = re.compile(r"[A-Z]{2,}")
"""A word of a usage line that stands for one of the player's."""
_NAMES_SOMEBODY = re.compile(r"NAME|PLAYER|GAME")


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
        return next(command for command in self.values() if command.makes_player == 1)

    @cached_property
    def naming(self) -> frozenset[str]:
        naming = (each for each in self.values() if _NAMES_SOMEBODY.search(each.arguments) and not each.of_match)
        return frozenset(verb for command in naming for verb in (command.name, *command.aliases))

    @cached_property
    def of_admin(self) -> frozenset[str]:
        return frozenset(name for name, command in self.items() if command.of_admin)

    @cached_property
    def placeholders(self) -> frozenset[str]:
        return frozenset(word for command in self.values() for word in PLACEHOLDER.findall(command.arguments))

    @cached_property
    def _names(self) -> dict[str, str]:
        found = {name: name for name in self}
        for name, command in self.items():
            for alias in command.aliases:
                found.setdefault(alias, name)
        return found
