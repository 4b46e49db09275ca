"""Lines as for Richard Rognlie's PBeM server, which hold a userid and a password; and turns that only some games have.

There, a command is `game verb board userid password rest`. Here nobody has a password, so both are cut off before
anything else sees the line: they are neither stored nor repeated.
"""

import re
from collections.abc import Callable

from engines.wording import together
from notation.games import GAMES
from pbem.conversation.syntax.command_table import Commands
from pbem.conversation.syntax.courtesies import nearest_word
from pbem.errors import Refused
from pbem.matches import turn_parsing

IGNORED = frozenset({"multiple"})  # what announces several commands there; here, several lines are enough
OTHERS = frozenset({"add", "broadcast", "confirm", "list", "message", "submit"})
"""Commands there that don't exist here, and can be followed by a password."""
MOST_HEAD = 6  # how many words may precede the userid
_NUMBER = re.compile(r"\d{1,9}")
TURNS_OF_SOME = {"pass": "passing", "swap": "swapping sides"}
"""Turns that only some games have, and what they are called."""


def without_password(text: str, own: str | None, commands: Commands, is_turn: Callable[[str, int | None], bool]) -> str:
    """Return a line without the sender's own name and the password behind it, where they follow a command.

    >>> without_password("quadraphages move 42 al secret c1b1", "al", Commands(()), lambda words, _: words == "c1b1")
    'quadraphages move 42 c1b1'
    """
    words = text.split()
    bare = [_bare(word) for word in words[:MOST_HEAD]]
    at = bare.index(own) if own in bare else 0
    if not _takes_password(bare[:at], commands):
        return text
    number, rest = next((int(word) for word in bare[:at] if _NUMBER.fullmatch(word)), None), words[at + 1 :]
    if {"change", "password"} <= {*bare[:at]}:
        rest = []
    elif not is_turn(" ".join(rest).partition("#")[0], number):
        rest = rest[1:]
    return " ".join((*words[:at], *rest))


def _takes_password(head: list[str], commands: Commands) -> bool:
    """Return whether a userid can follow these words: a game, a command, a number, and at most one other."""
    spelt = (nearest_word(word, commands.verbs) or word for word in head)
    verbs = [command for word in spelt if (command := commands.named(word)) is not None]
    known = [word for word in head if word in GAMES or word in OTHERS or _NUMBER.fullmatch(word)]
    if not head or len(known) + len(verbs) < max(1, len(head) - 1):
        return False
    has_game = head[0] in GAMES
    return not any(each.of_admin or each.takes_name or (each.grammar.is_kept and not has_game) for each in verbs)


def turn_of_some(text: str, game: str | None = None) -> Refused | None:
    """Return the refusal of a turn that only some games have, "pass" or "swap"; None for anything else.

    `game` is the key of the game that the message is about, if it is about one.
    """
    word = _bare(text)
    if word not in TURNS_OF_SOME:
        return None
    have = [key for key, pack in GAMES.items() if turn_parsing.parse(pack.notation, word).error is None]
    what = TURNS_OF_SOME[word]
    if not have:
        return Refused(f"None of these games allows {what}.", fits='"help GAME" explains how turns are written.')
    titles = together(map(GAMES.title, have))
    sentence = f"Of these games, only {titles} {'allow' if len(have) > 1 else 'allows'} {what}."
    if game is not None and game not in have:
        return Refused(sentence, fits=f'"help {game}" explains how turns are written.')
    return Refused(sentence, fits=f'"#NUMBER {word}" in a match of {"such a game" if len(have) > 1 else titles}.')


def _bare(word: str) -> str:
    return word.lower().strip(".,:;!?\"'[]#")
