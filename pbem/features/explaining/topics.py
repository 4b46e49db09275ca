"""What `help WORD` finds: commands, games, and topics under every word that people look for them with."""

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice

from engines.search import is_weak_at
from notation.games import GAMES
from pbem.conversation.core import Command, Group
from pbem.conversation.feature import Features
from pbem.conversation.syntax.commands import Commands
from pbem.conversation.syntax.courtesies import with_other_number
from pbem.features.explaining.messages import (
    CommandGroup,
    CommandHelp,
    GameHelp,
    Help,
    HelpOnCommand,
    HelpOnGame,
    HelpOnGroup,
    HelpOnModeration,
    HelpOnNotation,
    HelpOnSetting,
    HelpOnTopic,
    OptionHelp,
)
from pbem.messages.said.messages import LISTED, titles
from pbem.storage.preferences import Preference

Explanation = (
    Help | HelpOnCommand | HelpOnGame | HelpOnGroup | HelpOnModeration | HelpOnNotation | HelpOnSetting | HelpOnTopic
)

FILLING = frozenset(
    {"a", "about", "an", "can", "do", "does", "find", "for", "get", "getting", "how", "i", "in", "is", "it", "me", "my"}
    | {"of", "on", "please", "the", "there", "to", "what", "where", "with", "you"}
)
"""Words that say nothing about what is looked for: "help me", "help on the notation"."""
SETTING = frozenset({"set", "setting", "settings", "preference", "preferences"})
"""Words with which a setting is named: "help set mail"."""
MODERATION = frozenset({"moderation", "moderate", "moderator", "admin", "operator"})
"""Words with which the admin looks for what only they can write."""
MATCHES = "games"
"""The command whose name people write who look for all games."""
NOTATION = "notation"
NOTATION_WORDS = "notations coordinate coordinates square squares syntax format write writing"
OVERVIEW = frozenset({"command", "commands", "all", "everything", "list", "options"})


def find(features: Features, commands: Commands, words: str) -> Explanation | None:
    said = [word.strip(".,;:!?\"'") for word in words.lower().split()]
    wanted = [word for word in said if word and word not in FILLING]
    of_admin = tuple(_entry(command) for command in commands.values() if command.of_admin)
    if not wanted or OVERVIEW.issuperset(wanted):
        groups = tuple(_grouped(features, commands, group) for group in Group if group is not Group.MODERATION)
        return Help(groups=groups, games=titles(), moderates=bool(of_admin))
    if of_admin and not MODERATION.isdisjoint(wanted):
        return HelpOnModeration(commands=of_admin)
    group = next((group for group in Group if [group.word] == wanted and group is not Group.MODERATION), None)
    if group is not None:
        return HelpOnGroup(group=_grouped(features, commands, group))
    if not SETTING.isdisjoint(wanted) and (
        chosen := next((features.preferences[word] for word in wanted if word in features.preferences), None)
    ):
        return _setting(chosen)
    games = [key for word in wanted if (key := with_other_number(word, frozenset(GAMES))) in GAMES]
    if "notation" in wanted:
        return _notation(games)
    if games:
        return HelpOnGame(game=game(games[0]))
    return next(
        (found for word in wanted if (found := _found(features, commands, word, asks_how="how" in said)) is not None),
        None,
    )


def near(features: Features, commands: Commands, words: str) -> list[str]:
    index = _index(features, commands)
    known = [*commands, *GAMES, *index, *(word for others in index.values() for word in others.split())]
    found = (get_close_matches(word, known, 3) for word in words.lower().split())
    return list(dict.fromkeys(each for matches in found for each in matches))[:3]


def game(key: str) -> GameHelp:
    options = tuple(
        OptionHelp(name=option.name, spelled=option.spelled, default=option.choices[0], help=option.help)
        for option in GAMES[key].game.options
    )
    pack = GAMES[key]
    return GameHelp(
        key=key, title=pack.title, notation=pack.notation.help, options=options, is_weak=is_weak_at(pack.game)
    )


def _notation(games: Iterable[str] = ()) -> HelpOnNotation:
    return HelpOnNotation(games=tuple(game(key) for key in games or islice(GAMES, LISTED)))


def _index(features: Features, commands: Commands) -> dict[str, str]:
    found = {**features.topics, NOTATION: NOTATION_WORDS}
    return found | {name: command.keywords for name, command in commands.items() if name not in found}


def _found(features: Features, commands: Commands, word: str, *, asks_how: bool) -> Explanation | None:
    """Return what explains a single word; who asks how is told of a topic rather than of a command."""
    index = _index(features, commands)
    meant = next((topic for topic, others in index.items() if word == topic or word in others.split()), None)
    has_page = meant in features.topics and (asks_how or meant == word)
    if not has_page and (command := commands.named(word)) is not None:
        return HelpOnCommand(command=_entry(command), games=titles(None) if command.name == MATCHES else ())
    if meant == NOTATION:
        return _notation()
    if word in features.preferences and meant in (None, "set"):
        return _setting(features.preferences[word])
    if meant is None or meant in features.topics:
        return HelpOnTopic(topic=meant) if meant else None
    return HelpOnCommand(command=_entry(commands[meant]))


def _entry(command: Command) -> CommandHelp:
    return CommandHelp(
        name=command.name, usage=command.usage, help=command.help, aliases=command.aliases, brief=command.brief
    )


def _grouped(features: Features, commands: Commands, group: Group) -> CommandGroup:
    entries = tuple(_entry(command) for command in features.groups[group] if command.name in commands)
    return CommandGroup(word=group.word, title=group.heading, commands=entries)


def _setting(found: Preference) -> HelpOnSetting:
    return HelpOnSetting(name=found.name, spelled=found.spelled, default=found.default, help=found.help)
