"""Explanations: help with all that `help WORD` finds, and the rules."""

from difflib import get_close_matches
from itertools import islice

from engines.search import is_weak_at
from notation.games import FEW, GAMES
from pbem.conversation.command import PAGE, Command, Commands, Decision, Group, Line, Request, Who
from pbem.conversation.feature import Features
from pbem.conversation.syntax import commands_for_wishes
from pbem.conversation.syntax.arguments import GAME, opt, word, words
from pbem.conversation.syntax.prose import nearest_word
from pbem.errors import Refused
from pbem.messages.contents.message_payloads import LISTED, GameTitle, titles
from pbem.storage.message_payload_base import Part, Section
from pbem.storage.models import Match
from pbem.storage.preference_definition import Preference


class CommandHelp(Part):
    name: str
    usage: str
    help: str
    aliases: tuple[str, ...]
    brief: str = ""  # what it does, in at most ten words


class CommandGroup(Part):
    word: str  # what is written after `help`
    title: str
    commands: tuple[CommandHelp, ...]


class Help(Section, template="help"):
    groups: tuple[CommandGroup, ...]
    games: tuple[GameTitle, ...]
    moderates: bool = False  # whether the reader is the admin, who can do more than that


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
    games: tuple[GameTitle, ...] = ()  # all games, for people who look for them under the command that lists matches


class HelpOnGame(Section, template="help_game"):
    game: str
    is_weak: bool = False  # whether the house knows only its rules


class HelpOnNotation(Section, template="help_notation"):
    games: tuple[str, ...]


class Rules(Section, template="rules"):
    game: str
    language: str = ""  # empty for English
    languages: tuple[str, ...] = ()  # the other languages that there are


Explanation = Help | HelpOnCommand | HelpOnGame | HelpOnGroup | HelpOnNotation | HelpOnSetting | HelpOnTopic

FILLING = frozenset(
    {"a", "about", "an", "can", "do", "does", "find", "for", "get", "getting", "how", "i", "in", "is", "it", "me", "my"}
    | {"of", "on", "please", "the", "there", "to", "what", "where", "with", "you"}
)
"""Words that say nothing about what is looked for: "help me", "help on the notation"."""
SETTING = frozenset({"set", "setting", "settings", "preference", "preferences"})
"""Words with which a setting is named: "help set mail"."""
MODERATION = frozenset({"moderation", "moderate", "moderator", "admin", "operator"})
"""Words with which the admin looks for their own commands."""
MATCHES = "games"  # the command whose name people write who look for all games
NOTATION = "notation"
NOTATION_WORDS = "notations coordinate coordinates square squares syntax format write writing"
OVERVIEW = frozenset({"command", "commands", "all", "everything", "list", "options"})


def find(features: Features, commands: Commands, text: str) -> Explanation | None:
    """Return what explains the first word that anything explains, or everything where there is no such word."""
    said = [word.strip(".,;:!?\"'") for word in text.lower().split()]
    words = [word for word in said if word and word not in FILLING]
    moderates = any(command.of_admin for command in commands.values())
    if OVERVIEW.issuperset(words):
        groups = tuple(_grouped(features, commands, group) for group in Group if group is not Group.MODERATION)
        return Help(groups=groups, games=titles(), moderates=moderates)
    if moderates and not MODERATION.isdisjoint(words):
        return HelpOnGroup(group=_grouped(features, commands, Group.MODERATION))
    group = next((group for group in Group if [group.word] == words and group is not Group.MODERATION), None)
    if group is not None:
        return HelpOnGroup(group=_grouped(features, commands, group))
    named = [features.preferences[word] for word in words if word in features.preferences]
    if named and not SETTING.isdisjoint(words):
        return _setting(named[0])
    games = [key for word in words if (key := nearest_word(word, frozenset(GAMES)))]
    if NOTATION in words:
        return HelpOnNotation(games=tuple(games or islice(GAMES, LISTED)))
    if games:
        return HelpOnGame(game=games[0], is_weak=is_weak_at(GAMES[games[0]].game))
    explanations = (_explanation(features, commands, word, asks_how="how" in said) for word in words)
    return next((explanation for explanation in explanations if explanation is not None), None)


def _explanation(features: Features, commands: Commands, word: str, *, asks_how: bool) -> Explanation | None:
    """Return what explains a single word; to somebody who asks how, a topic rather than a command."""
    index = _index(features, commands)
    entry = next((name for name, others in index.items() if word == name or word in others.split()), None)
    is_topic = entry in features.topics
    command = None if is_topic and (asks_how or entry == word) else commands.named(word)
    if command is not None:
        return HelpOnCommand(command=_entry(command), games=titles(None) if command.name == MATCHES else ())
    if word in features.preferences and entry in (None, "set"):
        return _setting(features.preferences[word])
    if entry is None:
        return None
    if entry == NOTATION:
        return HelpOnNotation(games=tuple(islice(GAMES, LISTED)))
    return HelpOnTopic(topic=entry) if is_topic else HelpOnCommand(command=_entry(commands[entry]))


