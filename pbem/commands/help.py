"""Explanations: help and rules."""

from collections.abc import Mapping
from difflib import get_close_matches

from engines import GAMES
from notation import NOTATIONS
from pbem.commands.core import Command, Decision, Line, Request, named
from pbem.errors import Refused
from pbem.payloads.explained import CommandHelp, GameHelp, GameTitle, OptionHelp
from pbem.payloads.sections import Help, HelpOnCommand, HelpOnGame, HelpOnNotation, Rules, Section
from pbem.storage.models import Match


def help_(request: Request, line: Line) -> Decision:
    """Explain the server, a command, a game or a notation."""
    return Decision(answer=(_explanation(request.commands, line.words.lower().strip()),))


def _explanation(commands: Mapping[str, Command], topic: str) -> Section:
    words = [word for word in topic.split() if word != "notation"]
    if not topic or topic == "commands":
        return Help(commands=tuple(_entry(command) for command in commands.values()), games=_titles())
    if topic == "notation" or (words and words[0] in GAMES and "notation" in topic.split()):
        keys = words or list(GAMES)
        return HelpOnNotation(games=tuple(_game(key) for key in keys if key in GAMES))
    if words[0] in GAMES:
        return HelpOnGame(game=_game(words[0]))
    if (command := named(commands, words[0])) is not None:
        return HelpOnCommand(command=_entry(command))
    near = get_close_matches(words[0], [*commands, *GAMES, "notation"], 3)
    raise Refused(
        f'There is no help on "{topic[:40]}".',
        fits=" or ".join(f'"help {topic}"' for topic in near) if near else '"help" alone lists everything.',
    )


def rules(request: Request, line: Line) -> Decision:
    """Send the rules of a game."""
    about = request.session.get(Match, line.match) if line.match is not None else None
    key = line.words.strip().lower() or (about.game if about is not None else "")
    if key not in GAMES:
        there_are = " or ".join(f'"rules {key}"' for key in GAMES)
        raise Refused(f'There is no game called "{key[:40]}".' if key else "Which game?", fits=there_are)
    return Decision(answer=(Rules(game=_game(key)),))


def _entry(command: Command) -> CommandHelp:
    return CommandHelp(name=command.name, usage=command.usage, help=command.help, aliases=command.aliases)


def _titles() -> tuple[GameTitle, ...]:
    return tuple(GameTitle(key=key, title=game.title) for key, game in GAMES.items())


def _game(key: str) -> GameHelp:
    options = tuple(
        OptionHelp(name=option.name, spelled=option.spelled, default=option.choices[0], help=option.help)
        for option in GAMES[key].options
    )
    return GameHelp(key=key, title=GAMES[key].title, notation=NOTATIONS[key].help, options=options)


HELP = Command(
    "help",
    "[COMMAND|GAME|notation]",
    "explain this server, a command, a game or how turns are written",
    help_,
    words=(0, 3),
)
RULES = Command("rules", "GAME", "send you the rules of a game", rules, words=(0, 1))
