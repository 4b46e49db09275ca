"""What a feature adds to the server, in one value; and the words that it uses, which can't be names.

The core knows this contract, and no feature by name.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from typing import Any

from sqlalchemy import delete, inspect
from sqlmodel import Session, SQLModel, select

from engines.core import Game
from notation.games import GAMES
from pbem.conversation.command import Command, Commands, Group
from pbem.conversation.syntax.courtesies import GREETINGS, POLITE
from pbem.conversation.syntax.names_in_sentences import NAME as NAME
from pbem.messages import template_files
from pbem.messages.general_preferences import GENERAL
from pbem.players.erasure import Forget
from pbem.storage.due_rows import Due
from pbem.storage.models import ANONYMOUS, IMPORTED, Player
from pbem.storage.preference_definition import Preference
from pbem.storage.retention import change

ExportHook = Callable[[Session, Player], Any]  # returns what is held on a player, as values for JSON


def rows_of(table: type[SQLModel], columns: str) -> ExportHook:
    """Return the hook that exports the rows of a table whose `player` is the player, by those columns."""

    def export(session: Session, player: Player) -> list[dict[str, Any]]:
        rows = select(table).where(inspect(table).columns.player == player.id).order_by(*inspect(table).primary_key)
        return [columns_of(row, columns) for row in session.exec(rows)]

    return export


def columns_of(row: SQLModel, columns: str) -> dict[str, Any]:
    return {column: getattr(row, column) for column in columns.split()}


def deletes(table: type[SQLModel]) -> Forget:
    """Return the hook that deletes the rows of a table whose `player` is the player."""

    def forget(session: Session, player: Player, addresses: Collection[str], now: datetime) -> None:
        change(session, delete(table).where(inspect(table).columns.player == player.id))

    return forget


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
        self.topics = {name: words for feature in features for name, words in feature.topics.items()}

    def __iter__(self) -> Iterator[Feature]:
        return iter(self._features)

    def without(self, *names: str) -> "Features":
        return Features(*(feature for feature in self._features if feature.name not in names))


STANDING_FOR = (ANONYMOUS, IMPORTED)  # how the names of rows begin that are no player's
RESERVED = frozenset({"postmaster", "webmaster", "abuse", "root", "guest"})
"""Names that somebody might take for the operator's, or that stand for nobody."""


@cache
def words_in_use(features: Features) -> frozenset[str]:
    """Return the words that games, settings, courtesies and our messages use: as a name they would be misread.

    >>> {"quadraphages", "first", "begin", "daily", "hello", "to", "turn"} <= words_in_use(Features())
    True
    """
    games = {
        *GAMES,
        *(word for game in GAMES.games() for word in game.title.lower().split()),
        *(option.name for game in GAMES.games() for option in game.options),
        *(choice for game in GAMES.games() for option in game.options for choice in option.choices),
    }
    known = features.preferences
    settings = {*known, *(choice for each in known.values() for choice in each.choices)}
    return RESERVED | games | settings | _polite() | template_files.words()


def _polite() -> set[str]:
    return {word for phrase in (*POLITE, *GREETINGS) for word in phrase.split()}


TERMS = {"me", "you", "random", "rated", "unrated", "begin", "time", "level", "weekends", "ladder", "swiss", "en"}
"""What no game can be called: what terms of matches and contests are."""


def can_be_named(game: Game, features: Features) -> bool:
    """Return whether players can write the key and the title of a game for it; `notation.games.unusable` says why not.

    >>> from dataclasses import replace
    >>> names = ("hex", "please", "random", "rated", "level", "ladder")
    >>> [can_be_named(replace(GAMES["quadrupel"].game, key=key), Features()) for key in names]
    [True, False, False, False, False, False]
    """
    commands, settings, topics = features.all_commands.verbs, features.preferences, features.topics
    taken = RESERVED.union(commands, settings, topics, _polite(), TERMS)
    return taken.isdisjoint((game.key, game.title.lower()))


def suggested_name(address: str, features: Features) -> str | None:
    """Return a name made from the address, whether or not it is taken; None if none can be.

    >>> [suggested_name(address, Features()) for address in ("Carol.Smith@mail.example", "42@mail.example")]
    ['carolsmith', None]
    """
    local = re.sub(r"[^a-z0-9]", "", address.partition("@")[0].partition("+")[0].lower())[:16].lstrip("0123456789")
    is_ours = local in words_in_use(features) or local.startswith(STANDING_FOR)
    return local if NAME.fullmatch(local) and not is_ours else None
