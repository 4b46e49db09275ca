"""What a stranger's message comes to: one command in our own words, or a few words on what this is.

The address in From may be a victim's. So an answer can't be made to carry a message, and is short whatever is asked.
"""

import re
from collections.abc import Mapping
from dataclasses import replace

from engines import GAMES
from pbem.conversation.core import Command, Line, Request
from pbem.conversation.reply import Reply
from pbem.conversation.syntax.mail import ParsedMessage
from pbem.conversation.verdict import Outcome, Verdict
from pbem.errors import Refused, Silence, Unanswerable
from pbem.features.accounts.account import JOIN, NAME, suggested_name, words_in_use
from pbem.features.challenges.commands import PLAY
from pbem.features.explaining import topics
from pbem.features.explaining.commands import WHICH_RULES
from pbem.features.explaining.messages import Introduction, InvitationWaiting
from pbem.features.house import commands as house
from pbem.features.house.commands import LEVEL
from pbem.features.house.levels import LEVELS
from pbem.features.seeks.terms import BEGIN
from pbem.matches import queries
from pbem.players import rate_limits
from pbem.players.rate_limits import Left
from pbem.storage.models import Match, Player

LOOKING = frozenset({"help", "rules"})
"""The commands that are answered at once."""
MOST_NAMES = 4
_NAME_IS = re.compile(
    r"(?:(?:my name is|my name's|i'm|i am|call me|name:|ich hei\xdfe|ich bin|mein name ist|je m'appelle|je suis|"
    r"me llamo|soy|mi chiamo|ik ben|ik heet|jag heter)\s+)?(\S+?)[.!]*",
    re.IGNORECASE,
)
FIRST = ("join", "accept", "play")
"""The commands that make somebody a player, in their order; the others of a newcomer's message wait for them."""


def bare(parsed: ParsedMessage, commands: Mapping[str, Command]) -> tuple[ParsedMessage, bool] | None:
    """Return the message with the one command that is answered, and whether there are more; None if there is none.

    Whoever joins, or wants to play at once, is asked about that alone; the rest of the message is carried out with it,
    once they have agreed.
    Raise Refused for a command that is open to strangers, with words that it doesn't know.
    """
    named = [line for line in parsed.commands if line.command is JOIN and _is_named(line)]
    looking = [line for line in parsed.commands if line.command.name in LOOKING]
    playing = [line for line in parsed.commands if line.command is PLAY and not line.malformed]
    only = next((_bare(line, commands) for line in (*named, *playing, *looking)), None)
    if only is None:
        return None
    return ParsedMessage(commands=(only,), words=(), first=""), len(parsed.commands) > 1


def introduce(request: Request, reply: Reply, parsed: ParsedMessage, left: Left | None) -> Reply:
    """Return the reply that says what this is, and how to join; raise Unanswerable where it was said often enough.

    Somebody with an open invitation is told of that instead. The reply goes to the invited address and carries a token
    of the match, as the invitation did, so that a plain `yes` in answer to it accepts.
    """
    waiting = _invitation_to(request)
    if waiting is None and any(line.command.name == "stop" for line in parsed.commands):
        raise Refused("This address gets no news from us, so there is nothing to stop.")
    if left is not None:
        check_left(request, left)
    if rate_limits.is_introduced(request.session, request.sender, request.now):
        raise Unanswerable(Silence.STRANGER_WAS_INTRODUCED)
    if waiting is not None:
        section = InvitationWaiting(match=waiting.id or 0)
        told = replace(reply.adding(section), verdict=Verdict(Outcome.INTRODUCED), match=waiting.id)
        return replace(told, gist=rate_limits.INTRODUCTION)
    return replace(introduced(request, reply, wants_name=_wants_to_join(parsed)), gist=rate_limits.INTRODUCTION)


def check_left(request: Request, left: Left) -> None:
    """Raise Unanswerable if half of the answers of today are used: the others are for those who know what they want."""
    if left.is_half_used:
        raise Unanswerable(Silence.DAILY_ANSWERS_TO_STRANGERS)


def introduced(request: Request, reply: Reply, *, wants_name: bool, name: str | None = None) -> Reply:
    """Return the reply with what a newcomer should know; a `yes` in answer to it joins, under that name or another."""
    name = name or suggested_name(request.sender.address)
    house = request.house.enabled
    section = Introduction(name=name, wants_name=wants_name, house=house, games=topics.titles())
    proposal = f"join {name}" if name else None
    return replace(reply.adding(section), verdict=Verdict(Outcome.INTRODUCED), proposal=proposal)


