"""What a feature adds to the server, in one value.

The core knows this contract, and no feature by name.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlmodel import Session

from pbem.conversation.command import Command, Commands, Group, Request
from pbem.conversation.reply import Reply
from pbem.conversation.syntax.mail import ParsedMessage
from pbem.messages.general_preferences import GENERAL
from pbem.players.erasure import Forget
from pbem.storage.due_rows import Due
from pbem.storage.models import Player
from pbem.storage.preference_definition import Preference
from pbem.tokens import Purpose

ExportHook = Callable[[Session, Player], Any]  # returns what is held on a player, as values for JSON


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """Everything that a feature adds; without this value there is nothing left of it that anybody could notice."""

    name: str
    commands: Mapping[Group, tuple[Command, ...]] = field(default_factory=dict)
    """What it lets people write, by the heading under which help lists it."""
    topics: Mapping[str, str] = field(default_factory=dict)
    """Its pages of help, templates/help/NAME.md, with the words under which help finds each besides its name."""
    preferences: tuple[Preference, ...] = ()  # what `set` offers
    due: tuple[Due, ...] = ()  # what is done by time
    on_leave: Forget | None = None  # removes what it holds on a player who leaves
    on_ban: Forget | None = None  # ends what a player takes part in, whose account the operator closes
    exports: Mapping[str, ExportHook] = field(default_factory=dict)
    """What it holds on a player, for their own copy of their data, by its name there."""
    answers: Mapping[Purpose, Callable[[Request, Reply, int], Reply]] = field(default_factory=dict)
    """What handles the answer to a question of its own, by what the token of that is for."""
    rereads: Callable[[Request, ParsedMessage], ParsedMessage] | None = None
    """Returns what of a message counts from somebody who is no player."""
    introduces: Callable[[Request, Reply, ParsedMessage], Reply] | None = None
    """Answers somebody who is no player, and writes no command that they can have."""
    accepts_name: "Callable[[str, Features], bool] | None" = None  # returns whether a player can be called that


class Features:
    """All features of a server, and what they add up to."""

    def __init__(self, *features: Feature) -> None:
        self._features = features
        grouped = [(group, each) for feature in features for group, those in feature.commands.items() for each in those]
        commands = [command for _, command in grouped]
        self.groups = {group: [command for its, command in grouped if its is group] for group in Group}
        self.all_commands = Commands(commands)
        self.commands = Commands(command for command in commands if not command.of_admin)
        """What anybody but the admin can write."""
        choices = (*GENERAL, *(preference for feature in features for preference in feature.preferences))
        self.preferences: dict[str, Preference] = {preference.name: preference for preference in choices}
        self.forget: tuple[Forget, ...] = tuple(each.on_leave for each in features if each.on_leave is not None)
        self.exports = {name: hook for feature in features for name, hook in feature.exports.items()}
        self.due: tuple[Due, ...] = tuple(due for feature in features for due in feature.due)
        self.answers = {purpose: handle for feature in features for purpose, handle in feature.answers.items()}
        self.reread = next((each.rereads for each in features if each.rereads), lambda _, parsed: parsed)
        self.introduce = next((each.introduces for each in features if each.introduces), lambda _, reply, __: reply)
        self.topics = {name: words for feature in features for name, words in feature.topics.items()}

    def __iter__(self) -> Iterator[Feature]:
        return iter(self._features)

    def accept_name(self, name: str) -> bool:
        return all(each.accepts_name(name, self) for each in self._features if each.accepts_name is not None)
