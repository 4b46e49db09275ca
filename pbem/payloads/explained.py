"""Commands and games as the help describes them: parts of several sections."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandHelp:
    """A command as the help describes it."""

    name: str
    usage: str
    help: str
    aliases: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GameTitle:
    """A game, the word that names it in commands, and what it is like."""

    key: str
    title: str
    summary: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionHelp:
    """An option of a game."""

    name: str
    spelled: str
    default: str
    help: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GameHelp:
    """A game as the help describes it."""

    key: str
    title: str
    notation: str
    options: tuple[OptionHelp, ...]
