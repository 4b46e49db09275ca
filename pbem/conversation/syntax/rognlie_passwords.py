"""Lines as for Richard Rognlie's PBeM server, which hold a userid and a password.

There, a command is `game verb board userid password rest`. Here nobody has a password, so both are cut off before
anything else sees the line: they are neither stored nor repeated.
"""

from collections.abc import Callable

from notation.games import GAMES
from pbem.conversation.command import Command, Commands
from pbem.conversation.syntax.courtesies import nearest_word
from pbem.conversation.syntax.line import NUMBER
from pbem.mail.reading.text.normalize import to_ascii

IGNORED = frozenset({"multiple"})  # what announces several commands there; here, several lines are enough
OTHERS = frozenset({"password", "pbem"})  # what else may stand there, and in the subjects of our messages
MOST_HEAD = 6  # how many words may precede the userid


def without_password(text: str, own: str | None, commands: Commands, is_turn: Callable[[str, int | None], bool]) -> str:
    """Return a line without the sender's own name and the password behind it, where they follow a command.

    >>> without_password("quadraphages 42 al secret c1b1", "al", Commands(()), lambda words, _: words == "c1b1")
    'quadraphages 42 c1b1'
    """
    words = text.split()
    bare = [plain_word(word) for word in words[:MOST_HEAD]]
    head = bare[: bare.index(own)] if own in bare else []
    numbers = [found[1] for word in head if (found := NUMBER.fullmatch(word))]
    named = [word for word in head if not (word in GAMES or word in OTHERS or NUMBER.fullmatch(word))]
    heads = [commands.named(nearest_word(word, commands.verbs) or word) for word in named]
    if not head or not all(each is not None and _takes_password(each, head[0] in GAMES) for each in heads):
        return text
    rest = words[len(head) + 1 :]
    if "password" in head:
        rest = []
    elif not is_turn(to_ascii(" ".join(rest)).partition("#")[0], int(numbers[0]) if numbers else None):
        rest = rest[1:]
    return " ".join((*words[: len(head)], *rest))


def _takes_password(command: Command, has_game: bool) -> bool:
    return not (command.of_admin or command.takes_name or (command.grammar.is_kept and not has_game))


def plain_word(word: str) -> str:
    return to_ascii(word).lower().strip(".,:;!?\"'[]#")