def named(parsed: ParsedMessage) -> ParsedMessage:
    """Return the message as one that joins, if all that a newcomer writes in answer to us is their name.

    >>> [named(ParsedMessage((), (), first)).commands[0].text for first in ("Otto.", "My name is Hanna")]
    ['join otto', 'join hanna']
    """
    said = _NAME_IS.fullmatch(parsed.first.strip())
    name = (said[1] if said else "").lower()
    if not NAME.fullmatch(name) or name in words_in_use():
        return parsed
    return replace(parsed, commands=(Line(JOIN, name, None, f"join {name}"),), words=())


def full_name(parsed: ParsedMessage) -> str | None:
    """Return the name that a `yes` takes where a newcomer has answered with the names of a person; None elsewhere.

    >>> full_name(ParsedMessage((), (), "Mary Jane Watson")), full_name(ParsedMessage((), (), "what is this"))
    ('mary', None)
    """
    said = parsed.first.strip().rstrip(".!").split()
    is_name = 1 < len(said) <= MOST_NAMES and all(word.isalpha() and word.istitle() for word in said)
    name = said[0].lower() if is_name else ""
    return name if NAME.fullmatch(name) and name not in words_in_use() else None


def joining_first(parsed: ParsedMessage) -> ParsedMessage:
    """Return the message with the commands that make its sender a player in front."""
    commands = parsed.commands

    def place(number: int) -> int:
        name = commands[number].command.name
        return FIRST.index(name) if name in FIRST else len(FIRST)

    order = sorted(range(len(commands)), key=place)
    words = (replace(block, under=tuple(sorted(map(order.index, block.under)))) for block in parsed.words)
    return replace(parsed, commands=tuple(commands[number] for number in order), words=tuple(words))


def on_file(request: Request) -> Player:
    """Return the sender's row; for an unknown address a new one, not yet a player's."""
    if request.sender.player is not None:
        return request.sender.player
    player = Player(address=request.sender.address, created=request.now)
    request.session.add(player)
    request.session.flush()
    return player


def _invitation_to(request: Request) -> Match | None:
    """Return the newest invitation that the sender's address hasn't answered; None if there is none."""
    guest = request.sender.player
    if guest is None:
        return None
    return next(iter(queries.challenges_to(request.session, guest, 1)), None)


def _wants_to_join(parsed: ParsedMessage) -> bool:
    """Return whether a message that gives no usable name asks to join nevertheless, perhaps in its Subject."""
    verbs = (JOIN.name, *JOIN.aliases)
    opening = (text.split()[0].lower().strip(".:!") for text in (parsed.first, parsed.subject) if text.split())
    return any(line.command is JOIN for line in parsed.commands) or not set(verbs).isdisjoint(opening)


def _is_named(line: Line) -> bool:
    return not line.malformed and NAME.fullmatch(line.words.lower()) is not None


def _bare(line: Line, commands: Mapping[str, Command]) -> Line:
    """Return the line in our own words; raise Refused, without repeating them, for words that it doesn't know."""
    words = " ".join(line.words.lower().split())
    match line.command.name:
        case "rules" if words not in GAMES:
            raise Refused(
                "There is no game of that name." if words else "Which game?",
                fits=WHICH_RULES,
            )
        case "help" if topics.find(commands, words) is None:
            raise Refused("There is no help on that.", fits='"help" alone lists everything.')
        case "play":
            words = _played(" ".join(house.as_written(words)))
    return Line(line.command, words, None, f"{line.command.name} {words}".strip())


def _played(words: str) -> str:
    """Return the game and the choices in the words; raise Refused, without repeating them, for any others."""
    game = next((GAMES[word] for word in words.split() if word in GAMES), None)
    given = dict(word.split("=", 1) for word in words.split() if "=" in word)
    known = {LEVEL: tuple(str(level.number) for level in LEVELS), "begin": BEGIN}
    if game is not None:
        known |= {option.name: option.choices for option in game.options}
    is_clear = len(given) == len(words.split()) - 1 and all(given[each] in known.get(each, ()) for each in given)
    if game is None or not is_clear:
        understood = "Which game?" if game is None else f'We can read "play {game.key}" in that line, and not the rest.'
        raise Refused(understood, fits=f'"play {next(iter(GAMES)) if game is None else game.key}" is enough.')
    return " ".join((game.key, *(f"{each}={choice}" for each, choice in given.items())))
