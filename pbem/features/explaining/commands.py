"""Explanations: help and rules."""

from notation.games import FEW, GAMES
from pbem.conversation.core import LOOKS, PAGE, Command, Decision, Line, Newcomer, Request, Who
from pbem.conversation.syntax import wording
from pbem.conversation.syntax.grammar import GAME, opt, word, words
from pbem.errors import Refused
from pbem.features.explaining import topics
from pbem.features.explaining.messages import Rules
from pbem.storage.models import Match

ENGLISH = "en"
"""The language of the rules where none is named."""


def help_(request: Request, line: Line) -> Decision:
    found = topics.find(request.features, request.commands, line.words)
    if found is not None:
        return Decision(answer=(found,))
    near = topics.near(request.features, request.commands, line.words)
    raise Refused(
        f'There is no help on "{line.words[:40].lower()}".',
        fits=" or ".join(f'"help {topic}"' for topic in near) if near else '"help" alone lists everything.',
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
    return Decision(answer=(Rules(game=topics.game(key), language=language, languages=others),))


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
    if topics.find(request.features, request.commands, words) is None:
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
