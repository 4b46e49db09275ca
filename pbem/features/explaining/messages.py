"""What explains the server, its commands and its games: sections, and what they consist of."""

from pbem.messages.said.messages import GameTitle
from pbem.storage.payloads import Part, Payload, Section


class CommandHelp(Part):
    name: str
    usage: str
    help: str
    aliases: tuple[str, ...]
    brief: str = ""
    """What it does, in at most ten words."""


class CommandGroup(Part):
    word: str
    """What is written after `help`."""
    title: str
    commands: tuple[CommandHelp, ...]


class ForOperator(Payload, template="for_operator"):
    """What somebody has written for the operator to read."""

    by: str = ""
    """The player; empty for somebody who is none."""
    address: str
    message: tuple[str, ...]


class OperatorTold(Section, template="operator_told"):
    address: str


class OptionHelp(Part):
    name: str
    spelled: str
    default: str
    help: str


class GameHelp(Part):
    key: str
    title: str
    notation: str
    options: tuple[OptionHelp, ...]
    is_weak: bool = False
    """Whether the house knows only its rules."""


class Help(Section, template="help"):
    groups: tuple[CommandGroup, ...]
    games: tuple[GameTitle, ...]
    moderates: bool = False
    """Whether the reader is the admin, who can do more than that."""


class HelpOnTopic(Section, template="help_topic"):
    """What people look for that is neither a command nor a game."""

    topic: str


class HelpOnGroup(Section, template="help_group"):
    group: CommandGroup


class HelpOnSetting(Section, template="help_setting"):
    """Something that `set` chooses."""

    name: str
    spelled: str
    default: str
    help: str


class HelpOnCommand(Section, template="help_command"):
    command: CommandHelp
    games: tuple[GameTitle, ...] = ()
    """All games, for people who look for them under the command that lists matches."""


class HelpOnModeration(Section, template="help_moderation"):
    commands: tuple[CommandHelp, ...]


class HelpOnGame(Section, template="help_game"):
    game: GameHelp


class HelpOnNotation(Section, template="help_notation"):
    games: tuple[GameHelp, ...]


class Rules(Section, template="rules"):
    game: GameHelp
    language: str = ""
    """Empty for English."""
    languages: tuple[str, ...] = ()
    """The other languages that there are."""
