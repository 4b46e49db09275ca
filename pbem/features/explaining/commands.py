"""Explanations: help with all that `help WORD` finds, the rules, and `human`, which writes to the operator."""

from collections.abc import Iterable
from datetime import timedelta
from difflib import get_close_matches
from itertools import islice

from sqlmodel import Session, col, func, select

from engines.search import is_weak_at
from notation.games import FEW, GAMES
from pbem.conversation.core import (
    LOOKS,
    PAGE,
    AtOnce,
    Command,
    Decision,
    Group,
    Line,
    Newcomer,
    Reach,
    Request,
    ToAddress,
    Who,
)
from pbem.conversation.feature import Features
from pbem.conversation.syntax import wording
from pbem.conversation.syntax.commands import Commands
from pbem.conversation.syntax.courtesies import with_other_number
from pbem.conversation.syntax.grammar import GAME, opt, word, words
from pbem.errors import Refused
from pbem.messages.said.messages import LISTED, GameTitle, titles
from pbem.players import rate_limits
from pbem.storage.clock import within
from pbem.storage.models import Match, Outgoing
from pbem.storage.payloads import Part, Payload, Section
from pbem.storage.preferences import Preference


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


ENGLISH = "en"
"""The language of the rules where none is named."""


def help_(request: Request, line: Line) -> Decision:
    found = find(request.features, request.commands, line.words)
    if found is not None:
        return Decision(answer=(found,))
    likely = near(request.features, request.commands, line.words)
    raise Refused(
        f'There is no help on "{line.words[:40].lower()}".',
        fits=" or ".join(f'"help {topic}"' for topic in likely) if likely else '"help" alone lists everything.',
    )


def rules(request: Request, line: Line) -> Decision:
    about = request.session.get(Match, line.match) if line.match is not None else None
    key, language = line.given.get(GAME, ""), line.given.get(LANGUAGE, "")
    if (
        not key
        and about is not None
        and about.game in GAMES
        and language in ("", ENGLISH, *GAMES[about.game].translations)
    ):
        key = about.game
    if not key:
        unknown = f'There is no game called "{line.words[:40].lower()}".'
        raise Refused(unknown if language else "Which game?", fits=_which_rules())
    language = _language(key, language)
    others = tuple(each for each in GAMES[key].translations if each != language)
    return Decision(answer=(Rules(game=game(key), language=language, languages=others),))


def _language(key: str, named: str) -> str:
    there = tuple(GAMES[key].translations)
    if named not in ("", ENGLISH, *there):
        fits = " or ".join(f'"{" ".join(("rules", key, each)).strip()}"' for each in ("", *there))
        raise Refused(f"The rules of {GAMES[key].title} aren't there in that language.", fits=f"{fits} sends them.")
    return "" if named == ENGLISH else named


def _which_rules() -> str:
    return f"Write {wording.rules_commands()}." + (f" {wording.ALL}" if len(GAMES) > FEW else "")


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
    proof=LOOKS,
    own_cost=PAGE,
    newcomer=Newcomer(line=_help_for_stranger),
)
RULES = Command(
    "rules",
    words(opt(GAME), opt(LANGUAGE)),
    "send the rules of a game: in English, or in another language that they are written in",
    rules,
    keywords="rule howto",
    open_to=Who.GUESTS,
    proof=LOOKS,
    own_cost=PAGE,
    newcomer=Newcomer(line=_rules_for_stranger),
)


MOST_LINES, WIDEST = 40, 300
PER_DAY = 20
"""How many such messages the operator gets in a day; one of them from each address."""


def human(request: Request, line: Line) -> Decision:
    admin = request.server.admin
    if not admin:
        raise Refused("Nobody but this program reads what you write to it.", fits='"help" explains what you can write.')
    text = tuple(each[:WIDEST] for each in request.prose if each.strip())[:MOST_LINES]
    if not text:
        raise Refused(
            "What do you want to tell the operator?",
            read=line.text,
            fits='Write it below the line "human", and leave a line above it empty if you like.',
        )
    sender = request.sender
    gist = rate_limits.gist_of("human", (sender.address,))
    if rate_limits.was_told(request.session, admin, gist, request.now):
        raise Refused(
            "You have already written to the operator today.",
            fits="They answer by email. You can write to them again tomorrow.",
        )
    if _today(request.session, admin, request) >= PER_DAY:
        raise Refused("The operator has got many messages today.", fits="Please write again tomorrow.")
    name = sender.player.name if sender.player is not None and sender.player.confirmed else None
    letter = ForOperator(by=name or "", address=sender.address, message=text)
    told = OperatorTold(address=sender.address)
    return Decision(answer=(told,), messages=(ToAddress(address=admin, payload=letter, gist=gist),), takes_prose=True)


def _today(session: Session, admin: str, request: Request) -> int:
    sent = (Outgoing.address == admin, Outgoing.template == ForOperator.template)
    recent = within(Outgoing.created, timedelta(days=1), request.now)
    return session.exec(select(func.count(col(Outgoing.id))).where(*sent, recent)).one()


def _for_stranger(request: Request, line: Line) -> Line | None:
    return Line(HUMAN, "", None, "human") if request.server.admin else None


HUMAN = Command(
    "human",
    words(takes_below=True, is_strict=True),
    "write to the operator of this server; the lines below it go to them, and they answer by email",
    human,
    keywords="operator admin person contact complain complaint bug report support",
    at_once=AtOnce(by_match=Reach.ANYWHERE),
    open_to=Who.GUESTS,
    newcomer=Newcomer(line=_for_stranger),
)
