"""What a stranger's message comes to: one command in our own words. Nothing else goes to the address in From.

That address may be a victim's. So an answer can't be made to carry a message, and is short however much is asked.
"""

from engines import GAMES
from pbem.commands import COMMANDS
from pbem.commands.account import NAME
from pbem.commands.core import Line, named
from pbem.commands.syntax.mail import ParsedMessage
from pbem.errors import Refused

TOPICS = frozenset({"commands", "notation", *GAMES})


def bare(parsed: ParsedMessage) -> tuple[ParsedMessage, bool]:
    """Return the message with the one command that is answered, and whether there are more; raises Refused.

    Whoever joins is asked about that alone; the rest of the message is carried out with it, once they have agreed.
    """
    joins = [line for line in parsed.commands if line.command.name == "join"]
    line = (joins or parsed.commands)[0]
    words = " ".join(line.words.lower().split())
    _check(line, words)
    only = Line(line.command, words, None, f"{line.command.name} {words}".strip())
    has_more = not joins and len(parsed.commands) > 1
    return ParsedMessage(commands=(only,), words=(), first=""), has_more


def _check(line: Line, words: str) -> None:
    """Raise Refused, without repeating them, for words that the command doesn't know."""
    match line.command.name:
        case "join":
            if not NAME.fullmatch(words):
                raise Refused(
                    "That can't be a player's name.",
                    fits='Write "join NAME". A name is one word of 2 to 20 letters and digits, starting with a letter.',
                )
        case "rules":
            if words not in GAMES:
                raise Refused("There is no game of that name.", fits=" or ".join(f'"rules {key}"' for key in GAMES))
        case _:
            if not all(word in TOPICS or named(COMMANDS, word) is not None for word in words.split()):
                raise Refused("There is no help on that.", fits='"help" alone lists everything.')
