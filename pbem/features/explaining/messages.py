"""What explains the server, its commands and its games: sections, and what they consist of."""

from dataclasses import dataclass
from typing import ClassVar, Literal

from pbem.messages.said.welcome import GameTitle
from pbem.storage.payloads import Section


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandHelp:
    """A command as the help describes it."""

    name: str
    usage: str
    help: str
    aliases: tuple[str, ...]
    brief: str = ""
    """What it does, in at most ten words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandGroup:
    """Some commands under one heading."""

    word: str
    """What is written after `help`."""
    title: str
    commands: tuple[CommandHelp, ...]


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
    is_weak: bool = False
    """Whether the house knows only its rules."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Help(Section):
    """All commands and games."""

    groups: tuple[CommandGroup, ...]
    games: tuple[GameTitle, ...]
    moderates: bool = False
    """Whether the reader is the admin, who can do more than that."""
    template: Literal["help"] = "help"
    heading: ClassVar = "Help"


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpOnTopic(Section):
    """What people look for that is neither a command nor a game."""

    topic: str
    template: Literal["help_topic"] = "help_topic"
    heading: ClassVar = "Help on {0.topic}"


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpOnGroup(Section):
    """The commands of a group."""

    group: CommandGroup
    template: Literal["help_group"] = "help_group"
    heading: ClassVar = "Help on {0.group.word}"


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpOnSetting(Section):
    """Something that `set` chooses."""

    name: str
    spelled: str
    default: str
    help: str
    template: Literal["help_setting"] = "help_setting"
    heading: ClassVar = "Help on {0.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpOnCommand(Section):
    """One command."""

    command: CommandHelp
    games: tuple[GameTitle, ...] = ()
    """All games, for people who look for them under the command that lists matches."""
    template: Literal["help_command"] = "help_command"
    heading: ClassVar = "Help on {0.command.name}"


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpOnModeration(Section):
    """What only the admin can write."""

    commands: tuple[CommandHelp, ...]
    template: Literal["help_moderation"] = "help_moderation"
    heading: ClassVar = "Help on moderation"


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpOnGame(Section):
    """One game."""

    game: GameHelp
    template: Literal["help_game"] = "help_game"
    heading: ClassVar = "Help on {0.game.title}"


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpOnNotation(Section):
    """How turns are written in some games."""

    games: tuple[GameHelp, ...]
    template: Literal["help_notation"] = "help_notation"
    heading: ClassVar = "How turns are written"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules(Section):
    """The rules of a game."""

    game: GameHelp
    language: str = ""
    """Empty for English."""
    languages: tuple[str, ...] = ()
    """The other languages that there are."""
    template: Literal["rules"] = "rules"
    heading: ClassVar = "Rules of {0.game.title}"