def _index(features: Features, commands: Commands) -> dict[str, str]:
    """Return the words that lead to each topic and command, by its name."""
    index = {**features.topics, NOTATION: NOTATION_WORDS}
    return index | {name: command.keywords for name, command in commands.items() if name not in index}


def _entry(command: Command) -> CommandHelp:
    return CommandHelp(
        name=command.name, usage=command.usage, help=command.help, aliases=command.aliases, brief=command.brief
    )


def _grouped(features: Features, commands: Commands, group: Group) -> CommandGroup:
    entries = tuple(_entry(command) for command in features.groups[group] if command.name in commands)
    return CommandGroup(word=group.word, title=group.value, commands=entries)


def _setting(setting: Preference) -> HelpOnSetting:
    return HelpOnSetting(name=setting.name, spelled=setting.spelled, default=setting.default, help=setting.help)


ENGLISH = "en"  # the language of the rules where none is named


def help_(request: Request, line: Line) -> Decision:
    explanation = find(request.features, request.commands, line.words)
    if explanation is not None:
        return Decision(answer=(explanation,))
    index = _index(request.features, request.commands)
    words = [*request.commands, *GAMES, *index, *" ".join(index.values()).split()]
    likely = [near for word in line.words.lower().split() for near in get_close_matches(word, words, 3)]
    topics = " or ".join(f'"help {topic}"' for topic in list(dict.fromkeys(likely))[:3])
    raise Refused(f'There is no help on "{line.words[:40].lower()}".', fits=topics or '"help" alone lists everything.')


def rules(request: Request, line: Line) -> Decision:
    match = request.session.get(Match, line.match) if line.match is not None else None
    key, language = line.given.get(GAME, ""), line.given.get(LANGUAGE, "")
    if not key and match is not None and match.game in GAMES:
        key = match.game if language in ("", ENGLISH, *GAMES[match.game].translations) else ""
    if not key:
        unknown = f'There is no game called "{line.words[:40].lower()}".'
        raise Refused(unknown if language else "Which game?", fits=_which_rules())
    language = _language(key, language)
    others = tuple(other for other in GAMES[key].translations if other != language)
    return Decision(answer=(Rules(game=key, language=language, languages=others),))


def _language(key: str, named: str) -> str:
    there = tuple(GAMES[key].translations)
    if named not in ("", ENGLISH, *there):
        fits = " or ".join(f'"{" ".join(("rules", key, other)).strip()}"' for other in ("", *there))
        raise Refused(f"The rules of {GAMES[key].title} aren't there in that language.", fits=f"{fits} sends them.")
    return "" if named == ENGLISH else named


def _which_rules() -> str:
    return f"Write {commands_for_wishes.rules_commands()}." + (
        f" {commands_for_wishes.ALL}" if len(GAMES) > FEW else ""
    )


def _help_for_stranger(request: Request, line: Line) -> Line:
    """Return the line in lower case; raise Refused, without repeating it, for words on which there is no help."""
    words = line.words.lower()
    if find(request.features, request.commands, words) is None:
        raise Refused("There is no help on that.", fits='"help" alone lists everything.')
    return Line(HELP, words, None, f"help {words}".strip())


def _rules_for_stranger(request: Request, line: Line) -> Line:
    """Return the line in lower case; raise Refused, without repeating it, for a game that there isn't."""
    given, words = line.given, line.words.lower()
    if GAME not in given:
        raise Refused("There is no game of that name." if words else "Which game?", fits=_which_rules())
    _language(given[GAME], given.get(LANGUAGE, ""))
    return Line(RULES, words, None, f"rules {words}")


LANGUAGE, WORD = word("LANGUAGE", r"\S+(?: \S+)?", is_name=True), word("WORD", r"\S+", is_name=True)
HELP = Command(
    "help",
    words(opt(GAME, WORD, usage="[COMMAND|GAME|WORD]", most=3)),
    "explain a command, a game or any other word; alone, it lists everything",
    help_,
    aliases=("info", "faq"),
    open_to=Who.GUESTS,
    changes=False,
    own_cost=PAGE,
    for_stranger=_help_for_stranger,
)
RULES = Command(
    "rules",
    words(opt(GAME), opt(LANGUAGE)),
    "send the rules of a game: in English, or in another language that they are written in",
    rules,
    keywords="rule howto",
    open_to=Who.GUESTS,
    changes=False,
    own_cost=PAGE,
    for_stranger=_rules_for_stranger,
)
