"""What `help WORD` finds: commands, games, and topics under every word that people look for them with."""

from collections.abc import Iterator, Mapping
from difflib import get_close_matches

from engines import GAMES
from notation import NOTATIONS
from pbem.conversation.core import Command, Group, named
from pbem.conversation.syntax.courtesies import with_other_number
from pbem.features.explaining.messages import (
    CommandGroup,
    CommandHelp,
    GameHelp,
    GameTitle,
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
from pbem.players.preferences import PREFERENCES

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
OVERVIEW = frozenset({"command", "commands", "all", "everything", "list", "options"})
INDEX: Mapping[str, str] = {
    "opponent": "opponents partner partners player people someone somebody friend friends against",
    "seek": "seeking open standing",
    "seeks": "lobby waiting-room offered",
    "take": "join-match",
    "who": "directory listed online active",
    "whois": "profile statistics stats pace",
    "history": "past finished head-to-head",
    "watch": "spectate follow kibitz",
    "block": "ban hide harass harassment spam",
    "limit": "busy enough",
    "house": "level levels computer bot bots robot ai engine machine program strength difficulty alone solo practice",
    "time": "clock clocks deadline deadlines control controls timeout timeouts limits hours time=",
    "first": "begin beginner beginning started newbie new introduction intro tutorial guide play playing work works",
    "ending": "ending end draws drawn win wins winner winning lose loss over finish tie stalemate result results",
    "leaving": "leaving leave quit quitting unregister forget privacy data gdpr",
    "move": "turn moves moving",
    "notation": "notations coordinate coordinates square squares syntax format write writing",
    "resign": "forfeit surrender concede",
    "draw": "remis peace agree agreement",
    "cancel": "abort annul void",
    "claim": "overdue late slow flag",
    "rematch": "revenge again another",
    "replay": "practice practise continue resume-from",
    "analyse": "analyses analyst evaluate evaluation blunder blunders better lesson",
    "mute": "nag nagging ignore silence",
    "if": "conditional condition premove premoves prepare prepared then else tree branch",
    "queue": "advance beforehand",
    "undo": "takeback retract mistake wrong correct correction",
    "say": "talk chat note notes write comment text",
    "games": "matches match status waiting pending",
    "show": "board position diagram see view",
    "preview": "try test look steps step",
    "record": "save sgf pgn notation-file download",
    "records": "archive zip backup",
    "set": (
        "settings setting preferences preference picture pictures image images html unicode ascii words colour color"
        " automove forced digest daily batch frequency mails receipt zone timezone hour blind screenreader"
        " remind reminder reminders nag nagtime calendar ical ics"
        " weekend weekends workdays bulletin weekly newsletter"
    ),
    "stop": "quiet silent",
    "vacation": "vacations holiday holidays away absence absent trip travel leave-of-absence freeze days-off",
    "change": "address email e-mail mail move-address",
    "revoke": "token tokens personal secret leaked security password passwords login",
    "export": "download-data",
    "delete": "erase remove",
    "join": "name nickname signup-name userid user register registration",
    "challenge": "invitation invitations invites option begin= offer",
    "tournaments": "round-robin swiss knock-out knockout crosstable buchholz sonneborn-berger tiebreak tie-break cup",
    "watching": "spectator spectators observe observer observers audience live",
    "league": "leagues season seasons group groups promotion promoted relegation relegated",
    "ladder": "ladders rung rungs",
    "ratings": "rating rated glicko elo ranking rankings points provisional",
    "rules": "rule howto",
}
"""A topic, a command or `notation`, and the words under which it is found besides its own name."""
TOPICS = (
    "opponent",
    "house",
    "first",
    "ending",
    "leaving",
    "ratings",
    "time",
    "tournaments",
    "league",
    "ladder",
    "watching",
)
"""The topics that are more than a command or a game; each has a page in templates/help."""


def find(commands: Mapping[str, Command], words: str) -> Explanation | None:
    """Return what explains the words; None if nothing does."""
    said = [word.strip(".,;:!?\"'") for word in words.lower().split()]
    wanted = [word for word in said if word and word not in FILLING]
    of_admin = tuple(_entry(command) for command in commands.values() if command.of_admin)
    if not wanted or OVERVIEW.issuperset(wanted):
        groups = tuple(_grouped(commands, group) for group in Group if group is not Group.MODERATION)
        return Help(groups=groups, games=titles(), moderates=bool(of_admin))
    if of_admin and not MODERATION.isdisjoint(wanted):
        return HelpOnModeration(commands=of_admin)
    group = next((group for group in Group if [group.word] == wanted and group is not Group.MODERATION), None)
    if group is not None:
        return HelpOnGroup(group=_grouped(commands, group))
    if not SETTING.isdisjoint(wanted) and (chosen := next((word for word in wanted if word in PREFERENCES), None)):
        return _setting(chosen)
    games = [key for word in wanted if (key := with_other_number(word, frozenset(GAMES))) in GAMES]
    if "notation" in wanted:
        return HelpOnNotation(games=tuple(game(key) for key in games or GAMES))
    if games:
        return HelpOnGame(game=game(games[0]))
    return next(
        (found for word in wanted if (found := _found(commands, word, asks_how="how" in said)) is not None), None
    )


def near(commands: Mapping[str, Command], words: str) -> list[str]:
    """Return what can be looked up and resembles the words."""
    known = [*commands, *GAMES, *INDEX, *_words()]
    found = (get_close_matches(word, known, 3) for word in words.lower().split())
    return list(dict.fromkeys(each for matches in found for each in matches))[:3]


def titles() -> tuple[GameTitle, ...]:
    """Return all games, as lists show them."""
    return tuple(GameTitle(key=key, title=game.title, summary=game.summary) for key, game in GAMES.items())


def game(key: str) -> GameHelp:
    """Return a game as its help describes it."""
    options = tuple(
        OptionHelp(name=option.name, spelled=option.spelled, default=option.choices[0], help=option.help)
        for option in GAMES[key].options
    )
    return GameHelp(key=key, title=GAMES[key].title, notation=NOTATIONS[key].help, options=options)


def _found(commands: Mapping[str, Command], word: str, *, asks_how: bool) -> Explanation | None:
    """Return what explains a single word; who asks how is told of a topic rather than of a command."""
    meant = next((topic for topic, others in INDEX.items() if word == topic or word in others.split()), None)
    has_page = meant in TOPICS and (asks_how or meant == word)
    if not has_page and (command := named(commands, word)) is not None:
        return HelpOnCommand(command=_entry(command))
    if meant == "notation":
        return HelpOnNotation(games=tuple(game(key) for key in GAMES))
    if word in PREFERENCES and meant in (None, "set"):
        return _setting(word)
    if meant is None or meant in TOPICS:
        return HelpOnTopic(topic=meant) if meant else None
    return HelpOnCommand(command=_entry(commands[meant]))


def _words() -> Iterator[str]:
    for others in INDEX.values():
        yield from others.split()


def _entry(command: Command) -> CommandHelp:
    return CommandHelp(
        name=command.name, usage=command.usage, help=command.help, aliases=command.aliases, brief=command.brief
    )


def _grouped(commands: Mapping[str, Command], group: Group) -> CommandGroup:
    entries = tuple(_entry(command) for command in commands.values() if command.group is group)
    return CommandGroup(word=group.word, title=group.heading, commands=entries)


def _setting(name: str) -> HelpOnSetting:
    """Return what a setting chooses, from its definition."""
    found = PREFERENCES[name]
    return HelpOnSetting(name=name, spelled=found.spelled, default=found.default, help=found.help)
