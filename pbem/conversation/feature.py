"""What a feature adds to the server, in one value: the core knows this contract, and no feature by name."""

from collections.abc import Iterator
from dataclasses import dataclass

from pbem.config import ServerSettings
from pbem.conversation.core import Command
from pbem.conversation.syntax.commands import Commands
from pbem.messages.extras import Enrich, ExportHook
from pbem.messages.preferences import GENERAL
from pbem.players.erasure import Forget
from pbem.storage.due import Due
from pbem.storage.preferences import Preference


@dataclass(frozen=True, slots=True)
class Topic:
    """A page of help that is more than a command: templates/help/NAME.md."""

    name: str
    keywords: str
    """The words under which help finds it, besides its name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """Everything that a feature adds; without this value there is nothing left of it that anybody could notice."""

    name: str
    commands: tuple[Command, ...] = ()
    topics: tuple[Topic, ...] = ()
    preferences: tuple[Preference, ...] = ()
    """What `set` offers."""
    due: tuple[Due, ...] = ()
    """What is done by time."""
    on_leave: Forget | None = None
    """Removes what it holds on a player who leaves."""
    on_ban: Forget | None = None
    """Ends what a player takes part in, whose account the operator closes."""
    export: ExportHook | None = None
    """Returns what it holds on a player, for their own copy of their data."""
    enrich: tuple[Enrich, ...] = ()
    """Return what it adds to a message."""


class Features:
    """All features of a server, and what they add up to."""

    def __init__(self, *features: Feature) -> None:
        self._features = features
        commands = [command for feature in features for command in feature.commands]
        self.all_commands = Commands(commands)
        """Every command by its name, in the order in which help lists them."""
        self.commands = Commands(command for command in commands if not command.of_admin)
        """What anybody but the admin can write."""
        choices = (*GENERAL, *(preference for feature in features for preference in feature.preferences))
        self.preferences: dict[str, Preference] = {preference.name: preference for preference in choices}
        """What players can choose, by name."""
        self.forget: tuple[Forget, ...] = tuple(each.on_leave for each in features if each.on_leave is not None)
        """What removes everything that features hold on a player who leaves."""
        self.exports: tuple[ExportHook, ...] = tuple(each.export for each in features if each.export is not None)
        """What tells everything that features hold on a player."""
        self.enrich: tuple[Enrich, ...] = tuple(enrich for feature in features for enrich in feature.enrich)
        """What adds to messages, in order."""
        self.due: tuple[Due, ...] = tuple(due for feature in features for due in feature.due)
        """What is done by time, in order."""
        self.topics: dict[str, str] = {topic.name: topic.keywords for feature in features for topic in feature.topics}
        """The keywords of each topic by its name."""

    def __iter__(self) -> Iterator[Feature]:
        return iter(self._features)

    def without(self, *names: str) -> "Features":
        return Features(*(feature for feature in self._features if feature.name not in names))

    def known_to(self, address: str, server: ServerSettings) -> Commands:
        return self.all_commands if server.is_admin(address) else self.commands
